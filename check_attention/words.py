"""What is said: every verdict with its section of the site, and what counts as a fault."""

__version__ = "5.0"
SITE = ""  # the address of the site that this file comes from
CLOSE = 0.02  # two scales that differ by less are the same: bf16 has 8 binary digits
LOW = -1e3  # what is put in place of a logit to leave a key out is below this
FLAT = 0.95  # this share of the keys: e^(−σ²) is there at σ = 0.23, nn.Linear starts at 0.33


class CheckError(ValueError):
    """What was given cannot be checked; says why in a sentence."""


ROOT = "scales/#which-dimension-goes-under-the-root"
HOLD = "scales/#what-to-hold-constant"
BLIND = "your-model/#what-it-cannot-see"
SEEN = "your-model/#verdicts"
# A verdict, the section that explains it, and the words. They may use the fields of a row.
SCALES = {
    "root": ("variance/#from-the-variance-to-the-divisor", "Scale 1/√d, as expected"),
    "stated": (SEEN, "Scale as stated: {scale:.3g}, by {source}"),
    "summed": (
        SEEN,
        "Scale 1/√({summands}·{d}), for {summands} products that are added: a sum of them has "
        "{summands} times the variance of one",
    ),
    "absorbed": (
        SEEN,
        "No divisor, and the weights make up for it: {short} is {ratio:.3g} times shorter than "
        "{long}, as if divided by √d = {root:.3g}",
    ),
    "carried": (
        HOLD,
        "Scaled by weights, too: q·k is divided by √d, and {short} is {ratio:.3g} times shorter "
        "than {long}, as if its weights, or what they are given, were divided by √d = {root:.3g}",
    ),
    "beside": (
        HOLD,
        "A temperature, and 1/√d besides: q and k are brought to length 1 and multiplied by a "
        "number, and their product is divided by √d = {root:.3g} again. Give SDPA scale=1.0",
    ),
    "unused": (
        SEEN,
        "A scale that nothing uses: {unused} is a parameter of the module, and no function was "
        "given it",
    ),
    "contrary": (
        SEEN,
        "Not the scale that is stated: {scale:.3g}, where {source} says {stated:.3g}",
    ),
    "no cap": (
        HOLD,
        "Cap left out: {cap_source} says {cap:.3g}, and no logit was capped",
    ),
    "cap first": (
        HOLD,
        "Cap before the scale: scores are capped, and divided by √d = {root:.3g} behind it, so "
        "that the cap is {cap_used:.3g} in the end. Scale first",
    ),
    "other cap": (
        HOLD,
        "Another cap than is stated: logits are capped at {cap_used:.3g}, and {cap_source} says "
        "{cap:.3g}",
    ),
    "bias divided": (
        SEEN,
        "Bias divided too: what is added to q·k was scaled with it. Add it after the scale",
    ),
    "bias twice": (
        SEEN,
        "Bias counted {bias_times:.3g} times: what is added to q·k should be added once",
    ),
    "bias sign": (
        SEEN,
        "Bias of the wrong sign: it grows with the distance, so that far keys are preferred",
    ),
    "bias differs": (
        SEEN,
        "Another bias than in the other layers: {bias_times:.3g} times as much is added to q·k",
    ),
    "after": (
        HOLD,
        "Scaled after softmax: its weights, and not the scores, are multiplied by {after:.3g}",
    ),
    "forgotten": (
        "scales/#t5-which-has-no-divisor",
        "Scale forgotten: scores are not divided, so they are √d = {root:.3g} times as large as "
        "with 1/√d. Right only if the weights or a norm make up for it",
    ),
    "width": (
        ROOT,
        "Wrong root: divided by √{wide}, the {width_of}, and not by √{d}, that of one head",
    ),
    "number": (
        ROOT,
        "Root of the number of heads: divided by √{said_heads}, and not by √{d}, the size of one",
    ),
    "padded": (
        ROOT,
        "A root for padded heads: divided by √{whole}, where {padded} of the {whole} coordinates "
        "are zeros and {d} are not",
    ),
    "tokens": (
        ROOT,
        "Root of the number of tokens: divided by √{length}, and not by √{d}, the size of a head",
    ),
    "floor": (ROOT, "A root that was rounded: divided by {floor}, and √{d} is {root:.3g}"),
    "twice": (
        HOLD,
        "Scaled twice: divided by √d in two places, so that logits are {root:.3g} times too small",
    ),
    "precedence": (
        HOLD,
        "Divided by {over:.3g}, as d ** 1/2 does: it is (d ** 1)/2 in Python. Write d ** 0.5 or "
        "math.sqrt(d)",
    ),
    "values": (
        ROOT,
        "Root of the size of values: divided by √{v_size}, and q and k have d = {d}",
    ),
    "squared": (
        HOLD,
        "Square in place of a root: divided by {squared}, as d ** -2 does. Write d ** -0.5",
    ),
    "bounded": (
        HOLD,
        "Cap not multiplied back: logits are bounded by 1, and q·k counts {scale:.3g} times where "
        "it is small",
    ),
    "half": (
        ROOT,
        "Root of half a head: divided by √{halved}, and heads have d = {d}",
    ),
    "thrice": (
        ROOT,
        "Root of three heads: divided by √{tripled}, the size of q, k and v together, and not by "
        "√{d}",
    ),
    "zero": (HOLD, "Scale 0: all scores come to 0, so that all keys get the same weight"),
    "negative": (
        HOLD,
        "Scale negative: {scale:.3g}, so that the keys that fit least get the most weight",
    ),
    "by d": (
        "training/#why-8-over-d",
        "Divided by d = {d}: μP's rule without its 8, or 1/√d applied twice",
    ),
    "reversed": (
        HOLD,
        "Scale reversed: multiplied by √d where it should be divided, so that logits are d = {d} "
        "times too large",
    ),
    "fourth root": (
        HOLD,
        "One fourth root only: divided by d^¼ = {fourth:.3g}. Either q and k both get one, or "
        "q·k gets 1/√d",
    ),
    "log2": (
        HOLD,
        "log₂e too much: 1.44 times 1/√d, which is right before exp2 and wrong before softmax",
    ),
    "8/d": (
        "scales/#eight-over-d",
        "Scale 8/d, as in μP, and nothing states it. If it is meant, say --scale {scale:.4g}",
    ),
    "other head": (ROOT, "A scale for heads of {fits:.0f}: these have d = {d}"),
    "cosine": (
        "scales/#cosine-bounded-and-therefore-blunt",
        "Cosine: q and k are brought to length 1, and the factor is {scale:.3g}. √d = {root:.3g} "
        "gives random directions a spread of 1",
    ),
    "blunt": (
        "scales/#cosine-bounded-and-therefore-blunt",
        "No temperature: q and k are brought to length 1, and q·k is multiplied by only "
        "{scale:.3g}, so that logits lie within ±{scale:.3g} and all keys share evenly. √d = "
        "{root:.3g} gives random directions a spread of 1",
    ),
    "other": (HOLD, "Scale {scale:.3g}, {times:.3g} times 1/√d"),
    "channels": (
        BLIND,
        "Attention over channels: q·k sums over tokens, so 1/√d is no yardstick",
    ),
    "unknown": (BLIND, "Its q and k were not seen, so nothing about the scale"),
}
SOFTMAX = {
    "nan": (SEEN, "Not finite: {broken}. The other numbers leave out such rows"),
    "frozen": (
        "saturation/#why-there-a-phase-transition",
        "Frozen: a few keys take nearly all. {sharing:.3g} take part, fewer than the "
        "{freezes:.2g} of random logits that are just too large. A trained head may mean it, or "
        "rest on one key; before training nothing is learned yet, so that chance chooses the keys",
    ),
    "bias": (
        SEEN,
        "Local by its bias: what is added to q·k, and not q·k, gives a few keys nearly all",
    ),
    "flat": (
        "scales/#what-softmax-does-with-them",
        "Flat: more than 95 % of the keys take part, close to an average",
    ),
    "no tokens": (BLIND, "Its softmax shares channels out, and says nothing of tokens"),
    "between": ("saturation/#how-saturated-is-it-really", "Neither frozen nor flat"),
    "unseen": (BLIND, "No row had two keys or more"),
}
LAYOUT = {
    "exchanged": (
        SEEN,
        "Heads and tokens exchanged: {heads} heads of {positions} tokens were found, where the "
        "module has {said} heads. It looks as if a transpose(1, 2) were forgotten",
    ),
    "cut": (
        SEEN,
        "Tokens cut into heads: {layout_detail}",
    ),
    "grouped": (SEEN, "Heads get another head's values: {layout_detail}"),
    "repeated": (SEEN, "Keys stand there several times: {layout_detail}"),
    "other number": (
        SEEN,
        "Unexpected number of heads: {heads} seen, and the module says {said}. The numbers are of "
        "those seen",
    ),
}
AXES = {
    "queries": (
        SEEN,
        "Softmax over queries: the weights of a key, and not those of a query, sum to 1. The "
        "product with v sums over another axis; softmax has to run over that one",
    ),
    "heads": (
        SEEN,
        "Softmax over heads: the heads share a weight out between them, and a query's weights do "
        "not sum to 1",
    ),
    "batch": (
        SEEN,
        "Softmax over the batch: sequences share a weight out between them, and a query's weights "
        "do not sum to 1",
    ),
    "one": (
        SEEN,
        "Softmax over an axis of length 1: every weight is 1. The product with v sums over another "
        "axis, and softmax has to run over that one",
    ),
    "more": (SEEN, "Softmax over more than the keys: {axis_detail}"),
    "crossed": (SEEN, "Weights meet the wrong axis of v: {axis_detail}"),
    "pieces": (
        SEEN,
        "Softmax over pieces of the keys: each piece has a softmax of its own, and the results "
        "were added, so that a query's weights sum to more than 1",
    ),
    "shifted": (
        SEEN,
        "Pieces of a row that do not fit: another maximum is subtracted from each before exp, and "
        "what was summed before is not multiplied by exp(old − new)",
    ),
    "logarithms": (
        SEEN,
        "Logarithms in place of weights: v meets what log_softmax gives. Take softmax",
    ),
    "sequences": (SEEN, "Attention across sequences: {axis_detail}"),
}
MASKS = {
    "inverted": (
        SEEN,
        "Mask inverted: {mask_detail}",
    ),
    "later": (SEEN, "Later keys take part: {mask_detail}"),
    "strict": (
        SEEN,
        "A query's own key is masked: its causal mask begins one place too early. {mask_detail}",
    ),
    "corner": (SEEN, "Causal mask in the wrong corner: {mask_detail}"),
    "fails": (SEEN, "Mask without effect: {mask_detail}"),
    "border": (SEEN, "Documents begin in the wrong place: {mask_detail}"),
    "zeros": (
        SEEN,
        "Zero keys take part: {mask_detail}",
    ),
    "dropout": (SEEN, "Dropout in the wrong place: {mask_detail}"),
}
# No fault, as far as one can know; what was not understood is a fault of its own.
RIGHT = ("root", "stated", "summed", "absorbed", "cosine", "channels", "unknown")
# What --fail-on may name, and what that means.
KINDS = {
    "scale": "a scale, a cap or a bias that is wrong",
    "nan": "logits or weights that are not finite, rows without a key",
    "heads": "heads and tokens exchanged",
    "axis": "softmax over another axis than the product with v sums over",
    "mask": "a mask that is inverted or has no effect, zero or later keys that take part, dropout "
    "in eval() or before softmax",
    "unknown": "attention that was not understood",
    "frozen": "a few keys take nearly all",
    "flat": "all keys get about the same",
}
NEVER_MEANT = ("scale", "nan", "heads", "axis", "mask", "unknown")  # what makes a report not ok
