r"""For three keys large scores kill the gradient. For thousands they make it
larger, and erratic.

Three stacked panels for 3, 64 and 4096 keys: the norm of the Jacobian against
the spread of the scores, from a quarter to 32. Each shows the root mean square
and, dashed, the median, in a band from the tenth to the ninetieth percentile.
For 3 keys the band is narrow at first, then opens downwards: the median falls
to 0 by a spread of 10, the root mean square only slowly. For 64 keys the root
mean square and the median rise up to a spread near 4 and then fall, the median
faster; the tenth percentile falls from 2.5 on, and the band is wide. For 4096
keys they rise until a spread of {= peak[4096] :.0f }; at 8 the band reaches
from almost 0 to a half.
"""

# %%
import numpy as np
from gaussian_logits import jacobian_square
from largest_keys import (
    draw,
    draw_evenly,
    every_three,
    jacobian_norm,
    weights_norm,
)

sigma, draws = np.geomspace(0.25, 32, 22), 2000
counts, shares = [3, 16, 64, 512, 4096], [10, 50, 90]
rms, mean, quantiles = {}, {}, {}
rms_at, mean_at, median_at, near_zero_at = {}, {}, {}, {}
relative_at = {}
for n in counts:
    top = draw(np.random.default_rng(n), n, draws)
    rms[n] = np.sqrt([jacobian_square(n, s) for s in sigma])
    norms = np.array([jacobian_norm(top, n, s) for s in sigma])
    quantiles[n] = np.percentile(norms, shares, axis=1)
    mean[n] = norms.mean(axis=1)

    # Of 512 keys a share is printed to three digits.
    power = 17 if n == 512 else 15
    top = draw_evenly(n, power=power) if n > 3 else every_three()
    norms = {s: jacobian_norm(top, n, s) for s in (1, 8)}
    rms_at[n] = {s: np.sqrt(jacobian_square(n, s)) for s in norms}
    mean_at[n] = {s: values.mean() for s, values in norms.items()}
    median_at[n] = {s: np.median(values) for s, values in norms.items()}
    near_zero_at[n] = {s: np.mean(x < 0.01) for s, x in norms.items()}
    relative = {s: x / weights_norm(top, n, s) for s, x in norms.items()}
    relative_at[n] = {s: np.median(x) for s, x in relative.items()}
    if n == 512:  # undivided, in a head of 256
        median_256 = np.median(jacobian_norm(top, n, np.sqrt(256)))
peak = {n: sigma[np.argmax(rms[n])] for n in counts}
rms_overtakes = next(
    n for n in range(2, 99) if jacobian_square(n, 8) > jacobian_square(n, 1)
)
medians = {}  # on both sides of where the undivided one becomes the larger
for n in (56, 57):
    top = draw_evenly(n, keep=n)
    medians[n] = [np.median(jacobian_norm(top, n, s)) for s in (1, 8)]
median_overtakes = next(n for n, (one, eight) in medians.items() if eight > one)
even_at_65536 = np.sqrt(jacobian_square(65536, 1))
growth = rms_at[512][8] / rms_at[512][1]
# For three keys: if scores move, which move divided logits by an eighth.
three_at_scores = {"rms": rms_at[3][1] / 8, "median": median_at[3][1] / 8}
three = every_three()
of_three = [jacobian_norm(three, 3, s) for s in (1, 8)]
three_lose = np.mean(of_three[1] < of_three[0])
relative_fall = relative_at[512][1] / relative_at[512][8]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(3, 1, figsize=(6.4, 8), sharex=True, sharey=True)
for axes, n in zip(panels, [3, 64, 4096], strict=True):
    low, median, high = quantiles[n]
    axes.fill_between(sigma, low, high, color="C0", alpha=0.2)
    axes.semilogx(sigma, rms[n], base=2, color="C1", label="rms, exact")
    axes.plot(sigma, median, "--", color="C0", label="median, 10–90 %")
    axes.axvline(1, color="C3", linestyle=":")
    axes.axvline(8, color="C3", linestyle=":")
    axes.set_title(f"{n} keys")
panels[0].legend(loc="upper right")
panels[1].set_ylabel("norm of the Jacobian ‖J‖")
panels[2].set(xlabel="standard deviation σ of the scores", ylim=(0, 0.6))
panels[2].set_xticks([0.25, 1, 4, 8, 32], ["¼", "1", "4", "8", "32"])
plt.show()

# %% says
import measures

assert median_at[3][np.sqrt(64)] < median_at[3][1] / 50, (
    "to almost nothing: the median is … with the divisor and … without it"
)
for at in (rms_at, median_at):
    assert at[512][np.sqrt(64)] > 2 * at[512][1], (
        "At 64 dimensions the undivided one is the larger from"
    )
assert rms_at[512][8] > rms_at[512][1], "For 512 keys the norm grows"
assert median_256 < median_at[512][1] < median_at[512][8], (
    "in heads of 256 the median is … again"
)
assert 0.95 < three_lose < 1, "and so they lose in nearly all draws"
assert three_at_scores["median"] > median_at[3][8], "the median still falls"
assert three_at_scores["rms"] < rms_at[3][8], "but the root mean square rises"
assert rms_at[512][8] > rms_at[512][1], "and it grows with the spread"
fine = np.geomspace(0.05, 20, 60)
for n in (2, 3, 4, 5, 8, 64):
    square = [jacobian_square(n, s) for s in fine]
    top = np.argmax(square)
    if n <= 4:
        assert top == 0, "For up to four it only falls, and for the others"
    else:
        assert square[1] > square[0], (
            "with five keys or more the norm first rises"
        )
        assert square[0] < square[top] > square[-1], (
            "for the others it rises to a peak and then falls"
        )
assert np.all(
    [jacobian_square(n, 8) < jacobian_square(n, 1) for n in range(5, 27 + 1)]
), "With 5 to 27 keys it is past its peak at sigma = 8, and lower than"
median = {n: quantiles[n][1] for n in counts}
for n in (64, 512):
    assert median[n][-1] < np.interp(1, sigma, median[n]) < max(median[n]), (
        "and in [much larger ones] most draws lose it altogether"
    )
assert (sigma[0], sigma[-1]) == (1 / 4, 32), "from a quarter to 32"
assert median_at[3][8] < 0.01, "For three keys large scores kill the gradient"
assert rms_at[4096][8] > rms_at[4096][1], "For thousands they make it larger"
assert max(median[3][sigma > 10]) < 0.01, (
    "For 3 keys … the median falls to 0 by a spread of 10"
)
assert min(rms[3][sigma < 12]) > 0.1, "of 10, the root mean square only slowly"
median_peak = sigma[np.argmax(median[64])]
for line in (rms[64], median[64]):
    assert line[0] < max(line) > line[-1], "up to a spread … and then fall"
assert np.all(abs(np.array([peak[64], median_peak]) - 4) < 1), (
    "the root mean square and the median rise up to a spread near 4"
)
tenth = quantiles[64][0]
assert abs(sigma[np.argmax(tenth)] - 2.5) < 0.3, (
    "the tenth percentile falls from 2.5 on"
)
assert median[64][-1] / max(median[64]) < rms[64][-1] / max(rms[64]), (
    "and then fall, the median faster"
)
assert np.all(np.diff(rms[4096][sigma <= peak[4096]]) > 0), (
    "For 4096 keys they rise until a spread"
)
assert {3, 64, 4096} <= {*quantiles}, "Three stacked panels for … keys"
low, _, high = quantiles[4096]
assert np.interp(8, sigma, low) < 0.05, "at 8 the band reaches from almost 0"
assert abs(np.interp(8, sigma, high) - 1 / 2) < 0.1, "from almost 0 to a half"
for n in counts:
    apart = abs(np.array([mean_at[n][1], median_at[n][1]]) - rms_at[n][1])
    assert max(apart) < 0.05, "agree with the rms to within a few hundredths"
    assert near_zero_at[n][1] < 0.01, "practically no draw is below .01"
    assert relative_at[n][8] < relative_at[n][1], (
        "Undivided scores lower it at every number of keys"
    )
assert even_at_65536 < 0.01, "so nearly every draw is below .01"
assert relative_at[512][8] < relative_at[512][1], (
    "it at every number of keys: at 512 by a factor of"
)
assert median_at[3][8] < median_at[3][1], "For three keys the median falls from"
assert median_at[512][8] > median_at[512][1], "For 512 it rises from"
assert median_overtakes > rms_overtakes, (
    "the undivided norm is the larger from about … keys on, later than in"
)
assert relative_at[3][8] < 0.01, "and at three keys to next to nothing"

# Of the questions.
assert median_at[3][np.sqrt(64)] < median_at[3][1], (
    "At $d_k = 64$, leaving the divisor out lowers"
)
assert median_at[512][np.sqrt(64)] > median_at[512][1], (
    "and raises it from … to … for 512"
)
n = rms_overtakes
assert jacobian_square(n, np.sqrt(64)) > jacobian_square(n, 1), (
    r"of length $\sqrt{64}$, the undivided Jacobian is the larger one from"
)

# Of the front page.
assert median_at[512][np.sqrt(64)] > 2 * median_at[512][1], (
    "and larger with 512 (it rises from"
)
assert median_at[3][np.sqrt(64)] < 0.01, (
    "makes its derivatives much smaller with three keys"
)

# Of another measure.
for n in measures.counts:
    if n >= rms_overtakes:
        assert measures.norm[np.sqrt(64)][n] > measures.norm[1][n], (
            "At 64 dimensions the undivided one is the larger from"
        )
    else:
        assert measures.norm[8][n] < measures.norm[1][n], (
            "So with few keys a wide spread takes the gradient away"
        )

# Of few keys.
assert median_at[3][np.sqrt(64)] < median_at[3][1], (
    "responds less to its scores, in the median, and not more"
)
assert medians[median_overtakes - 1][0] > medians[median_overtakes - 1][1], (
    "with fewer than about … keys an undivided softmax"
)
