"""Right answers unlike the solutions of docs/labs/mistakes.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it. Where the skeleton is one
function, its body is enough.
"""

LEAKS = """
x = np.random.default_rng(3).standard_normal((n, D))
other = x.copy()
{change}
return bool({moved})
"""
RIGHT = {
    1: [
        "gaps = np.diff(new), np.diff(right)\n"
        "ratio = gaps[0] / gaps[1]\n"
        "return ratio.mean() if np.ptp(ratio) < 1e-5 * abs(ratio).max() else 0.0"
    ],
    2: ["answer = np.array([1, 0.5, 1, 1 / np.sqrt(32), np.sqrt(8), 1, 0, np.sqrt(0.5)])"],
    3: [
        "gaps = np.diff(np.log(p)) / np.diff(q @ k.T)\nreturn float(np.median(gaps))",
        "from_first = np.log(p[0] / p[0, :1])[1:]\n"
        "return np.linalg.lstsq(((k[1:] - k[0]) @ q[0])[:, np.newaxis], from_first)[0][0]",
    ],
    4: [
        "share = (W_Q.shape[-1] / len(W_Q)) ** 0.25\nreturn [share * W_Q, share * W_K]",
        "return W_Q, W_K * np.sqrt(W_K.shape[-1]) / np.sqrt(len(W_K))",
    ],
    5: [
        LEAKS.format(
            change="z, places = model(x), range(1, n)\n"
            "y = [model(np.vstack([x[:i], 2 + 0 * x[i:]])) for i in places]",
            moved="any(np.abs(b[: i + 1] - z[: i + 1]).max() > 1e-6 for i, b in enumerate(y))",
        )
    ],
    6: ["answer = 36, 7, 12"],
}
WRONG = {
    1: {
        "return new[0] / right[0]": "more in the whole row",
        "return np.mean(new / right)": "more in the whole row",
        "return np.std(new) / np.std(right)": "not multiples of each other",
        "return new / right": "one number is wanted",
        "return np.nan": "finite numbers",
    },
    2: {
        "answer = [1, 4**-0.5, 1, 32**-0.5, 8**0.5, 1.4427, 0, 0.707]": "code 6 gives the right",
        "answer = [1, 0.5, 1, 32**-0.5, 8**0.5, 1, 1, 0.5**0.5]": "do not even add up to 1",
        "answer = [1, 2, 1, 32**-0.5, 8**0.5, 1, 0, 0.5**0.5]": "than code 2 does",
        "answer = [1, 0.5, 0, 32**-0.5, 8**0.5, 1, 0, 0.5**0.5]": "of code 3 add up to 1",
        "answer = [1, 0.5, 1, 32**-0.5, 8**0.5, 1, 0, 1]": "than code 8 does",
        "answer = [1, 2, 3]": "the shape (8,) is wanted",
    },
    3: {
        "return len(q[0]) ** -0.5": "at d = 64",
        "return np.log(p).std() / (q @ k.T).std()": "the weights would differ",
        "return np.log(p[0, 0]) / (q[0] @ k[0])": "the weights would differ",
        "return np.log(p)": "one number is wanted",
    },
    4: {
        "return W_Q, W_K": "with 4 heads of 32 the logits are",
        "return W_Q * np.sqrt(len(W_Q) / W_Q.shape[-1]), W_K": "times what they were",
        "return W_Q * 8**0.5, W_K": "with 9 heads of 5",
        "s = np.sqrt(W_Q.shape[-1] / len(W_Q))\nreturn s * W_Q, s * W_K": "times what they were",
        "return W_Q + 1, W_K": "another pattern",
        "return W_Q": "two arrays are wanted",
    },
    5: {
        "return False": "softmax over queries: it sees later tokens",
        "return True": "right code: it sees none",
        LEAKS.format(
            change="other[-1] += 1", moved="np.any(model(other) != model(x))"
        ): "right code: it sees none",
        LEAKS.format(
            change="other[n // 2 :] = 1", moved="np.any(model(other)[0] != model(x)[0])"
        ): "one place too late",
        "return 1": "True or False is wanted",
    },
    6: {
        "answer = 16, 4, 64": "in this shape",
        "answer = 64, 12, 50": "1/√d and 1/8 are",
        "answer = 20, 20, 13": "1/√d and 1/√heads are",
        "answer = 128, 3, 13": "from 2 to 64",
        "answer = 20.5, 3, 13": "three whole numbers",
    },
}
