"""One step of SGD, whose length depends on the divisor s, unlike Adam's.

How the start of the logits, and what a step moves of a logit at the right key
and of a coordinate of q, depend on d: with a learning rate in proportion to
1/D, and to s/D.
"""

# %%
import numpy as np
from recall import exponent, gradients, init, rms, scores

dims, seeds = [16, 32, 64, 128, 256, 512], range(6)
divisors = {"√d": np.sqrt, "d/8": lambda d: d / 8}
size, fit = {}, {}
for rate in ("1/D", "s/D"):
    for name, divisor in divisors.items():
        start, logit, coordinate = np.empty((3, len(seeds), len(dims)))
        for at in np.ndindex(start.shape):
            d = dims[at[1]]
            s = divisor(d)
            X, W = init(d, seeds[at[0]])
            # Both rates are the same at d = 64, where s = 8.
            eta = 16 * (s / 8 if rate == "s/D" else 1) / X.shape[1]
            steps = [-eta * gradient for gradient in gradients(X, W, s)]
            new = [w + step for w, step in zip(W, steps, strict=True)]
            start[at] = rms(scores(X, W)) / s
            logit[at] = rms(np.diag(scores(X, new) - scores(X, W))) / s
            coordinate[at] = rms(X @ steps[0].T)
        size[rate, name] = {
            "start": start,
            "logit": logit,
            "coordinate": coordinate,
        }
        fit[rate, name] = {
            kind: exponent(dims, values)
            for kind, values in size[rate, name].items()
        }
