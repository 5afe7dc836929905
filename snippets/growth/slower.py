r"""However its steps are made, our row's lead goes on growing. With steps of
one length it runs away. Where steps get shorter with the gradient, it slows
down.

The lead of the meant key's logit over the best other, divided by √d, against
the number of steps up to {= steps }, both axes logarithmic. A dot on each of
four lines is where the key has {= most :.0%} of the weight. With steps of one
length the lead is {= lead['sign'][-1] :,.0f } in the end, with Adam and a
memory of 20 gradients {= lead['Adam, 20'][-1] :.0f }, with Adam and one of 1000
{= lead['Adam, 1000'][-1] :.0f }, and with plain gradients
{= lead['gradient'][-1] :.0f }.
"""

# %%
import numpy as np
from our_row import d, keys, meant, n_keys, query
from scipy.special import softmax

rate, steps, most = 0.01, 800, 0.99
others = np.arange(n_keys) != meant
plain = 0.1  # what multiplies the gradient itself


class Adam:
    """Adam, with a memory of about 1/(1 − b) squared gradients."""

    def __init__(self, b):
        self.b, self.m, self.v, self.t = b, 0, 0, 0

    def __call__(self, gradient):
        """Return the step, over the rate."""
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * gradient
        self.v = self.b * self.v + (1 - self.b) * gradient**2
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - self.b**self.t)
        return m / (np.sqrt(v) + 1e-8)


def train(rate, for_q, for_k):
    """Return the meant key's lead and weight before each step, with √d."""
    q, k, found = query[:d].copy(), keys[:, :d].copy(), []
    for _ in range(steps + 1):
        logits = k @ q / np.sqrt(d)
        w = softmax(logits)
        found.append((logits[meant] - logits[others].max(), w[meant]))
        up_q = w[others] @ (k[meant] - k[others]) / np.sqrt(d)
        up_k = w[others].sum() * q / np.sqrt(d)
        q = q + rate * for_q(up_q)
        k[meant] += rate * for_k(up_k)
    return np.transpose(found)


def same(gradient):
    """Leave the gradient as it is."""
    return gradient


runs = {
    "sign": train(rate, np.sign, np.sign),
    "Adam, 20": train(rate, Adam(0.95), Adam(0.95)),
    "Adam, 1000": train(rate, Adam(0.999), Adam(0.999)),
    "gradient": train(plain, same, same),
}
lead = {name: gap for name, (gap, _) in runs.items()}
full = {name: np.argmax(w > most) for name, (_, w) in runs.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
looks = {
    "sign": ("-", "steps of one length"),
    "Adam, 20": ("--", "Adam, β₂ = 0.95"),
    "Adam, 1000": ("-.", "Adam, β₂ = 0.999"),
    "gradient": (":", "the gradient itself"),
}
for name, (style, text) in looks.items():
    axes.plot(lead[name], style, color="C0", linewidth=2, label=text)
    axes.plot(full[name], lead[name][full[name]], "o", color="C0")
axes.set(xscale="log", yscale="log", xlim=(10, steps), ylim=(0.5, 1500))
axes.set(xticks=[10, 100, 800], xticklabels=[10, 100, 800])
axes.set(yticks=[1, 10, 100, 1000], yticklabels=[1, 10, 100, 1000])
axes.set(xlabel="step", ylabel="meant key’s lead")
axes.legend(loc="upper left")
plt.show()

# %% says
for name, gap in lead.items():
    late = gap[steps // 2 :]
    assert np.all(np.diff(late) > 0), "made, our row’s lead goes on growing"
    assert 0 < full[name] < steps, "A dot on each"
ends = [gap[-1] for gap in lead.values()]
assert ends == sorted(ends, reverse=True), "with the gradient, it slows down"
assert ends[0] > 20 * ends[1], "With steps of one length it runs away"
assert 7 < ends[-1] < 9, "and the lead grows on, but slowly"
assert 7 < ends[-1] < ends[1] < 50, "and then the lead still grows, but slowly"
assert ends[0] / ends[1] > 20, "so that its steps get shorter too"
