r"""Without a norm, larger tokens mean a wider spread of the logits.

Dots on a logarithmic axis: the standard deviation of a logit in six settings,
each joined to a dashed line at 1. On the line: text meets text. Right of it:
text meets image, {= mixed :.0f }; image meets image, {= images :.0f }; a
context that lacks its final norm, {= residual :.1f }; a token ten times as
long, {= longer :.0f }. Far left of it: bare embeddings, {= embedded :.4f }.
"""

# %%
import numpy as np

d, step = 64, 0.1
# With weights of variance 1/D a query has the variance of its token, and a
# logit the spread √(of the query's token · of the key's).
image, text = 4, 1
spread = {
    "text to text": np.sqrt(text * text),
    "text to image": np.sqrt(text * image),
    "image to image": np.sqrt(image * image),
}
_, mixed, images = spread.values()
divisor = np.sqrt(d * image * text)


def integrals(sigma):
    """Return t, E e^(−tX) and t E X e^(−tX) for X = e^(σg), on a fine grid."""
    g = np.arange(-9, 9, step)
    weight = np.exp(-(g**2) / 2)
    weight /= weight.sum()
    log_t = np.arange(-40, 30, step)
    u = np.minimum(log_t[:, np.newaxis] + sigma * g, 40)
    return np.exp(-np.exp(u)) @ weight, np.exp(u - np.exp(u)) @ weight


def taken(n, wide, narrow):
    """Return the mean weight that n keys of one spread take from n of another.

    With Z the sum of all e^z, 1/Z = ∫ e^(−tZ) dt, and the logits factor.
    """
    (one, first), (other, _) = integrals(wide), integrals(narrow)
    return n * step * np.sum(first * one ** (n - 1) * other**n)


# A text token before 256 images and 256 texts.
each = 256
images_take = taken(each, spread["text to image"], spread["text to text"])

# An encoder whose residual stream adds up 12 outputs and an embedding, all
# independent and of variance 1, without a norm at its end.
outputs = 12
residual = np.sqrt(outputs + 1)
# Embeddings of standard deviation 0.02 without a norm, on both sides.
deviation = 0.02
embedded = deviation**2
# A token ten times as long as the others, as a key or as a query.
longer = 10 * 1
cases = {
    "text meets text": spread["text to text"],
    "text meets image": mixed,
    "context, no final norm": residual,
    "image meets image": images,
    "one token ten times as long": longer,
    "bare embeddings, sd 0.02": embedded,
}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
place, value = np.arange(len(cases))[::-1], np.array([*cases.values()])
axes.axvline(1, color="C1", linestyle="--")
axes.hlines(place, 1, value, linewidth=3)
axes.plot(value, place, "o", markersize=9)
for y, x in zip(place, value, strict=True):
    axes.text(x * 1.5, y + (x < 1) * 0.3, f"{x:.2g}", va="center")
axes.set(xscale="log", xlim=(2e-4, 60), xlabel="standard deviation of a logit")
axes.set(xticks=[0.001, 0.01, 0.1, 1, 10])
axes.set(xticklabels=["0.001", "0.01", "0.1", "1", "10"])
axes.set(yticks=place, yticklabels=cases)
axes.minorticks_off()
plt.show()

# %% says
assert len(cases) == 6, "the standard deviation of a logit in six settings"
assert spread["text to text"] == 1, "On the line: text meets text"
assert min(mixed, images, residual, longer) > 1, "Right of it: text meets image"
assert images > mixed > 1, "larger tokens mean a wider spread"
assert spread["text to image"] == 2, "text meets image at a spread of"
assert divisor == 16 == 8 * 2, (
    r"you would divide by $\sqrt{64\cdot4\cdot1}$, which is"
)
assert spread["image to image"] == 4, "and image meets image at"
assert images_take > 3 / 4, "the images take … of a text's attention"
assert images_take > 1 / 2, "There the larger tokens also win"
assert residual > 3, "then the spread in cross-attention is"
assert embedded < 0.001, "begin with logits of spread"
assert longer == 10, "is ten times as long, all its logits with others are"
