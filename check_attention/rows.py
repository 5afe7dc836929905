"""What one head did, and what is said of it."""

import math
from dataclasses import dataclass, field
from typing import Any

from check_attention.words import AXES, CLOSE, FLAT, LAYOUT, MASKS, RIGHT, SCALES, SITE, SOFTMAX

CARRIED = 0.12  # by how much lengths differ in a small model, from its random weights
BY_CHANCE = ("half", "thrice", "precedence", "tokens", "log2")  # what a stated 8/d may be, too


@dataclass(kw_only=True)
class OfLayer:
    """What is alike in all heads of a layer: its shape, its factors, its mask, and its module."""

    # Its shape
    d: int  # size of the head, without padded zeros; 0 if it is not known
    width: int  # size of all heads together
    heads: int  # that were found
    said: int  # heads that the module says it has; 0 if it says nothing
    q_width: int = 0  # of what the layer that makes q multiplies
    v_size: int = 0  # of a value
    padded: int = 0  # coordinates that are zeros in all q or all k
    latent: int = 0  # the size of a head before each head brought its q to that of shared keys
    length: int = 0  # keys of a whole row, masked or not
    positions: int = 0  # rows of a whole sequence
    # By what q·k is multiplied, and what is stated of that
    stated: float  # what it should be by the configuration, the module, or by what was asked for
    source: str  # who states that
    places: int = 0  # in how many places q·k was multiplied
    factors: list[float] = field(default_factory=list)  # after the product, on q, on k
    steps: list[float] = field(default_factory=list)  # those after the product, each by itself
    input_ratio: float = 1.0  # of factors on what the layers of q and k are given
    after: float = 1.0  # what the weights were multiplied by after softmax
    by_length: float = math.nan  # 1 if another length had another scale, 0 if it had the same
    says: list[tuple[str, float]] = field(default_factory=list)  # the module's own attributes
    unused: str = ""  # a parameter by the name of a scale that nothing was given
    is_mup: bool = False  # the module or its configuration says so
    # What softmax is given beside
    summands: int = 1  # products whose sum softmax is given
    is_mixed: bool = False  # the logits of all heads were mixed before softmax
    is_handed_on: bool = False  # scores of a layer before are added
    cap: float = 0.0  # that is stated
    cap_source: str = ""
    cap_used: float = 0.0  # that was seen
    is_capped: bool = False
    is_cap_first: bool = False  # what was capped is divided by √d
    bias_times: float = 1.0
    is_other_bias: bool = False  # than the other layers of its kind have
    # Of what q and k are made
    is_crossed: bool = False  # q and k are made of different tokens
    is_unit: bool = False  # q and k were divided by their lengths
    is_normed: bool = False  # q and k were, or a norm of a layer came before them
    is_learned: bool = False  # one of the two is a parameter
    # Whether axes and masks are as they should be
    is_over_channels: bool = False  # rows and keys are channels, and d is a number of tokens
    rows_are_heads: bool = False  # rows and keys are heads, and tokens stand where heads should
    axis_verdict: str = ""
    axis_detail: str = ""
    layout_fault: str = ""  # that was seen in the axes
    layout_detail: str = ""
    later: float = math.nan  # share of the rows that may see a later key
    mask_verdict: str = ""
    mask_detail: str = ""
    # What came out, and where it stands
    cause: str = ""  # of NaN that does not come from logits
    output: float = math.nan  # root mean square of what came out
    digest: float = math.nan  # a number that tells it from what came out of another model
    lines: dict[str, str] = field(default_factory=dict)  # where in the code: file:line


@dataclass(kw_only=True)
class OfHead:
    """What was measured of one head; lengths are relative to √d: 1 is a vector of variance 1.

    Of every row of logits only the keys that its mask allows count, and of rows only those with two
    keys or more. Spread is the standard deviation within a row.
    """

    layer: str
    head: int
    rows: int  # rows of logits that were looked at
    keys: float  # that a row may see, on average
    scale: float  # what q·k was multiplied by, in all places together
    scales: list[float] = field(default_factory=list)  # all that its calls had, if several
    lengths: list[int] = field(default_factory=list)  # and how many keys these had
    spread: float  # of the logits
    spread_qk: float  # of scale·q·k
    spread_bias: float  # of what is added to it, or of what a cap takes away
    spread_root: float = math.nan  # what the spread would be with 1/√d
    max_spread: float  # of a single row
    freezes: float  # √(2 ln n): Gaussian logits of this spread freeze, and then about as many share
    sharing: float  # the number of keys that take part, 1/Σp²
    sharing_qk: float  # the same for scale·q·k alone
    sharing_root: float = math.nan  # how many keys would take part with it
    share: float  # the same as a share of the keys
    largest: float  # weight, on average
    sink: float  # the weight that goes to no key
    entropy: float  # of the weights, in nats, on average
    min_entropy: float  # of a single row
    max_logit: float  # the largest |logit| that softmax was given in the rows looked at
    max_qk: float  # the largest |scale·q·k|
    not_finite: int  # logits that are NaN or infinite
    empty: int = 0  # rows that have no key, and weights of NaN
    first_broken: int = -1  # the first row that is not finite
    q_norm: float
    k_norm: float
    lopsided: float = math.nan  # how long q is over all heads, relative to k
    is_even: bool = False  # all queries have the same length, and all keys
    bias_slope: float = math.nan  # of a bias that falls with the distance: its logits for each key
    is_bias_divided: bool = False  # what was added to q·k was scaled with it


@dataclass(kw_only=True)
class Row(OfLayer, OfHead):
    """One head, and what is said of it."""

    scale_verdict: str = ""
    softmax_verdict: str = ""
    layout_verdict: str = ""
    verdict: str = ""
    link: str = ""

    def judge(self) -> None:
        """Decide on the scale, on softmax and on the heads; the first that holds counts."""
        if self.grows_with_length(dict(zip(self.lengths, self.scales, strict=False))):
            self.scale = self.scales[-1]
            self.stated, self.source = self.scale, f"a factor of the {self.length} keys"
            self.scales = []
        if 0 < self.latent != self.d and not self.stated > 0:
            self.stated = self.latent**-0.5
            self.source = f"a head of {self.latent}, before its q was brought to the size of keys,"
        verdicts = [self.of_scale(scale) for scale in self.scales or [self.scale]]
        wrong = [at for at, name in enumerate(verdicts) if name not in RIGHT]
        at = wrong[0] if wrong else 0
        self.scale = self.scales[at] if self.scales else self.scale
        self.scale_verdict = verdicts[at]
        if self.scale_verdict in RIGHT:
            self.scale_verdict = self.of_bias() or self.scale_verdict
        regimes = {
            "nan": self.not_finite > 0 or self.empty > 0 or bool(self.cause),
            "unseen": not self.rows,
            "no tokens": self.is_over_channels,
            "bias": self.sharing < self.freezes <= self.sharing_qk,
            "frozen": self.sharing < self.freezes,
            "flat": self.share > FLAT,
            "between": True,
        }
        self.softmax_verdict = next(name for name, holds in regimes.items() if holds)
        differs = self.said > 0 and self.heads != self.said
        self.layout_verdict = self.layout_fault
        if self.layout_verdict:
            pass
        elif self.rows_are_heads and (differs or not self.said):
            self.layout_verdict = "exchanged"
        elif differs:
            self.layout_verdict = "other number"
        self.explain()

    @property
    def is_doubtful(self) -> bool:
        """Whether its number of tokens is that of something else, so that a fault may hide."""
        n = self.positions
        if n < 2 or self.layout_verdict or not math.isnan(self.by_length):
            return False
        return _near(n**-0.5)(self.scale) or n in (self.heads, self.said)

    def grows_with_length(self, scales: dict[int, float]) -> bool:
        """Say whether scales at several lengths are as ln n, or 1/√d at the shortest one.

        Longer rows need a larger scale to be as sharp, by a factor of about ln n.
        """
        ordered = sorted(scales.items())
        if len(ordered) < 2 or ordered[0][0] < 2 or not ordered[0][1] > 0:
            return False
        (least, first), (most, last) = ordered[0], ordered[-1]
        is_root = _near(first)(self.d**-0.5) and first < last < 2 * first
        return is_root or _near(last / first)(math.log(most) / math.log(least))

    @property
    def may_be_of_length(self) -> bool:
        """Whether a factor that has no name may be one that grows with the length, as log n."""
        return self.scale_verdict == "other" and 1 < self.scale * math.sqrt(self.d) < 4

    def of_bias(self) -> str:
        """Name what is wrong with a cap or with what is added to q·k, if anything is."""
        found = {
            "no cap": self.cap > 0 and not self.is_capped,
            "other cap": self.cap > 0 < self.cap_used and not _near(self.cap)(self.cap_used),
            "cap first": self.is_cap_first,
            "bias sign": self.bias_slope < 0,
            "bias differs": self.is_other_bias,
            "bias twice": self.bias_times > 1.5,
            "bias divided": self.is_bias_divided,
        }
        return next((name for name, holds in found.items() if holds), "")

    @property
    def are_units(self) -> bool:
        """Whether q and k have the length 1."""
        lengths = [norm * math.sqrt(self.d) for norm in (self.q_norm, self.k_norm)]
        return self.is_even and all(abs(length - 1) < CLOSE for length in lengths)

    @property
    def is_cosine(self) -> bool:
        """Whether the product is that of vectors of length 1."""
        is_short = self.q_norm * self.k_norm * math.sqrt(self.d) < 1
        return self.d > 0 and (self.are_units or (self.is_unit and is_short))

    @property
    def has_root_beside(self) -> bool:
        """Whether vectors of length 1 have a temperature before their product, and 1/√d behind."""
        after, *before = [each for each in self.factors if isinstance(each, float)] or [1.0]
        own = abs(math.prod(before))
        root = math.sqrt(self.d)
        # √d on each, or on one, makes vectors of that length.
        is_length = any(_near(own)(each) for each in (1, root, self.d))
        return _near(after)(1 / root) and len(before) == 2 and not is_length

    @property
    def is_carried(self) -> bool:
        """Whether √d may stand in the weights that make q, or k: the one is √d times the other.

        Of heads smaller than 8 lengths may differ as much by chance.
        """
        if self.d < 8 or self.is_learned:
            return False
        root = math.sqrt(self.d)
        return any(abs(self.lopsided / each - 1) < CARRIED for each in (1 / root, root))

    def agreeing(self, scale: float) -> list[float]:
        """Give the numbers that the module has for a scale, and that a factor is made of."""
        says = self.says if not self.stated > 0 else []
        return [v for _, v in says if any(map(_near(scale), _uses(v))) or self.uses(v)]

    def of_scale(self, scale: float) -> str:
        """Name a factor: by what is known for certain, by what is stated, or by what it fits."""
        return self.for_certain(scale) or self.as_stated(scale) or self.by_formula(scale)

    def for_certain(self, scale: float) -> str:
        """Name a factor that needs no guess; the first that holds counts."""
        root = math.sqrt(self.d) or math.nan
        near = _near(scale)
        is_root = near(1 / root) and not self.stated > 0
        contrary = bool(self.says) and not self.stated > 0 and not self.agreeing(scale)
        of_sum = (self.d * self.summands) ** -0.5 if self.d and self.summands > 1 else math.nan
        # Weights of variance 1/width give a spread of 1, and √8 times less.
        is_short = self.is_carried and not self.is_crossed and self.spread_qk < 0.4
        found = {
            "unknown": math.isnan(scale),
            "tokens": self.by_length > 0,
            "zero": scale == 0,
            "negative": scale < 0,
            "channels": self.is_over_channels and not self.stated > 0,
            "unused": self.is_cosine and bool(self.unused),
            "carried": is_root and (_near(self.input_ratio)(1 / root) or is_short),
            "root": (is_root and not self.are_units and not contrary)
            or (self.stated > 0 and near(self.stated) and near(1 / root)),
            "stated": self.stated > 0 and near(self.stated),
            "contrary": self.stated > 0,
            "beside": self.is_cosine and self.has_root_beside,
            "blunt": self.is_cosine and 0 < scale < 1 - CLOSE and self.share > FLAT,
            "cosine": self.is_cosine,
            "summed": near(of_sum) and not contrary,
            "absorbed": near(1) and self.is_carried and self.spread_qk < 2,
        }
        return next((name for name, holds in found.items() if holds), "")

    def as_stated(self, scale: float) -> str:
        """Name a factor by what the module says of itself, and note who says so."""
        readings, agrees = self.readings(scale), self.agreeing(scale)
        is_own_one = self.is_normed and _near(scale)(1) and any(_near(v)(1) for v in agrees)
        is_8_over_d = "8/d" in readings and {*readings} <= {"8/d", *BY_CHANCE}
        if is_own_one or (agrees and is_8_over_d):
            self.stated, self.source = scale, self.said_by(agrees[0])
            return "stated"
        if self.is_mup and {"by d", "8/d"} & {*readings}:
            self.stated, self.source = scale, "mup = True"
            return "stated"
        is_root = _near(scale)(self.d**-0.5) if self.d else False
        if self.says and not agrees and (is_root or not readings):
            self.stated, self.source = self.says[0][1], self.said_by(self.says[0][1])
            return "contrary"
        return ""

    def by_formula(self, scale: float) -> str:
        """Name a factor by where it may come from."""
        root = math.sqrt(self.d) or math.nan
        fits = scale**-2 if scale > 0 else math.nan
        if _near(self.after)(1 / root) and _near(scale)(1):
            return "after"
        if self.is_capped and _near(self.cap_used)(1) and not _near(self.cap)(1):
            return "bounded"
        if readings := self.readings(scale):
            return next(iter(readings))
        if fits > 4 and abs(fits / 8 - round(fits / 8)) < CLOSE / 8:
            return "other head"
        return "other"

    def uses(self, value: float) -> bool:
        """Say whether a number that a module has is one of several factors."""
        factors = [each for each in self.factors if isinstance(each, float)]
        if any(_near(step)(each) for step in self.steps for each in _uses(value)):
            return True
        after, *before = factors or [1.0]
        is_scaled_before = any(abs(each - 1) > CLOSE for each in before)
        factors = [after] * is_scaled_before + [each for each in before if each != 1]
        return any(_near(factor)(each) for factor in factors for each in _uses(value))

    def said_by(self, value: float) -> str:
        """Name the attribute of the module that has a value."""
        return next(f"the module's own {name}" for name, v in self.says if v == value)

    def readings(self, scale: float) -> dict[str, str]:
        """Give every formula that a factor fits and that is not 1/√d, the likeliest first."""
        if not self.d or not scale:
            return {}
        formulas = self.formulas(scale)
        errors = {
            name: min((abs(scale / value - 1) for value in values), default=1.0)
            for name, (values, _) in formulas.items()
        }
        # The root's own digits tell log₂e from other numbers about as large.
        errors["log2"] = errors["log2"] if errors["log2"] < CLOSE / 3 else 1.0
        # What fits to the digit comes before what fits by chance, and a factor on q or k alone is
        # a fourth root before it is another root.
        before = [each for each in self.factors[1:] if isinstance(each, float) and each != 1]
        fitting = sorted(
            (error > CLOSE / 3, name == "number" and len(before) == 1, at, name)
            for at, (name, error) in enumerate(errors.items())
            if error < CLOSE
        )
        return {name: formulas[name][1] for *_, name in fitting}

    def formulas(self, scale: float) -> dict[str, tuple[list[float], str]]:
        """Give what people have written for 1/√d: its values for this head, and words for it."""
        d, root = self.d, math.sqrt(self.d)
        floor, whole = math.floor(root), d + self.padded
        heads = max(self.said, self.heads)
        widths = {self.width, self.q_width} - {0, d}
        tokens = {self.length, self.positions} - {0, 1, d} if self.by_length != 0 else set()
        values = [self.v_size**-0.5] if self.v_size not in (0, d) else []
        halved = "2" if scale * d > 1 else "0.5"  # d ** 1/2 is d/2, and d ** -1/2 is 1/(2d)
        return {
            "forgotten": ([1], "1, no divisor at all"),
            "width": ([w**-0.5 for w in widths], f"1/√{scale**-2:.0f}, a whole width"),
            "number": ([heads**-0.5] * (heads > 1), f"1/√{heads}, the number of heads"),
            "padded": (
                [whole**-0.5] * (self.padded > 0),
                f"1/√{whole}, the size of a head with its zeros",
            ),
            "twice": ([1 / d] * (self.places > 1), "1/√d twice"),
            "by d": ([1 / d], f"1/{d}, the size of a head without a root"),
            "reversed": ([root], f"√{d}, for 1/√{d}"),
            "fourth root": ([d**-0.25], f"1/{d}^¼, one of two fourth roots"),
            "floor": ([1 / floor] * (2 < floor < root), f"1/{floor}, a rounded root"),
            "precedence": (
                [2 / d, 0.5 / d],
                f"{halved}/{d}, where d ** 1/2 is taken for the root",
            ),
            "tokens": ([n**-0.5 for n in tokens], "a root of the number of tokens"),
            "8/d": ([8 / d], f"8/{d}, as in μP"),
            "values": (values, f"1/√{self.v_size}, the size of a value"),
            "squared": ([d**-2], f"1/{d}², which d ** -2 gives"),
            "half": ([(d // 2) ** -0.5] * (d > 3), f"1/√{d // 2}, half a head"),
            "thrice": ([(3 * d) ** -0.5], f"1/√{3 * d}, q, k and v together"),
            "log2": ([math.log2(math.e) / root], "log₂e/√d"),
        }

    def explain(self) -> None:
        """Put the verdicts into a sentence, with a link to what explains them."""
        names = self.numbers
        scale, regime = SCALES[self.scale_verdict], SOFTMAX[self.softmax_verdict]
        parts = [scale, regime]
        tables = (
            (MASKS, self.mask_verdict, ("mask", "softmax")),
            (AXES, self.axis_verdict, ("softmax",)),
            (LAYOUT, self.layout_verdict, ("layout",)),
        )
        lines = {}
        for table, name, kinds in tables:
            if name:
                parts.insert(0, table[name])
                lines[table[name]] = next((self.lines[k] for k in kinds if k in self.lines), "")
        if self.softmax_verdict == "nan":  # nothing else matters before
            parts.sort(key=lambda part: part is not regime)
        words = []
        for part in parts:
            words.append(part[1].format(**names))
            if line := lines.get(part):
                words.append(f"Look at {line}")
            if part is scale:
                words += self.more_of_scale()
        if self.is_mixed:
            words.append("The logits of its heads are mixed before softmax")
        grown = self.q_norm * self.k_norm
        if self.softmax_verdict == "frozen" and self.scale_verdict == "root" and grown > 2:
            words.append(f"The vectors are long: ‖q‖‖k‖ is {grown:.1f} times d")
        if self.softmax_verdict == "flat" and self.scale_verdict == "root":
            words.append("Usual at the start with small weights")
        self.verdict = ". ".join(words) + "."
        quiet = parts[0] is scale and self.scale_verdict in ("root", "unknown")
        self.link = SITE and SITE + parts[quiet][0]

    def more_of_scale(self) -> list[str]:
        """Say what else a factor may be, what 1/√d would do, and which line to look for."""
        words = []
        if len(self.scales) > 1:
            each = ", ".join(f"{scale:.3g}" for scale in self.scales[:8])
            words.append(f"Its calls have several scales: {each}")
        if self.scale_verdict in RIGHT:
            return words
        readings = self.readings(self.scale)
        others = [text for name, text in readings.items() if name != self.scale_verdict]
        if self.scale_verdict in ("contrary", "other head", "other"):
            others = ([f"1/√{self.d}"] if _near(self.scale)(self.d**-0.5) else []) + others
        if "twice" in readings and "by d" in readings:
            others = [text for text in others if not text.startswith(f"1/{self.d},")]
        if others:
            words.append(f"{self.scale:.3g} fits other formulas, too: " + "; ".join(others))
        if agreeing := [n for n, v in self.says if any(map(_near(self.scale), _uses(v)))]:
            words.append(f"The module's own {agreeing[0]} says so too")
        if self.spread_root > 0 and self.scale_verdict in SCALES:
            words.append(
                f"With 1/√d the spread would be {self.spread_root:.2g} in place of "
                f"{self.spread:.2g}, and {self.sharing_root:.3g} keys in place of "
                f"{self.sharing:.3g} would take part"
            )
        kinds = ("bias",) if "bias" in self.scale_verdict else ("scale", "product")
        if line := next((self.lines[kind] for kind in kinds if kind in self.lines), ""):
            words.append(f"Look at {line}")
        return words

    @property
    def fits(self) -> float:
        """The size of heads that the scale would be right for."""
        return self.scale**-2 if self.scale > 0 else math.nan

    @property
    def numbers(self) -> dict[str, Any]:
        """What the words of a verdict may use."""
        root = math.sqrt(self.d)
        broken = [f"{self.not_finite} logits are NaN or infinite"] * (self.not_finite > 0)
        if self.empty:
            broken.append(f"{self.empty} rows have no key at all, and softmax gives 0/0")
        if broken and self.first_broken >= 0:
            broken.append(f"the first is row {self.first_broken}")
        broken += [self.cause] * bool(self.cause)
        near = _near(self.scale)
        wide = self.q_width if self.q_width and near(self.q_width**-0.5) else self.width
        at_width = near(self.length**-0.5) if self.length else False
        longer, shorter = max(self.q_norm, self.k_norm), min(self.q_norm, self.k_norm)
        return vars(self) | {
            "short": "q" if self.q_norm < self.k_norm else "k",
            "long": "k" if self.q_norm < self.k_norm else "q",
            "ratio": longer / shorter if shorter else math.inf,
            "root": root,
            "fits": self.fits,
            "times": self.scale * root,
            "broken": ", ".join(broken),
            "wide": wide,
            "width_of": "width of all heads" if wide == self.width else "width of the model",
            "said_heads": max(self.said, self.heads),
            "whole": self.d + self.padded,
            "floor": math.floor(root),
            "fourth": self.d**0.25,
            "over": 1 / self.scale if self.scale else math.inf,
            "halved": self.d // 2,
            "squared": self.d**2,
            "tripled": 3 * self.d,
            "length": self.length if at_width else self.positions,
        }

    @property
    def verdicts(self) -> str:
        """The names of all verdicts."""
        names = [self.layout_verdict, self.axis_verdict, self.mask_verdict]
        names += [self.scale_verdict, self.softmax_verdict]
        return " ".join(name for name in names if name)

    @property
    def scale_name(self) -> str:
        """The verdict on the scale in a few words, the same for all scales that have no name."""
        if self.scale_verdict == "other":
            return "Another scale"
        return SCALES[self.scale_verdict][1].format(**self.numbers).partition(":")[0]


def _near(scale: float) -> Any:
    """Give a function that says whether a number is about this one."""
    return lambda other: other != 0 and abs(scale / other - 1) < CLOSE


def _uses(value: float) -> list[float]:
    """Give what q·k may be multiplied by with a number: the number, over it, once or on both."""
    return [value, 1 / value, value**2, value**-2]


def has_fault(row: Row, kind: str) -> bool:
    """Say whether a head has what --fail-on may name."""
    return {
        "scale": row.scale_verdict not in RIGHT,
        "frozen": row.softmax_verdict == "frozen",
        "flat": row.softmax_verdict == "flat",
        "nan": row.softmax_verdict == "nan",
        "heads": row.layout_verdict not in ("", "other number"),
        "axis": bool(row.axis_verdict),
        "mask": bool(row.mask_verdict),
        "unknown": row.scale_verdict == "unknown",
    }[kind]
