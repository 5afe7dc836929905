"""What we say of our own runs (own), each with the arm that would refute it."""

# %%
import numpy as np
from ledger import Ledger, case, finding
from samples import mean_and_error, stored

source = "ours"
ledger = Ledger(__file__)

RECALL = (
    "A transformer of two layers with one head each that looks things up, with "
    "Adam"
)
READS = "A decoder of two layers with four heads that reads bytes"
AT_FOUR = (
    f"{READS}, at four times a good rate, with Adam and with Muon: $d = 32$, "
    "300 steps, four seeds that chose nothing."
)
ANNEALED = (
    f"{READS}, at four times a good rate, with Adam and with Muon: $d = 32$, "
    "300 steps, 80 more, and 80 in which all rates fall to 0; four seeds."
)
MISTAKES = (
    f"{READS}, with Adam at two rates: $d = 32$, three seeds, compared seed by "
    "seed with right code at the same rate, after 400 and after 1600 steps."
)
SCORING = ("3", "4", "5", "6")  # seeds that have chosen nothing
DIMS = (16, 64, 256, 1024)
OPTIMIZERS = ("Adam", "Muon")


def column(name, what, seeds=(), **where):
    """Give a column of a table, seed by seed."""
    rows = stored(name, **{key: str(value) for key, value in where.items()})
    rows = [row for row in rows if not seeds or row["seed"] in seeds]
    rows.sort(key=lambda row: int(row["seed"]))
    return np.array([float(row[what]) for row in rows])


# The front page, and the chapter on training


def at_best(setting, divisor, d):
    """Give the last losses of the seeds, at the rate with the lowest mean."""
    where = {"setting": setting, "divisor": divisor, "d": str(d)}
    rows = stored("training/learning.csv", **where)
    last, by_rate = max(int(row["step"]) for row in rows), {}
    for row in rows:
        if int(row["step"]) == last:
            by_rate.setdefault(row["rate"], []).append(float(row["loss"]))
    return np.array(min(by_rate.values(), key=np.mean))


@ledger.ours(
    "own-01",
    "undivided, it takes more than ten times as many steps to get as far",
    says="divided < 0.02 < undivided",
    settled="index.md#learns",
    runs=f"{RECALL}: heads of 64, five seeds each; divided at the best of "
    f"seven "
    "rates, undivided at two small ones.",
    arm="The same undivided model, begun with a smaller $W_Q$ and $W_K$: is "
    "it as slow?",
    otherwise="nothing here needs a *divisor*. The first logits are too "
    "large, whatever line of the code makes them so.",
    needs="queries and keys begin with variance 1",
)
def undivided_is_slow():
    """No. Begun smaller by the fourth root of d each, the worst undivided seed
    is at {= small :.3f } nats after 500 steps. Begun as usual, the best
    undivided seed is at {= undivided :.2f } after 2000, ten times as many as
    after which the worst divided one is at {= divided :.3f }.
    """
    plain = {"setting": "plain", "d": 64, "divisor": "√d", "rate": 0.001}
    plain |= {"step": 200}
    long = {"setting": "5000 steps", "d": 64, "divisor": "none", "step": 2000}
    divided, undivided = (
        np.concatenate([column("training/learning.csv", "loss", **one), two])
        for one, two in (
            (plain, losses("√d", 64, 200)),
            (long, losses("none", 64, 2000)),
        )
    )
    divided, undivided = divided.max(), undivided.min()
    small = at_best("small start", "none", 64).max()
    return finding(
        case(divided=divided, undivided=undivided),
        case(divided=divided, undivided=small, beyond=True, arm=True),
        divided=divided,
        undivided=undivided,
        small=small,
    )


def gradient(what, divisor, d, layer="both", pairs=8):
    """Give what is stored of a gradient at the start, seed by seed."""
    where = {"divisor": divisor, "d": d, "layer": layer, "pairs": pairs}
    return column("training/signal.csv", what, **where)


def one_batch(d, **where):
    """Give a batch's gradient, undivided over ÷ √d, with √d undone."""
    bare, divided = (
        gradient("length", by, d, **where) for by in ("none", "√d")
    )
    return bare / divided / d**0.5


def shared(d, **where):
    """Give what batches share of it, and its error: the root of a mean square.

    The square of a single seed may come out below 0 where it is small.
    """
    square = one_batch(d, **where) ** 2 * gradient("common", "none", d, **where)
    square /= gradient("common", "√d", d, **where)
    mean, error = mean_and_error(square)
    return mean**0.5, error / mean**0.5 / 2


@ledger.ours(
    "own-02",
    "What one batch gives is about as long without the divisor",
    says="0.85 < batch",
    settled="index.md#learns",
    runs=f"{RECALL}, before the first step: heads of 16 to 1024, eight seeds, "
    "the root mean square over batches of 64.",
    arm="Larger heads: a length that falls with $d$. And a single sequence.",
    otherwise="a few sequences make all of the length.",
    needs="the length is a batch's, and not that of a median sequence",
)
def a_batch_is_as_long():
    """Over heads of 16 to 1024 a batch's gradient is {= least :.2f } to
    {= most :.2f } times as long undivided, with the factor √d undone. That of a
    median sequence is {= median[64] :.2f } times as long at 64 and
    {= median[1024] :.1g} at 1024: few sequences make the length, so the other
    explanation is right as well. In rows of up to 65 tokens a batch's is
    {= long :.2f } times as long.
    """
    batch = {d: one_batch(d).mean() for d in DIMS}
    median = {
        d: np.mean(
            gradient("typical", "none", d) / gradient("typical", "√d", d)
        )
        / d**0.5
        for d in (64, 1024)
    }
    return finding(
        *(case(batch=batch[d], arm=d != 64) for d in DIMS),
        *(case(batch=each, beyond=True, arm=True) for each in median.values()),
        least=min(batch.values()),
        most=max(batch.values()),
        median=median,
        long=one_batch(64, pairs=32).mean(),
    )


@ledger.ours(
    "own-03",
    "But what all batches share, and that is what training follows, is only "
    "… as long, and shorter still in larger heads",
    says="larger + 2 * error < smaller",
    settled="index.md#learns",
    runs=f"{RECALL}, before the first step: heads of 16 to 1024, eight seeds, "
    "262,144 sequences each undivided.",
    arm="More sequences, seeds and heads than the first table had, each layer "
    "by itself, and rows of up to 65 tokens: a shared part that does not "
    "fall.",
    otherwise="this is the start of a model whose queries and keys begin with "
    "variance 1. What it is at later steps was followed at one size only.",
)
def what_batches_share():
    """It falls: {= by_d[16] :.2f }, {= by_d[64] :.2f }, {= by_d[256] :.2f } and
    {= by_d[1024] :.3f } of what it is with the divisor at 16, 64, 256 and 1024,
    which is about like one over the root of d. (The first table, with 128
    batches, had said .02 at 256; that was its noise.) In rows of up to 65
    tokens it is {= long :.2f } at 64.
    """
    found = {d: shared(d) for d in DIMS}
    long, error = shared(64, pairs=32)
    layers = [{d: shared(d, layer=layer) for d in DIMS} for layer in "12"]
    pairs = [(64, 16), (256, 64), (1024, 256)]
    cases = [
        case(
            larger=by[large][0],
            smaller=by[small][0],
            error=(by[large][1] ** 2 + by[small][1] ** 2) ** 0.5,
            arm=True,
        )
        for by in (found, *layers)
        for large, small in pairs
    ]
    return finding(
        *cases,
        case(larger=long, smaller=1, error=error, arm=True),
        by_d={d: mean for d, (mean, _) in found.items()},
        long=long,
    )


@ledger.ours(
    "own-04",
    "They do not; they get noisy",
    says="shared > 0.9",
    rather="shared < 0.5",
    settled="index.md#learns",
    runs=f"{RECALL}, before the first step: said of gradients without the "
    "divisor until November 2026.",
    arm="A division: take the noise out, and see whether what is left, the "
    "part that batches share, keeps its length.",
    otherwise="a batch's length is the right measure, since Adam divides by "
    "it.",
)
def noisy_and_no_more():
    """It does not keep it: the noise stays as it was, and what batches share is
    {= found[16] :.2f } of what it is with the divisor at 16 and
    {= found[64] :.2f } at 64. So both were said wrongly: the gradient that
    counts does vanish as heads grow, and in rows this short noise does not
    grow.
    """
    found = {d: shared(d)[0] for d in DIMS}
    cases = [case(shared=found[d], arm=True) for d in DIMS]
    return finding(*cases, found=found)


def losses(divisor, batch, step):
    """Give the losses of both seeds of the runs on noise."""
    where = {"divisor": divisor, "batch": batch, "step": step}
    return column("training/noise.csv", "loss", **where)


@ledger.ours(
    "own-05",
    "So a model whose batches agree on so little is slow",
    says="usual < 0.1 < 2 < small",
    settled="training.md#gradients",
    runs=f"{RECALL}: heads of 64, divided by √d, batches of 2, two seeds.",
    arm="Usual batches at the same low rate: are they as slow?",
    otherwise="batches of 2 see few sequences, and their noise is in all "
    "weights, not in $W_Q$ and $W_K$ alone. One rate was tried.",
    weaker="suggested",
)
def little_agreement_is_slow():
    """They are not: after 500 steps they are at {= usual :.3f } nats or less,
    and batches of 2 at {= small :.1f } or more after 1000.
    """
    usual = column(
        "training/learning.csv",
        "loss",
        setting="plain",
        d=64,
        divisor="√d",
        rate=0.00025,
        step=500,
    ).max()
    small = losses("√d", 2, 1000).min()
    return finding(
        case(usual=usual, small=small, arm=True), usual=usual, small=small
    )


@ledger.ours(
    "own-06",
    "So at this size of head it is the first logits that count, not the place "
    "in the code that makes them small",
    says="small < 1 < large",
    settled="training.md#instead",
    runs=f"{RECALL}: two seeds at the best of four rates, 500 steps.",
    arm="Small first logits without a divisor, and large ones with it; and "
    "the same in larger heads.",
    otherwise="a start that is too large also makes steps short for its size, "
    "and 500 steps may be too few to shrink it.",
    needs="heads have 64 dimensions; in those of 256 the rate counts as well",
)
def first_logits_count():
    """Undivided with a small start the worst seed ends at {= small :.3f }, and
    divided with a large start the best at {= large :.1f }. In heads of 256 the
    small start fails at all but the two lowest rates: at .001 the worst seed
    ends at {= wide :.1f }.
    """
    small = at_best("small start", "none", 64).max()
    large = at_best("large start", "√d", 64).min()
    wide = column(
        "training/learning.csv",
        "loss",
        setting="small start",
        d=256,
        divisor="none",
        rate=0.001,
        step=500,
    ).max()
    return finding(
        case(small=small, large=large, arm=True),
        case(small=wide, large=large, beyond=True, arm=True),
        small=small,
        large=large,
        wide=wide,
    )


def borders(arm, d):
    """Give for each seed the lowest rate at which it did not learn."""
    rows = stored("training/rates.csv", arm=arm, d=str(d))
    failed = {}
    for row in rows:
        if float(row["loss"]) > 1:
            rate = float(row["rate"])
            failed[row["seed"]] = min(rate, failed.get(row["seed"], rate))
    return np.array([failed[seed] for seed in sorted(failed)])


@ledger.ours(
    "own-07",
    "only $W_Q$ and $W_K$ have to take shorter steps in large heads",
    says="others < 0.7 * own",
    settled="training.md#does-the-learning-rate-transfer",
    runs=f"{RECALL}: $d$ = 16, 64 and 256, twelve seeds, rates a factor of √2 "
    "apart, up to 500 steps.",
    arm="The lower rate for all *other* weights, and $W_Q$ and $W_K$ at the "
    "full one: it would do as well.",
    otherwise="with a rate of their own something else may set the border, so "
    "a smaller cut might do.",
)
def only_these_two():
    """It does not: at 256 the median seed fails from {= others :.4f } on, as it
    does with one rate for all ({= plain :.4f }). With the lower rate for $W_Q$
    and $W_K$ it fails from {= own :.3f } on.
    """
    found = {
        name: {d: np.median(borders(arm, d)) for d in (64, 256)}
        for name, arm in {
            "plain": "√d",
            "own": "√d own rate",
            "others": "√d others",
        }.items()
    }
    return finding(
        *(
            case(others=found["others"][d], own=found["own"][d], arm=True)
            for d in (64, 256)
        ),
        **{name: by[256] for name, by in found.items()},
    )


@ledger.ours(
    "own-08",
    "the median over seeds is about the same number of steps in heads of 16, "
    "64 and 256",
    says="abs(steps / narrow - 1) < 0.1",
    settled="training.md#does-the-learning-rate-transfer",
    runs=f"{RECALL}, 1/√d, and for $W_Q$ and $W_K$ a rate lower by √(16/d): "
    "twelve seeds, at .0028.",
    arm="One rate for all weights.",
    otherwise="at other rates it might differ: at .002 and .004 it does not.",
    needs="these two have the lower rate",
)
def as_many_steps():
    """With a rate of their own it takes {= own[16] :.1f }, {= own[64] :.1f }
    and {= own[256] :.1f } steps. With one rate for all it takes {= plain :.0f }
    at 64, and at 256 none of nine seeds learns.
    """

    def median(arm, d, rate):
        where = {"arm": arm, "d": d, "rate": rate}
        steps, loss = (
            column("training/rates.csv", what, **where)
            for what in ("steps", "loss")
        )
        return float(np.median(np.where(loss < 1, steps, 500)))

    arms = {16: "√d", 64: "√d own rate", 256: "√d own rate"}
    by_rate = {
        rate: {d: median(arm, d, rate) for d, arm in arms.items()}
        for rate in (0.002, 0.002828, 0.004)
    }
    own, rate = by_rate[0.002828], 0.002828
    plain = {d: median("√d", d, rate) for d in (64, 256)}
    return finding(
        *(
            case(steps=found[d], narrow=found[16])
            for found in by_rate.values()
            for d in (64, 256)
        ),
        *(
            case(steps=plain[d], narrow=own[16], beyond=True, arm=True)
            for d in (64, 256)
        ),
        own=own,
        plain=plain[64],
    )


def power(how, part):
    """Give the power of d in how far q·k moves in a step, over all heads."""
    rows = stored("training/split.csv", how=how)
    dims = sorted({int(row["d"]) for row in rows})
    moved = [column("training/split.csv", part, how=how, d=d) for d in dims]
    return np.polyfit(np.log(dims), np.log(moved), 1)[0]


@ledger.ours(
    "own-09",
    "So the other weights have a part in what is missing to 1",
    says="all_weights + 2 * error < own",
    settled="training.md#a-small-transformer",
    runs=f"{RECALL}: after 1 and after 10 steps at .001, six seeds, heads of "
    "8 to 512.",
    arm="Only the new $W_Q$ and $W_K$ in the old model: the power would stay "
    "as low.",
    otherwise="what moves through two parts at once belongs to neither.",
    weaker="one rate",
)
def others_have_a_part():
    """It rises, from {= together :.2f } to {= alone :.2f } after one step."""
    cases, shown = [], {}
    for how in ("Adam 1", "Adam 10"):
        own, together = power(how, "own"), power(how, "all")
        _, error = mean_and_error(own - together)
        mean = {"own": own.mean(), "all_weights": together.mean()}
        cases.append(case(error=error, arm=True, **mean))
        shown[how] = mean
    first = shown["Adam 1"]
    return finding(*cases, alone=first["own"], together=first["all_weights"])


# The chapter on trained models


def heads(name, what, **where):
    """Give a column of a table of heads."""
    rows = stored(f"trained/{name}", **where)
    return np.array([float(row[what]) for row in rows])


@ledger.ours(
    "own-10",
    "In the median head the size hardly changes",
    says="abs(re_paired - 1) < 0.05",
    settled="trained.md#where-the-size-comes-from",
    runs="All 72 heads of MiniLM on 220 sentences, and all 270 of SmolLM2 on "
    "110, by one author.",
    arm="A second model, and single heads in place of the median.",
    otherwise="kinds and places are learned too, and a key of another "
    "sentence has them as well; a test that re-pairs cannot see them.",
    needs="the median head is meant",
)
def re_pairing():
    """In the median head the size becomes {= minilm :.3f } times as large in
    MiniLM and {= smollm :.3f } times in SmolLM2. In single heads of SmolLM2 it
    becomes between {= least :.2f } and {= most :.2f } times as large.
    """
    # A head's size over distinct pairs, over that of all pairs.
    minilm = 1 / heads("heads.csv", "pairing")
    smollm = heads("smollm_heads.csv", "re-paired_size")
    smollm = smollm / heads("smollm_heads.csv", "distinct_size")
    median = {"minilm": np.median(minilm), "smollm": np.median(smollm)}
    return finding(
        *(case(re_paired=each, arm=True) for each in median.values()),
        case(re_paired=smollm.min(), beyond=True, arm=True),
        case(re_paired=smollm.max(), beyond=True, arm=True),
        least=smollm.min(),
        most=smollm.max(),
        **median,
    )


@ledger.ours(
    "own-11",
    "in this model too flat does more",
    says="flat > sharp",
    settled="trained.md#another-scale",
    runs="MiniLM: how many of 220 sentences find their paraphrase with $1/d$, "
    "and undivided, which are equally far from its own scale.",
    arm="A second model, by the same factor on either side.",
    otherwise="a vector of a sentence is a mean over tokens, and flat "
    "attention makes all of these alike, which a model that writes text does "
    "not feel.",
    needs="the model is MiniLM",
)
def too_flat_does_more():
    """Of SmolLM2's loss half the scale takes {= half :.2f } nats and twice the
    scale {= twice :.2f }. In MiniLM {= flat :.0%} fail to find their paraphrase
    with $1/d$, and {= sharp :.0%} undivided.
    """
    lost = {
        float(row["times_sqrt_d"]): 1 - float(row["same_meaning"])
        for row in stored("trained/scale.csv")
    }
    flat, sharp = lost[0.1768], lost[5.657]
    cost = {
        float(row["factor"]): float(row["cost"])
        for row in stored("trained/smollm_factors.csv")
    }
    return finding(
        case(flat=flat, sharp=sharp),
        case(flat=lost[0.5], sharp=lost[2.0]),
        case(flat=cost[0.5], sharp=cost[2.0], beyond=True, arm=True),
        flat=flat,
        sharp=sharp,
        half=cost[0.5],
        twice=cost[2.0],
    )


@ledger.ours(
    "own-12",
    "so in these there is likely more than selection",
    says="above > heads_in_all / 2",
    settled="trained.md#selection",
    runs="MiniLM's heads whose rows spread by more than 1.5.",
    arm="A null model with the whole *shape* of a row, or with the head's own "
    "keys at the same places of other sentences. Neither was made.",
    otherwise="a sharp row has a few keys far above the others, and a null "
    "model that has only its spread selects less.",
    weaker="suggested",
)
def more_than_selection():
    """Without it: {= above :.0f } of {= heads_in_all :.0f } lie above the null
    model that we have.
    """
    real, null = (
        heads("terms.csv", "C", pairs=pairs)
        * heads("terms.csv", "size", pairs=pairs) ** 2
        for pairs in ("attended", "null")
    )
    exceeds = real > null
    sharp = heads("heads.csv", "row_sd_content") >= 1.5
    above, count = int(np.sum(exceeds[sharp])), int(sharp.sum())
    return finding(
        case(above=above, heads_in_all=count), above=above, heads_in_all=count
    )


# The chapter on growth


def at_four(what, optimizer, **changed):
    """Give what is stored after 300 steps at four times the rate, by seed."""
    usual = {"d": 32, "remedy": "none", "rate": 4, "slowed": "QK", "m": 1}
    usual |= {"warmup": 0, "last": 300, "step": 300, "optimizer": optimizer}
    return column("growth/own_rate.csv", what, SCORING, **usual | changed)


def harm(optimizer, **changed):
    """Give the loss above that of 1/√d at the good rate, seed by seed."""
    return at_four("loss", optimizer, **changed) - at_four(
        "loss", optimizer, rate=1
    )


def annealed(arm, optimizer, what="loss", step=460, rate=4):
    """Give what is stored of an arm of path.csv, seed by seed."""
    where = {"arm": arm, "optimizer": optimizer, "step": step, "rate": rate}
    return column("growth/path.csv", what, SCORING, **where)


def left_by(arm, optimizer, step=460):
    """Give the harm that an arm leaves, of that of 1/√d alone: mean, error.

    Harm is the loss above that of an eighth from the start, seed by seed.
    """
    mine, plain, best = (
        annealed(each, optimizer, step=step)
        for each in (arm, "plain", "eighth 0")
    )
    mean, error = mean_and_error(mine - best)
    whole = (plain - best).mean()
    return mean / whole, error / whole


def left(arm):
    """Give the harm that an arm leaves in the end, by optimizer."""
    return {name: left_by(arm, name)[0] for name in OPTIMIZERS}


def crossed(optimizer, rate=4):
    """Give the loss above the eighth's of both, of the size and of the way.

    That is of long steps and large logits, of large logits after short steps,
    and of small ones after long steps, seed by seed.
    """
    arms = ("eighth 300", "grown eighth", "shrunk eighth")
    best = annealed("eighth 0", optimizer, rate=rate)
    return [annealed(arm, optimizer, rate=rate) - best for arm in arms]


@ledger.ours(
    "own-13",
    "what went with the harm was less how large the logits were than how far "
    "one step moved them",
    says="size < 0.25 * way",
    rather="size > way > 0.05",
    settled="growth.md#way-or-size",
    runs=f"{AT_FOUR} Read off fifteen measures; the lead of the page until "
    "November 2026.",
    arm="Large logits after short steps, and small ones after long steps; "
    "then the same short steps for all, until all rates are 0.",
    otherwise="long steps and large logits come together, so an order of "
    "measures by either of them looks alike.",
)
def steps_and_not_size():
    """Size alone did {= size_alone['Adam'] :.0%} of the harm of both with Adam
    and {= size_alone['Muon'] :.0%} with Muon, and the way alone
    {= way_alone['Adam'] :.0%} and {= way_alone['Muon'] :.0%}. The effect of
    size is even the larger one. And the step that the sentence spoke of, the
    last one, did nothing: with rates at 0 the harm is as large.
    """
    cases, size_alone, way_alone = [], {}, {}
    for name in OPTIMIZERS:
        both, size, way = crossed(name)
        effects = {
            "size": ((both - way + size) / 2).mean(),
            "way": ((both - size + way) / 2).mean(),
        }
        cases.append(case(arm=True, **effects))
        size_alone[name] = size.mean() / both.mean()
        way_alone[name] = way.mean() / both.mean()
    return finding(*cases, size_alone=size_alone, way_alone=way_alone)


@ledger.ours(
    "own-14",
    "So each by itself does more than half of the harm, and large logits do "
    "more of it than long steps",
    says="way > 0.5 and size > 0.8 and size > way + 0.05",
    settled="growth.md#way-or-size",
    runs=f"{ANNEALED} The same at twice a good rate.",
    arm="Each without the other: the way with small logits, the size after "
    "short steps. One of them would leave no harm, or would at the other rate.",
    otherwise="160 steps are too few to recover from any blow to $W_Q$ and "
    "$W_K$, so that multiplying them by itself does part of the harm.",
    weaker="suggested",
)
def each_is_enough():
    """Neither leaves none. Of the harm of both, at four times the rate, the way
    alone does {= way['Adam 4'] :.0%} and {= way['Muon 4'] :.0%} (Adam, Muon),
    the size alone {= size['Adam 4'] :.0%} and {= size['Muon 4'] :.0%}; at twice
    the rate the way {= way['Adam 2'] :.0%} and {= way['Muon 2'] :.0%}, the size
    {= size['Adam 2'] :.0%} and {= size['Muon 2'] :.0%}.
    """
    way, size = {}, {}
    for name, rate in [(n, r) for n in OPTIMIZERS for r in (4, 2)]:
        of_both, of_size, of_way = (x.mean() for x in crossed(name, rate))
        way[f"{name} {rate}"] = of_way / of_both
        size[f"{name} {rate}"] = of_size / of_both
    cases = [case(way=way[at], size=size[at], arm=True) for at in way]
    return finding(*cases, way=way, size=size)


@ledger.ours(
    "own-15",
    "A lower rate for $W_Q$ and $W_K$ from the first step on, which bounds "
    "nothing, avoided all of it",
    says="eighth < 2 * error",
    settled="growth.md#bound-or-step",
    runs=AT_FOUR,
    arm="The same lower rate, but later: from step 300 on.",
    otherwise="the eighth was chosen for this rate, and the bounds were not.",
    needs="it begins with the run; the rate is four times a good one",
)
def an_eighth_from_the_start():
    """From the start the eighth's loss is even lower than that of the good
    rate, by {= below['Adam'] :.3f } with Adam and {= below['Muon'] :.3f } with
    Muon. From step 300 on it leaves {= late['Adam'] :.0%} and
    {= late['Muon'] :.0%} of the harm.
    """
    cases, below, late = [], {}, {}
    for name in OPTIMIZERS:
        mean, error = mean_and_error(harm(name, m=0.125))
        cases.append(case(eighth=mean, error=error))
        below[name] = -mean
        late[name], error = left_by("eighth 300", name)
        cases.append(
            case(eighth=late[name], error=error, beyond=True, arm=True)
        )
    return finding(*cases, below=below, late=late)


@ledger.ours(
    "own-16",
    "a quarter of the rate for $W_V$ and $W_O$ leaves nearly all of the harm",
    says="left > 0.8",
    weaker="one rate",
    settled="growth.md#bound-or-step",
    runs=AT_FOUR,
    arm="This is the arm that would have refuted “it is $W_Q$ and $W_K$ whose "
    "rate counts”, with two more: the ReLU layers, and all but these two.",
    otherwise="the eighth that helps is half of that quarter. An eighth for "
    "the others was not tried.",
)
def other_matrices():
    """A quarter for $W_V$ and $W_O$ leaves {= VO['Adam'] :.0%} and
    {= VO['Muon'] :.0%} of the harm, for the ReLU layers {= ReLU['Adam'] :.0%}
    and {= ReLU['Muon'] :.0%}, for all but $W_Q$ and $W_K$ {= rest['Adam'] :.0%}
    and {= rest['Muon'] :.0%} (Adam, Muon).
    """
    arms = {
        "VO": {"slowed": "VO", "m": 0.25},
        "ReLU": {"slowed": "ReLU", "m": 0.25},
        "rest": {"rate": 1, "m": 4},
    }
    left = {
        arm: {
            name: harm(name, **changed).mean() / harm(name).mean()
            for name in OPTIMIZERS
        }
        for arm, changed in arms.items()
    }
    cases = [
        case(left=each, arm=True)
        for by in left.values()
        for each in by.values()
    ]
    return finding(*cases, **left)


@ledger.ours(
    "own-17",
    "A warm-up did nothing good",
    says="left > 0.9",
    settled="growth.md#first",
    runs=f"{AT_FOUR} A warm-up of 100 steps.",
    arm="A warm-up at a rate that is good later and too high at first, or a "
    "longer one: neither was made.",
    otherwise="a warm-up is for another accident than this one.",
    weaker="suggested",
)
def warm_up():
    """With one of a hundred steps {= left['Adam'] :.0%} of the harm is left
    with Adam, and {= left['Muon'] :.0%} with Muon.
    """
    left = {
        name: harm(name, warmup=100).mean() / harm(name).mean()
        for name in OPTIMIZERS
    }
    return finding(*(case(left=each) for each in left.values()), left=left)


@ledger.ours(
    "own-18",
    "A part of the harm may be no more than the shaking of the last steps",
    says="annealed < 0.75 * before",
    rather="annealed > 0.9 * before",
    settled="growth.md#bound-or-step",
    runs=f"{ANNEALED} Said of the harm of a rate that stays high to the end.",
    arm="Let all rates fall to 0 in the last 80 steps.",
    otherwise="80 steps are a short anneal.",
)
def shaking():
    """The loss above that of the eighth was {= before['Adam'] :.2f } with Adam
    and {= before['Muon'] :.2f } with Muon at step 380, before the rates fall.
    At the end, with all rates at 0, it is {= after['Adam'] :.2f } and
    {= after['Muon'] :.2f }.
    """
    before, after = (
        {
            name: (
                annealed("plain", name, step=step)
                - annealed("eighth 0", name, step=step)
            ).mean()
            for name in OPTIMIZERS
        }
        for step in (380, 460)
    )
    cases = [
        case(before=before[n], annealed=after[n], arm=True) for n in OPTIMIZERS
    ]
    return finding(*cases, before=before, after=after)


CLIPS = ("clip 20", "clip 14", "clip 9", "clip 6")


@ledger.ours(
    "own-19",
    "a bound alone did not",
    says="harm > 2 * error",
    rather="harm < 2 * error",
    settled="growth.md#way-or-size",
    runs=f"{AT_FOUR} Said of a clip at 20, beside a norm that undid all of "
    "the harm, until November 2026.",
    arm="Tighter clips, at 9 and 6, since the eighth was chosen and 20 was "
    "not; and each optimizer by itself.",
    otherwise="harm is what is lost beside the good rate. Beside the eighth, "
    "which even gains, a clip leaves some with Muon too.",
)
def a_bound_alone():
    """With Muon a clip at 9 or 6 brings the loss back to that of the good rate:
    {= nine :z.3f } and {= six :z.3f } are left, no more than two errors. With
    Adam the tightest leaves {= adam :.0%} of the harm, and there the sentence
    is right. (Beside the eighth, in the end, clips leave {= least['Muon'] :.0%}
    to {= most['Muon'] :.0%} with Muon, and {= least['Adam'] :.0%} to
    {= most['Adam'] :.0%} with Adam.)
    """

    def beside_the_good_rate(clip, name):
        good = at_four("loss", name, rate=1)
        return annealed(clip, name, step=300) - good

    nine, six = (
        mean_and_error(beside_the_good_rate(clip, "Muon"))
        for clip in ("clip 9", "clip 6")
    )
    left = {
        name: [left_by(clip, name)[0] for clip in CLIPS] for name in OPTIMIZERS
    }
    least, most = (
        {name: end(by) for name, by in left.items()} for end in (min, max)
    )
    return finding(
        *(
            case(harm=mean, error=error, arm=True)
            for mean, error in (nine, six)
        ),
        nine=nine[0],
        six=six[0],
        adam=min(
            beside_the_good_rate(clip, "Adam").mean() / harm("Adam").mean()
            for clip in CLIPS
        ),
        least=least,
        most=most,
    )


@ledger.ours(
    "own-20",
    "A bound helped if it held the *weights*",
    says="clip < 0.6 < cap",
    settled="growth.md#way-or-size",
    runs=ANNEALED,
    arm="A soft cap as tight as a norm, which bounds what softmax sees and "
    "leaves the weights alone: it would help as much.",
    otherwise="behind a cap the tanh is flat, so little gradient comes back "
    "through it, and that may be what costs.",
    weaker="one rate",
)
def bounds_on_weights():
    """It does not: at 5.7 it leaves {= cap['Adam'] :.0%} of the harm with Adam
    and {= cap['Muon'] :.0%} with Muon, and no clip leaves more than
    {= clip['Adam'] :.0%} and {= clip['Muon'] :.0%}.
    """
    clip = {n: max(left_by(c, n)[0] for c in CLIPS) for n in OPTIMIZERS}
    cap = left("cap 5.7")
    cases = [case(clip=clip[n], cap=cap[n], arm=True) for n in OPTIMIZERS]
    return finding(*cases, clip=clip, cap=cap)


@ledger.ours(
    "own-21",
    "It does not work, and it is worth seeing why",
    says="left > 0.5",
    rather="left < 0.25",
    settled="growth.md#divisor",
    runs=f"{ANNEALED} Said of a larger divisor until November 2026.",
    arm="Divide by 64√d from the start.",
    otherwise="460 steps are few: weights that grow undo any divisor later.",
)
def divide_by_more():
    """It left {= left['Adam'] :.0%} of the harm with Adam and
    {= left['Muon'] :.0%} with Muon, since by Adam's steps it *is* a lower rate
    from a smaller start. What it does not do is to hold a logit.
    """
    found = left("divided 64")
    return finding(
        *(case(left=each, arm=True) for each in found.values()), left=found
    )


@ledger.ours(
    "own-22",
    "Clipping the gradients did nothing either",
    says="left > 0.9",
    settled="growth.md#first",
    runs=ANNEALED,
    arm="Gradients clipped at length 1, with both optimizers: until November "
    "2026 this had not been tried.",
    otherwise="a clip guards against the single large gradient, and there was "
    "none.",
    weaker="one rate",
)
def clipped_gradients():
    """It left {= left['Adam'] :.0%} of the harm with Adam and
    {= left['Muon'] :.0%} with Muon.
    """
    found = left("gradients 1")
    return finding(
        *(case(left=each, arm=True) for each in found.values()), left=found
    )


@ledger.ours(
    "own-23",
    "which is the larger part of the growth",
    says="longer > 0.5",
    settled="growth.md#what-grows",
    runs=f"{READS}, with Adam and with Muon at two rates: $d = 32$, 1000 "
    "steps, three seeds.",
    arm="The other rate.",
    otherwise="that tokens come to lie where weights lengthen them is a "
    "turning of tokens. Counted as such, most of Adam's growth is turning.",
)
def lengthening():
    """At the first rate {= found['Adam 1'] :.0%} of the growth of the spread,
    on a log scale, is lengthening with Adam and {= found['Muon 1'] :.0%} with
    Muon; at half of it {= found['Adam 0.5'] :.0%} and
    {= found['Muon 0.5'] :.0%}.
    """
    found = {}
    for name, rate in [(n, r) for r in (1, 0.5) for n in OPTIMIZERS]:
        where = {"d": 32, "remedy": "none", "optimizer": name, "rate": rate}
        grown = {
            what: np.log(
                column("growth/factors.csv", what, step=1000, **where)
                / column("growth/factors.csv", what, step=0, **where)
            ).mean()
            for what in ("lengths", "alignment")
        }
        found[f"{name} {rate:g}"] = grown["lengths"] / sum(grown.values())
    cases = [case(longer=each, arm="0.5" in at) for at, each in found.items()]
    return finding(*cases, found=found)


# The chapter on mistakes


def loss(trained, run, step, rate=""):
    """Give the loss of weights in a code, seed by seed.

    At the first learning rate, or at a quarter of it: " slowly".
    """
    where = {"trained": trained + rate, "run": run, "step": step}
    return column("mistakes/matrix.csv", "loss", **where)


RATES = ("", " slowly")


def behind(code, step, rate):
    """Give how far a code that trains is behind right code: mean, error."""
    own = loss(code, code, step, rate)
    return mean_and_error(own - loss("right", "right", step, rate))


@ledger.ours(
    "own-24",
    "*Trained* with a scale that is too large, a model learned worse at both "
    "rates that we tried",
    says="behind > 2 * error",
    settled="mistakes.md#trained-or-loaded",
    runs=MISTAKES,
    arm="A quarter of the learning rate: it would learn as well.",
    otherwise="scales between 1 and 2.8 times right were tried for 400 steps "
    "at the higher rate alone, and from a start of twice the spread [another "
    "model](training.md#instead) learned.",
)
def too_large():
    """After 1600 steps no scale is behind by {= none[''] :.2f } and, at a
    quarter of the rate, by {= none[' slowly'] :.2f }; the root of the number of
    heads by {= roots[''] :.2f } and {= roots[' slowly'] :.2f }.
    """
    cases, found = [], {"missing": {}, "heads": {}}
    for code, by in found.items():
        for step, rate in [(s, r) for s in (400, 1600) for r in RATES]:
            by[rate], error = behind(code, step, rate)
            cases.append(case(behind=by[rate], error=error, arm=bool(rate)))
    return finding(*cases, none=found["missing"], roots=found["heads"])


@ledger.ours(
    "own-25",
    "With one that is too small it lost nothing at the higher rate, and "
    "something at a quarter of it",
    says="(behind > 2 * error) == slow",
    settled="mistakes.md#trained-or-loaded",
    runs=MISTAKES,
    arm="A quarter of the learning rate: it would lose nothing there, too.",
    otherwise="a small scale is a lower rate for $W_Q$, exactly, so this says "
    "that the first rate was high for $W_Q$.",
)
def too_small():
    """After 1600 steps a model that scales twice is behind by
    {= twice[''] :.3f } and, at a quarter of the rate, by
    {= twice[' slowly'] :.3f }; the root of the width by {= width[''] :.3f } and
    {= width[' slowly'] :.3f }.
    """
    cases, found = [], {"twice": {}, "width": {}}
    for code, by in found.items():
        for rate in RATES:
            by[rate], error = behind(code, 1600, rate)
            slow = bool(rate)
            cases.append(
                case(behind=by[rate], error=error, slow=slow, arm=slow)
            )
    return finding(*cases, **found)


@ledger.ours(
    "own-26",
    "training forgives a scale that is too small, and not one that is too "
    "large",
    says="behind < 2 * error",
    rather="behind > 2 * error",
    settled="mistakes.md#trained-or-loaded",
    runs=f"{MISTAKES} A lead of the page until November 2026, read off the "
    "higher rate.",
    arm="A quarter of that rate: is a scale that is too small forgiven there?",
    otherwise="the lower rate just needs more steps, and then makes up for it.",
)
def forgives():
    """It is not: after 1600 steps scaling twice is behind by {= twice :.3f }
    and the root of the width by {= width :.3f }.
    """
    found = {code: behind(code, 1600, " slowly") for code in ("twice", "width")}
    cases = [case(behind=m, error=e, arm=True) for m, e in found.values()]
    return finding(*cases, **{code: mean for code, (mean, _) in found.items()})


def line_alone(code, step, rate):
    """Give what mending the line without the weights costs: mean, error."""
    own, right = (loss(code, run, step, rate) for run in (code, "right"))
    return mean_and_error(right - own)


@ledger.ours(
    "own-27",
    "trained weights do worse, even if that scale is right",
    says="costs > 0",
    rather="costs < 0",
    settled="mistakes.md#trained-or-loaded",
    runs=f"{MISTAKES} A lead of the page until November 2026.",
    arm="The page's own table, read row by row: weights of a scale that was "
    "too *large*, at the higher rate.",
    otherwise="these weights are so sharp that hardly anything could make "
    "them worse.",
)
def even_if_right():
    """Weights of no scale lose {= none :.4f } less in right code than in their
    own after 1600 steps, those of the root of the number of heads
    {= roots :.4f } less. (At a quarter of the rate they lose more, as weights
    of scales that are too small do at both.)
    """
    found = {c: line_alone(c, 1600, "")[0] for c in ("missing", "heads")}
    return finding(
        *(case(costs=each, arm=True) for each in found.values()),
        none=-found["missing"],
        roots=-found["heads"],
    )


@ledger.ours(
    "own-28",
    "The code is right now, and the loss goes up, where the old scale was too "
    "small",
    says="costs > 2 * error",
    settled="mistakes.md#trained-or-loaded",
    runs=MISTAKES,
    arm="Weights of a scale that was too large; and a quarter of the rate.",
    otherwise="any change of temperature would do as much harm.",
    needs="the old scale was too small",
)
def mending_the_line_alone():
    """After 1600 steps mending the line alone costs weights that scaled twice
    {= small[''] :.3f } and, at a quarter of the rate,
    {= small[' slowly'] :.3f }. It costs weights of no scale {= large[''] :.3f }
    and {= large[' slowly'] :.3f }.
    """
    cases, small, large = [], {}, {}
    for step, rate in [(s, r) for s in (400, 1600) for r in RATES]:
        for code in ("twice", "width"):
            mean, error = line_alone(code, step, rate)
            cases.append(case(costs=mean, error=error, arm=bool(rate)))
            if code == "twice":
                small[rate] = mean
        large[rate], _ = line_alone("missing", step, rate)
    mean, error = line_alone("missing", 1600, "")
    cases.append(case(costs=mean, error=error, beyond=True, arm=True))
    return finding(*cases, small=small, large=large)


@ledger.ours(
    "own-29",
    "Longer training makes loading dearer, not cheaper, at either rate and on "
    "either side",
    says="early < late",
    settled="mistakes.md#trained-or-loaded",
    runs=MISTAKES,
    arm="The sharp side, where trained rows are sharp already; and a quarter "
    "of the rate.",
    otherwise="two moments, 400 and 1600 steps, are no curve.",
)
def dearer():
    """Right weights in code without a scale lose {= none[''][0] :.3f } and then
    {= none[''][1] :.3f }, and at a quarter of the rate
    {= none[' slowly'][0] :.3f } and {= none[' slowly'][1] :.3f }; in code that
    scales twice {= twice[''][0] :.2f } and {= twice[''][1] :.2f },
    {= twice[' slowly'][0] :.2f } and {= twice[' slowly'][1] :.2f }.
    """
    found = {
        (code, rate): [
            (
                loss("right", code, step, rate)
                - loss("right", "right", step, rate)
            ).mean()
            for step in (400, 1600)
        ]
        for code in ("missing", "heads", "width", "twice")
        for rate in RATES
    }
    cases = [
        case(
            early=early,
            late=late,
            arm=bool(rate) or code in ("missing", "heads"),
        )
        for (code, rate), (early, late) in found.items()
    ]
    none, twice = (
        {rate: found[code, rate] for rate in RATES}
        for code in ("missing", "twice")
    )
    return finding(*cases, none=none, twice=twice)


@ledger.ours(
    "own-30",
    "They are worse there than right code, because what they have learned is "
    "to "
    "look ahead",
    says="right + 0.1 < honest and lost < right_lost",
    settled="mistakes.md#leaks",
    runs=f"{READS}, with Adam: $d = 32$, three seeds, 400 steps; softmax over "
    "queries, and a mask of 1e−9.",
    arm="The same places within a longer text, where there is something to "
    "look ahead at: they would be as bad.",
    otherwise="400 steps at one rate.",
    weaker="one rate",
)
def look_ahead():
    """They are not: there softmax over queries loses {= shown['queries'] :.2f }
    and the mask {= shown['1e−9'] :.2f }, and as the last places of a text
    {= honest['queries'] :.2f } and {= honest['1e−9'] :.2f }. Right code loses
    {= honest['right'] :.2f } in both.
    """
    codes = ("right", "queries", "1e−9")
    found = {
        what: {
            code: column(
                "mistakes/runs.csv", what, trained=code, step=400
            ).mean()
            for code in codes
        }
        for what in ("loss", "shown", "honest")
    }
    cases = [
        case(
            right=found["honest"]["right"],
            honest=found["honest"][code],
            lost=found["shown"][code],
            right_lost=found["shown"]["right"],
            arm=True,
        )
        for code in codes[1:]
    ]
    return finding(*cases, shown=found["shown"], honest=found["honest"])


@ledger.ours(
    "own-31",
    "a factor of two cost the one real model that we tried more than a third "
    "of "
    "a nat in every token",
    says="cost > 1 / 3",
    settled="mistakes.md#cost",
    runs="SmolLM2 with 135 million parameters, rounded to four bits, on 40 "
    "sentences of ours.",
    arm="Another model: the decoder that we trained ourselves, at the same "
    "factors.",
    otherwise="rounding to four bits may make a model less forgiving.",
    needs="the model is SmolLM2",
)
def a_factor_of_two():
    """Our decoder loses {= half :.2f } at half its scale and {= twice :.2f } at
    twice.
    """
    real = {
        float(row["factor"]): float(row["cost"])
        for row in stored("trained/smollm_factors.csv")
    }
    where = {"trained": "right", "step": 1600}
    ours = {
        factor: (
            column("mistakes/factors.csv", "loss", factor=factor, **where)
            - column("mistakes/factors.csv", "loss", factor="1", **where)
        ).mean()
        for factor in ("0.5", "2")
    }
    return finding(
        case(cost=real[0.5]),
        case(cost=real[2.0]),
        *(case(cost=each, beyond=True, arm=True) for each in ours.values()),
        half=ours["0.5"],
        twice=ours["2"],
    )


claims = ledger.judge()
words = ["holds", "holds if", "one rate", "suggested", "refuted"]
count = {
    word: sum(claim["verdict"] == word for claim in claims.values())
    for word in words
}
total = len(claims)
weak = count["one rate"] + count["suggested"]
