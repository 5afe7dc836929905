r"""A divisor delays a row that runs away, and does not hold it. Whatever it is
divided by, our row goes to the meant key, and long after that key has
{= most :.0%} of the weight its lead is still growing.

Above, bars: the weights of our row, {= n_keys } keys in their order. A line for
each divisor (1, √d, d) and a column for each of the steps {= shown[0] },
{= shown[1] }, {= shown[2] } and {= shown[3] } of training. At step 0 the meant
key has next to nothing. Undivided it has all of the weight at step
{= shown[1] }, divided by √d at step {= shown[2] }, divided by d at step
{= shown[3] }. Below, against the number of steps and on two logarithmic axes,
the lead of its logit over the best other: three lines that cross the level of
{= most :.0%} one after another, and go on to rise, nearly as straight and
parallel lines, to {= lead['1'][-1] :,.0f }, {= lead['√d'][-1] :.0f } and
{= lead['d'][-1] :.0f } at step {= steps }.
"""

# %%
import numpy as np
from our_row import d, draw_weights, keys, meant, n_keys, query
from scipy.special import logsumexp, softmax

rate, steps = 0.01, 1000  # what a step adds to a coordinate
divisors = {"1": 1, "√d": np.sqrt(d), "d": d}
shown, most = [0, 20, 60, 250], 0.99
others = np.arange(n_keys) != meant


def train(divisor, key_moves=True):
    """Return the row's logits, and q and the meant k, before each step.

    The loss is −ln of the meant key's weight. A step goes by the sign of its
    gradient: equally far in every coordinate, as Adam's first step does.
    """
    q, k = query[:d].copy(), keys[:, :d].copy()
    logits, pairs = [], []
    for _ in range(steps + 1):
        logits.append(k @ q / divisor)
        pairs.append((q, k[meant].copy()))
        # How the others share what the meant key does not have: signs need no
        # more, and this does not come to 0 as that does.
        share = softmax(logits[-1][others])
        up_q, up_k = k[meant] - share @ k[others], q
        q = q + rate * np.sign(up_q)
        k[meant] += rate * np.sign(up_k) * key_moves
    return np.array(logits), np.array(pairs)


runs = {name: train(divisor) for name, divisor in divisors.items()}
weights = {
    name: {step: softmax(z[step]) for step in shown}
    for name, (z, _) in runs.items()
}
lead = {
    name: z[:, meant] - z[:, others].max(axis=1)
    for name, (z, _) in runs.items()
}
full = {
    name: np.argmax(softmax(z, axis=1)[:, meant] > most)
    for name, (z, _) in runs.items()
}
at_dot = {name: lead[name][step] for name, step in full.items()}
logit = {name: z[:, meant] for name, (z, _) in runs.items()}
# What of it is turning, and what is length: with √d, at some steps.
length = np.linalg.norm(runs["√d"][1], axis=2)
cosine = runs["√d"][1].prod(axis=1).sum(axis=1) / length.prod(axis=1)
ceiling = length[0].prod() / np.sqrt(d)
turned, last = 100, 500
longer = np.sqrt((length[last] / length[0]).prod())
# The run that would refute that each makes the other's steps count for more.
alone = train(np.sqrt(d), key_moves=False)[0][:, meant]

# %%
import matplotlib.pyplot as plt

fig = plt.figure(figsize=(6.4, 5.3))
grid = fig.add_gridspec(4, 4, height_ratios=[1, 1, 1, 3.6])
colours, names = ["C1", "C0", "C2"], ["undivided", "÷ √d", "÷ d"]
for i, (name, colour) in enumerate(zip(runs, colours, strict=True)):
    for j, step in enumerate(shown):
        axis = fig.add_subplot(grid[i, j])
        draw_weights(axis, weights[name][step], colour, meant)
        axis.set_title(f"step {step}" if i == 0 else "")
        axis.set(yticks=[0, 1], yticklabels=[0, 1] if j == 0 else [])
        axis.tick_params(labelbottom=False)
        axis.set_ylabel(names[i] if j == 0 else "", color=colour)
below = fig.add_subplot(grid[3, :])
t = np.arange(steps + 1)
for name, colour, text in zip(runs, colours, names, strict=True):
    below.plot(t, lead[name], color=colour, linewidth=2)
    below.plot(full[name], lead[name][full[name]], "o", color=colour)
    below.text(1060, lead[name][-1], text, color=colour, va="center")
below.axhline(lead["√d"][full["√d"]], color="0.5", linestyle=":")
below.text(970, 2.4, f"weight {most:.0%}", ha="right")
below.set(xscale="log", yscale="log", xlim=(10, steps), ylim=(0.5, 9000))
below.set(xticks=[10, 100, 1000], xticklabels=[10, 100, 1000])
below.set(yticks=[1, 10, 100, 1000], yticklabels=[1, 10, 100, 1000])
below.set(xlabel="step", ylabel="meant key’s lead")
plt.show()

# %% says
for name, when in zip(divisors, shown[1:], strict=True):
    assert weights[name][0][meant] < 0.05, "the meant key has next to nothing"
    assert full[name] <= when, "Undivided it has all of the weight at step"
    rising = lead[name][full[name] :]
    assert np.all(np.diff(rising) > 0), "its lead is still growing"
    assert np.all(np.diff(logit[name]) > 0), "the logit has not stopped once"
    # The loss is ln(1 + e^x).
    x = logsumexp(runs[name][0][:, others], axis=1) - logit[name]
    assert np.all(np.diff(x) < 0), "a larger lead lowers the loss a little more"
    late = np.log(lead[name][steps // 2 :])
    slope = np.polyfit(np.log(np.arange(steps // 2, steps + 1)), late, 1)[0]
    assert 1.7 < slope < 2.05, "logit comes to grow nearly like the square"
assert abs(cosine[0]) < 0.1, "and nearly at right angles"
assert cosine[turned] > 0.8, "there is little left to turn"
assert abs(alone[-1] / alone[steps // 2] - 2) < 0.1, "Hold the key still, and"
