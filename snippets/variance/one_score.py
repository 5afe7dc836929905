"""One score of our row, product by product. {= n_up } products push it up and
{= n_down } push it down ({= n_zero } are 0, as the numbers are rounded), and
most of that cancels: {= ups :.1f } less {= downs :.1f } leaves
{= score :.1f }.

Two panels with one vertical axis. On the left, over the number of products
added, a grey bar for each product of the query and the second key, as many
above 0 as below, and none beyond 6; an orange line is their running sum. It
wanders within or near two dashed curves, plus and minus the root of the number
of products, and ends at {= score :.1f } after {= d } products. On the right a
dot for each of the {= n_keys } scores of our row. They lie on both sides of 0,
most of them between two dashed lines at {= root :.0f } and −{= root :.0f },
and the score from the left is filled.
"""

# %%
import numpy as np
from our_row import d, keys, n_keys, query, scores

key = 1  # the second: its score is as large as the spread
products = query[:d] * keys[key, :d]
ups, downs = products[products > 0].sum(), -products[products < 0].sum()
n_up, n_zero, n_down = (int(np.sum(np.sign(products) == i)) for i in (1, 0, -1))
score = products.sum()
row, root = scores(), np.sqrt(d)
inside = int(np.sum(abs(row) < root))  # within one spread of 0

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(
    1, 2, figsize=(6.4, 3.4), sharey=True, width_ratios=[3, 1]
)
m = np.arange(d + 1)
left.bar(m[1:], products, 0.8, color="0.6")
left.plot(m, np.insert(np.cumsum(products), 0, 0), "C1")
left.plot(m, np.sqrt(m), "0.5", m, -np.sqrt(m), "0.5", linestyle="--")
left.text(32, -14, "each bar: one product", ha="center")
left.text(24, 10, "their running sum", color="C1", ha="center")
right.plot(np.arange(n_keys) + 1, row, "o", color="C1", fillstyle="none")
right.plot(key + 1, score, "o", color="C1")
for at in (-root, root):
    right.axhline(at, color="0.5", linestyle="--")
left.set(xlabel="products added", ylabel="product, or sum")
left.set(xticks=[0, 16, 32, 48, 64], yticks=[-16, -8, 0, 8, 16])
right.set(xlabel="key", xticks=[1, 16, 32], title="all scores")
left.set_title("one score")
plt.show()

# %% says
assert abs(products).max() < 6, "none beyond 6"
assert np.isclose(ups - downs, score), "most of that cancels"
assert abs(score) < (ups + downs) / 4, "most of that cancels"
assert np.isclose(score, root, atol=0.1), (
    "Most of it cancels, and what is left, … is about"
)
assert n_keys / 2 < inside < n_keys, "most of them between two dashed lines"
