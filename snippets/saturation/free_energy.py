r"""The entropy falls with the square of the spread. At the freezing point
nothing of it is left, if there are very many keys.

The mean entropy as a share of its maximum, ln n, against the spread divided by
√(2 ln n), from 0 to {= ratio[-1] :.0f }. For 16, 512, 65,536 and 10^100 keys
the curves start at 1 and fall together along a dashed parabola, 1 − x², which
reaches 0 at 1 and stays there. The fewer the keys, the sooner a curve leaves it
to one side: there 512 keys have two fifths left, and 10^100 keys less
than a tenth.
"""

# %%
import numpy as np
from gaussian_logits import entropy, jacobian_square, mean_log_sum

counts = {16: "16", 512: "512", 65536: "65,536", 10**100: "10¹⁰⁰"}
ratio = np.linspace(0.05, 2, 40)
share, log_sum = {}, {}
for n in counts:
    ln_n = np.log(float(n))
    spreads = ratio * np.sqrt(2 * ln_n)
    share[n] = np.array([entropy(n, s) for s in spreads]) / ln_n
    log_sum[n] = np.array([mean_log_sum(n, s) for s in spreads]) / ln_n
limit = np.maximum(0, 1 - ratio**2)
log_sum_limit = np.where(ratio < 1, 1 + ratio**2, 2 * ratio)

many = 65536
exact = {s: entropy(many, s) / np.log(many) for s in (1, 2)}
formula = {s: 1 - s**2 / (2 * np.log(many)) for s in exact}
square, square_formula = jacobian_square(many, 1), np.exp(1) / many
even_512 = 511 / 512**2  # ‖J‖² of even weights

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
for n, name in counts.items():
    axes.plot(ratio, share[n], label=f"{name} keys")
axes.plot(ratio, limit, "--", color="C5", label="limit")
axes.axvline(1, color="C3", linestyle=":")
axes.text(0.3, 0.2, "shared", color="C4", ha="center")
axes.text(1.5, 0.02, "frozen", color="C4", ha="center")
axes.set(xlabel="σ / √(2 ln n)", ylabel="entropy / ln n")
axes.set(xlim=(0, 2), ylim=(0, 1.02))
axes.legend(loc="upper right")
plt.show()

# %% says
assert np.allclose(spreads, ratio * np.sqrt(2 * ln_n)), (
    "against the spread divided by √(2 ln n)"
)
for n in counts:
    assert np.all(np.diff(share[n]) < 0), "entropy falls with the square of the"
    assert np.all(log_sum[n] < log_sum_limit + 1e-9), (
        "For no number of keys is … larger than this limit"
    )
    early = ratio <= 0.25
    assert np.all(abs(share[n] - limit)[early] < 0.01), (
        "and fall together along a dashed parabola"
    )
for n in (16, 512, 65536, 10**100):
    assert share[n][0] > 0.99, "10^100 keys the curves start at 1"
far = [np.max(share[n] - limit) for n in counts]
assert np.all(np.diff(far) < 0), "The fewer the keys, the sooner a curve leaves"
at_point = {n: share[n][19] for n in counts}
assert abs(at_point[512] - 2 / 5) < 0.02, "512 keys have two fifths left"
assert at_point[10**100] < 1 / 10, "10^100 keys less than a tenth"
assert at_point[10**100] < 1 / 10, (
    "it falls with the square of the spread, and at the freezing point"
)
assert abs(square / square_formula - 1) < 0.001, "As long as a row is shared"
assert even_512 < 1 / 12 < 2 / 9, (
    "Three keys start above that, … and lose; 512 start far below it"
)
for n in (3, 512):
    even = np.full(n, 1 / n)
    norm = np.linalg.norm(np.diag(even) - np.outer(even, even))
    assert abs(norm**2 - (n - 1) / n**2) < 1e-12, (
        "for three keys and about 1/n for many"
    )
