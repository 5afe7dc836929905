r"""At four times the learning rate, the loss with $1/\sqrt d$ alone falls as
$W_Q$ and $W_K$ get a smaller part of it, down to that of QK-norm. With QK-norm
it hardly matters which part they get.

Two panels, Adam and Muon: the loss after 300 steps over the factor on the rate
of W_Q and W_K, from 1 to a sixteenth, with error bars over three seeds. The
line of 1/√d falls steeply up to a quarter, is lowest at an eighth and meets
that of QK-norm there, which is nearly level.
"""

# %%
import numpy as np
from stored import mean_and_error, read

rows = read("growth/own_rate.csv")
chooses, optimizers, few, last = [11, 12, 13], ["Adam", "Muon"], 300, 1000
dims = [32, 64]
factors = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16]
remedies = {"none": "1/√d", "QK-norm": "QK-norm"}
fraction = {1: "all", 1 / 2: "½", 1 / 4: "¼", 1 / 8: "⅛", 1 / 16: "1/16"}


def of_seeds(what, choosing, **run):
    """Return `what` at the end of a run, for each seed of one kind."""
    run = {"slowed": "QK", "warmup": 0, "step": run["last"]} | run
    same = [rows[name] == value for name, value in run.items()]
    same.append(np.isin(rows["seed"], chooses) == choosing)
    return rows[np.all(same, axis=0)][what]


# At four times the rate: what each factor gives, and which is chosen.
loss, change, chosen = {}, {}, {}
for name in optimizers:
    for remedy in remedies:
        run = {"d": 32, "optimizer": name, "remedy": remedy, "rate": 4}
        for m in factors:
            found = of_seeds("loss", True, **run, m=m, last=few)
            loss[name, remedy, m] = mean_and_error(found)
            moves = of_seeds("change", True, **run, m=m, last=few)
            change[name, remedy, m] = moves.mean()
        chosen[name, remedy] = min(
            factors, key=lambda m: loss[name, remedy, m][0]
        )


# By seeds that have chosen nothing: how far QK-norm is ahead, each at its best.
def scored(what, optimizer, remedy, m, **run):
    """Return `what` of the seeds that score."""
    run = {"d": 32, "rate": 4, "last": few} | run
    run |= {"optimizer": optimizer, "remedy": remedy, "m": m}
    return of_seeds(what, False, **run)


ahead = {
    name: mean_and_error(
        scored("loss", name, "none", chosen[name, "none"])
        - scored("loss", name, "QK-norm", chosen[name, "QK-norm"])
    )
    for name in optimizers
}

# With Muon over 1000 steps at the first rate: below 1/√d with one rate for all.
long = {"rate": 1, "last": last}
run = {"d": 32, "optimizer": "Muon", "remedy": "none"} | long
each = {m: of_seeds("loss", True, **run, m=m) for m in factors[:-1]}
long_chosen = min(each, key=lambda m: each[m].mean())
part = fraction[long_chosen]
plain = scored("loss", "Muon", "none", 1, **long)
own = scored("loss", "Muon", "none", long_chosen, **long)
normed = scored("loss", "Muon", "QK-norm", 1, **long)
gain = {
    "none": mean_and_error(plain - own),
    "QK-norm": mean_and_error(plain - normed),
}
rest = mean_and_error(own - normed)

# With d = 64, at four times the rate, and with what was chosen for d = 32.
wide = {}
for name in optimizers:
    for remedy in remedies:
        for m in (1, chosen[name, remedy]):
            found = scored("loss", name, remedy, m, d=64)
            wide[name, remedy, m] = mean_and_error(found)
wide_table = [
    [
        f"{remedies[remedy]}, {words}",
        *(
            "{:.3f} ± {:.3f}".format(
                *wide[name, remedy, chosen[name, remedy] if own else 1]
            )
            for name in optimizers
        ),
    ]
    for remedy in remedies
    for own, words in [(False, "one rate for all"), (True, "their own rate")]
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.2), sharex=True)
for axes, name in zip(panels, optimizers, strict=True):
    for colour, (remedy, label) in zip(
        ("C0", "C5"), remedies.items(), strict=True
    ):
        mean, error = np.transpose([loss[name, remedy, m] for m in factors])
        axes.errorbar(
            range(len(factors)), mean, error, color=colour, label=label
        )
    axes.set(title=name, xticks=range(len(factors)))
    axes.set_xticklabels(fraction.values())
    axes.set_xlabel("rate of W_Q, W_K")
panels[0].set_ylabel("loss, nats per byte")
panels[0].legend()
plt.show()

# %% says
assert [last, dims[1]] == [1000, 64], "over 1000 steps; and in heads of 64"
for name in optimizers:
    plain, normed = (
        np.array([loss[name, remedy, m][0] for m in factors])
        for remedy in remedies
    )
    assert np.all(np.diff(plain[:4]) < 0), "a smaller part is better, down to"
    assert plain.argmin() == 3, "is lowest at an eighth"
    assert np.diff(plain)[:2].max() < -0.05, "falls steeply up to a quarter"
    assert plain.min() - normed.min() < 0.01, "down to that of QK-norm"
    assert plain.min() - normed.min() < 0.01, "as low as with a norm"
    assert abs(plain[3] - normed[3]) < 0.02, "and meets that of QK-norm there"
    assert np.ptp(normed) < 0.03, "it hardly matters which part they get"
    assert np.ptp(normed) < np.ptp(plain) / 5, "which is nearly level"
    assert np.ptp(normed) < 0.03, "you may choose any part, and it hardly"
