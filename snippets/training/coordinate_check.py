r"""With $1/\sqrt d$ wider models learn faster and their logits drift apart;
with $8/d$ the loss and the logits collapse onto one curve.

Four panels over 20 Adam steps, with a line for each width from 64 to 512; left
the scale 1/√d, right 8/d. Above, the loss on a logarithmic axis: left the four
lines fan out, the widest falling fastest; right they lie on each other but for
d = 64. Below, the size of the logits: left the lines start together at 1 and
fan out upwards; right they start apart, smaller for wider models, and run
together.
"""

# %%
import numpy as np
from recall import logits, loss, rms, train

dims, seeds, steps = [64, 128, 256, 512], range(2), 20
scales = {"1/√d": np.sqrt, "8/d": lambda d: d / 8}
losses = {name: {} for name in scales}
sizes = {name: {} for name in scales}
for name, divisor in scales.items():
    for d in dims:
        s = divisor(d)
        runs = [
            [(loss(X, W, s), rms(logits(X, W, s))) for X, W in run]
            for run in (train(d, seed, s, steps) for seed in seeds)
        ]
        losses[name][d], sizes[name][d] = np.mean(runs, axis=0).T

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 6.6), sharex=True, sharey="row")
styles = ["-", "--", "-.", ":"]
for column, name in enumerate(scales):
    for place, d in enumerate(dims):
        look = {"linestyle": styles[place], "color": f"C{place}"}
        label = f"d = {d}"
        panels[0, column].semilogy(losses[name][d], **look, label=label)
        panels[1, column].plot(sizes[name][d], **look)
    panels[0, column].set_title(name)
    panels[1, column].set(xlabel="step", xticks=[0, 10, 20])
panels[0, 0].set_ylabel("loss")
panels[1, 0].set(ylabel="logits (rms)", ylim=(0, None))
panels[0, 0].legend(loc="lower left")
plt.show()
