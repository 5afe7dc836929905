r"""The root of the whole width leaves our row nearly flat; the root of the
number of heads gives one key {= largest['heads'] :.0%}. A padded head one
hardly sees.

Three lines of code, and below each our row as it should be, in blue, key
{= best } first with {= most :.0%}. In orange is what the line makes of it, for
{= heads } heads of {= d }. With the root of the width all bars lie between
{= lowest :.0%} and {= largest['width'] :.0%}; with the root of the number of
heads key {= best } has {= largest['heads'] :.0%}. With the root of a head that
was padded to {= padded } the two rows nearly agree: the largest bar is
{= largest['padded'] :.0%}.
"""

# %%
import numpy as np
from our_row import d, keys, query, scores
from scipy.special import softmax

heads = 12
lines = {
    "width": "q @ k.mT / x.size(-1)**0.5",
    "heads": "q @ k.mT / heads**0.5",
    "padded": "q = F.pad(q, (0, 32))  # q.size(-1) is now 96",
}
q, k = query[:d], keys[:, :d]
longer_q, longer_k = np.pad(q, (0, 32)), np.pad(k, ((0, 0), (0, 32)))
padded = len(longer_q)
logits = {
    "width": k @ q / (heads * d) ** 0.5,
    "heads": k @ q / heads**0.5,
    "padded": longer_k @ longer_q / padded**0.5,
}
right = softmax(scores() / d**0.5)
wrong = {name: softmax(row) for name, row in logits.items()}
most, best = float(right.max()), int(right.argmax()) + 1
largest = {name: float(row.max()) for name, row in wrong.items()}
lowest = float(wrong["width"].min())
# Which share of the weight lies with other keys than it should.
moved = {name: float(abs(row - right).sum()) / 2 for name, row in wrong.items()}

# %%
import matplotlib.pyplot as plt
from beside import draw_beside

draw_beside({lines[name]: (right, row) for name, row in wrong.items()})
plt.show()

# %% says
assert largest["width"] < 2 / len(k), "leaves our row nearly flat"
assert largest["heads"] > 2 * most, "gives one key"
assert moved["padded"] < 0.1, "A padded head one hardly sees"
assert moved["padded"] < 0.1, "the two rows nearly agree"
