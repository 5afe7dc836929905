r"""At the start only $\sqrt{d}$ holds the spread of a logit; under alignment
only $d$ holds its size.

Two stacked panels against the dimension d from 2 to 4096, all axes logarithmic.
Above, the standard deviation of a logit at the start: divided by 1 it rises
steeply, by log d less so, by √d it is level at 1, by d and as a cosine it
falls, by d⁵ and e^{πd} it drops out of the picture at once. Below, the size of
a logit when query and key are correlated by 0.3: everything is steeper, √d now
rises, and d, like the cosine, is level.
"""

# %%
import numpy as np
import rivals

n_keys, rho = 512, 0.3
dims = 2 ** np.arange(1, 13)
start = {
    name: dict(zip(dims.tolist(), values.tolist(), strict=True))
    for name, values in rivals.spreads(dims, n_keys).items()
}
aligned = {
    name: dict(zip(dims.tolist(), values.tolist(), strict=True))
    for name, values in rivals.aligned(dims, rho, n_keys).items()
}
# e^{πd} itself at d = 64, as a power of ten.
exp_digits = np.pi * 64 / np.log(10)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 1, figsize=(6.4, 7.2), sharex=True)
shown = {
    "1": "÷ 1",
    "log d": "÷ log d",
    "√d": "÷ √d",
    "d": "÷ d, cosine",
    "d⁵": "÷ d⁵",
    "exp πd": "÷ $e^{πd}$",
}
for axes, values in zip(panels, [start, aligned], strict=True):
    for colour, (name, label) in enumerate(shown.items()):
        line = np.array([*values[name].values()])
        inside = line > 1e-12
        axes.loglog(dims[inside], line[inside], color=f"C{colour}")
        if name not in ("d⁵", "exp πd"):
            axes.text(4800, line[-1], label, va="center")
    axes.set(ylim=(1e-6, 1e4), yticks=[1e-6, 1e-4, 1e-2, 1, 1e2, 1e4])
    axes.text(12, 2e-5, "÷ d⁵")
    axes.text(2.4, 1e-5, "÷ $e^{πd}$", ha="right")
panels[0].set_title("at the start: standard deviation")
panels[1].set_title("query and key correlated by 0.3: size")
panels[1].set(
    xlabel="dimension d", xticks=[4, 16, 64, 512, 4096], xlim=(1, 5000)
)
panels[1].set_xticklabels([4, 16, 64, 512, 4096])
panels[1].minorticks_off()
plt.show()
