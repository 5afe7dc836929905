"""What the chapter says of several of its snippets together."""

# %% says
import gradients
import measures
import numpy as np
import phases

for n in (256, 512, 1024, 4096):
    twice_the_border = 2 * np.sqrt(phases.critical[n])
    assert 0.7 < twice_the_border / 8 < 1.1, (
        "with hundreds or thousands of keys, sigma = 8 is not far from twice"
    )
for n in measures.counts:
    if n >= gradients.rms_overtakes:
        assert measures.norm[np.sqrt(64)][n] > measures.norm[1][n], (
            "The bare one is the larger from … keys on, at d_k = 64 and in the"
        )
    else:
        assert measures.norm[8][n] < measures.norm[1][n], (
            "Below that the divisor raises the norm"
        )
