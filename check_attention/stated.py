"""What a module and its configuration say of their attention: heads, scale, cap, causality."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from torch import Tensor, nn

# Where a module or its configuration says how many heads it has.
HEADS = (
    "num_heads", "num_attention_heads", "n_heads", "n_head", "nhead", "heads", "nheads", "num_head",
    "h", "nh", "n_attention_heads", "attention_heads", "number_of_heads", "head_count",
)  # fmt: skip
# Where a module says what it multiplies by, once or on both sides, or divides by.
OWN_SCALES = (
    "scaling", "scale", "softmax_scale", "attn_scale", "attention_scale", "scale_factor",
    "sm_scale", "qk_scale", "norm_factor", "inv_norm_factor",
)  # fmt: skip
# Parameters by the name of a scale, of which an attention is expected to make use.
A_SCALE = re.compile(r"(logit|attn|attention|qk|softmax)_?(scale|gain)|^scale$|temperature|^tau$")
# A soft cap of the logits by its name, but for that of the model's output.
CAP = re.compile(r"soft_?cap|logits?_cap|attn_cap|attention_cap|cap_logits|^cap$")
NO_CAP = re.compile(r"final|output|lm_head|router|vocab|mlp|gate|expert|^logit_softcapping$")
# Where a rotary embedding says by what it multiplies both q and k.
ROTARY = ("attention_scaling", "attention_factor", "attn_factor", "yarn_mscale")
# Numbers by which a configuration states the scale: it follows from the number, and from 1/√d.
STATED: dict[str, Callable[[float, float], float]] = {
    "query_pre_attn_scalar": lambda number, _: number**-0.5,
    "attention_multiplier": lambda number, _: number,
    "softmax_scale": lambda number, _: number,
    "key_multiplier": lambda number, base: base * number,
    "qk_scale_factor": lambda number, base: base * number,
}
# Models of transformers that mean to leave out the divisor: weights or norms make up for it.
UNSCALED = """t5 mt5 umt5 longt5 switch_transformers pop2piano pix2struct_text_model udop gpt_neo
gemma3n_text gemma4_text dia_encoder dia_decoder"""
BY_D = ["inkling", "inkling_text"]  # models of transformers that mean to divide by d
DIVIDES_BIAS = ("falcon",)  # models of transformers that mean to divide ALiBi's bias by √d


def is_number(value: Any) -> TypeGuard[float]:
    """Say whether something is one number that may be a factor."""
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.is_floating_point
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_attention(module: nn.Module) -> bool:
    """Say whether a module is called an attention."""
    return any(word in type(module).__name__.lower() for word in ("attention", "attn"))


def heads_of(where: Any) -> int:
    """Say how many heads there are by a module or a configuration, or 0."""
    counts = (getattr(where, name, 0) for name in HEADS)
    return next((n for n in counts if isinstance(n, int) and not isinstance(n, bool) and n > 0), 0)


def own_scales(module: Any) -> list[tuple[str, float]]:
    """Give what a module says of its scale by its own attributes."""
    found = []
    for name in OWN_SCALES:
        value = getattr(module, name, None)
        if is_number(value) and not isinstance(value, nn.Parameter) and 0 < float(value) < 1e4:
            found.append((name, float(value)))
    return found


def says_mup(*places: Any) -> bool:
    """Say whether a module or a configuration says that it follows μP, which divides by d."""
    names = ("mup", "use_mup", "is_mup")
    return any(getattr(place, name, None) is True for place in places for name in names)


def cap_of(*places: Any) -> tuple[float, str]:
    """Give the cap that a module or a configuration states, and how it calls it."""
    for place in places:
        for name, value in getattr(place, "__dict__", {}).items():
            is_cap = CAP.search(name) and not NO_CAP.search(name)
            if is_cap and is_number(value) and float(value) > 1:
                return float(value), name
    return 0.0, ""


@dataclass
class Said:
    """What the module at work says of itself, as a softmax runs."""

    module: Any
    config: Any  # the nearest one, of the module or of what it is a part of
    heads: int  # 0 if it says nothing
    heads_here: int  # by its own configuration, too
    heads_around: int  # by what it is a part of, too
    cap: float
    cap_source: str
    scales: list[tuple[str, float]]  # its own attributes

    @classmethod
    def by(cls, modules: Sequence[nn.Module], module: Any, heads: int) -> "Said":
        """Ask a module and those around it.

        Args:
            modules: all that are at work, the innermost last
            module: the one to ask
            heads: how many it has if that is known, or 0
        """
        config = config_of(reversed(modules))
        own = heads or _heads_with_configuration(module)
        around = (_heads_with_configuration(each) for each in reversed(modules))
        return cls(
            module, config, heads or heads_of(module), own,
            own or next((each for each in around if each), 0),
            *cap_of(module, config), own_scales(module),
        )  # fmt: skip

    @property
    def is_mup(self) -> bool:
        """Whether it says that it follows μP."""
        return says_mup(self.module, self.config)

    @property
    def causal(self) -> str:
        """Words for it, if the module says that no row sees a later key."""
        is_causal = getattr(self.module, "is_causal", None) is True
        return "the module says is_causal = True" if is_causal else ""

    @property
    def divides_bias(self) -> bool:
        """Whether the model means to divide ALiBi's bias by √d."""
        return getattr(self.config, "model_type", None) in DIVIDES_BIAS


def _heads_with_configuration(module: Any) -> int:
    return heads_of(module) or heads_of(getattr(module, "config", None))


def rotary_factor(model: nn.Module) -> float:
    """Give the factor that rotary embeddings say they have, if all say the same."""
    found = {
        float(value)
        for module in model.modules()
        for name in ROTARY
        if is_number(value := getattr(module, name, None)) and float(value) > 1
    }
    return found.pop() if len(found) == 1 else 1.0


def config_of(stack: Iterable[nn.Module]) -> Any:
    """Give the nearest configuration of the modules at work."""
    configs = (getattr(module, "config", None) for module in stack)
    return next((each for each in configs if each), None)


def stated_scale(module: Any, config: Any, d: int, rotary: float) -> tuple[float, str]:
    """Say what the scale should be by the configuration, and where that stands; or NaN.

    Args:
        module: at work
        config: the nearest one
        d: the size of a head as it was found
        rotary: the factor that a rotary embedding has for both q and k
    """
    base = d**-0.5 if d else 0.0
    found, source = 0.0, ""
    if size := _other_head_size(module, config, d):
        found = base = size**-0.5
        source = f"qk_head_dim = {size:g}"
    found, source = _scale_by_configuration(config, d, base) or (found, source)
    if any(getattr(each, "scale_attn_by_inverse_layer_idx", False) for each in (config, module)):
        layer = _positive("layer_idx", module)
        found = (found or base) / (layer + 1)
        source = f"scale_attn_by_inverse_layer_idx in layer {layer:g}"
    if (rule := _factor_of_deepseek(module, config)) is not None:
        more, words = rule
        found, source = (found or base) * more**2, words
    if rotary != 1:
        found = (found or base) * rotary**2
        source = " and ".join([source] * bool(source) + [f"attention_scaling = {rotary:g}"])
    return (found, source) if found and d else (math.nan, "")


def _positive(name: str, *places: Any) -> float:
    """Give the first positive number that a module or a configuration has by that name, or 0."""
    values: Any = [getattr(place, name, None) for place in places]
    return next((float(v) for v in values if is_number(v) and float(v) > 0), 0.0)


def _other_head_size(module: Any, config: Any, d: int) -> float:
    """Give the size of a head of q and k, as a whole or in two parts, if it is not d; or 0."""
    parts = ("qk_nope_head_dim", "qk_rope_head_dim")
    sizes = [_positive(part, module, config) for part in parts]
    whole = _positive("qk_head_dim", module, config) or (sum(sizes) if all(sizes) else 0.0)
    return whole if d and whole != d else 0.0


def _scale_by_configuration(config: Any, d: int, base: float) -> tuple[float, str] | None:
    """Give the scale by a number of the configuration, a switch, or the kind of the model."""
    inner = getattr(config, "attn_config", None)
    for name, scale_by in STATED.items():
        if number := _positive(name, config, inner):
            return scale_by(number, base), f"{name} = {number:g}"
    kinds = [k for k in ("c2p", "p2c") if k in (getattr(config, "pos_att_type", None) or ())]
    model_type = getattr(config, "model_type", None)
    if kinds and getattr(config, "relative_attention", True):
        words = f"pos_att_type = {kinds}, which makes it 1/√({1 + len(kinds)}d)"
        return base / math.sqrt(1 + len(kinds)), words
    if getattr(config, "scale_attn_weights", True) is False:
        return 1.0, "scale_attn_weights = False"
    if model_type in UNSCALED.split():
        return 1.0, f"model_type = {model_type}, which has no divisor"
    if d and model_type in BY_D:
        return 1 / d, f"model_type = {model_type}, which divides by d"
    return None


def _factor_of_deepseek(module: Any, config: Any) -> tuple[float, str] | None:
    """Give what q and k are each multiplied by for long sequences, where that is in the scale.

    It is DeepSeek's rule; others have it in the rotation.
    """
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None)
    is_latent = not hasattr(config, "model_type") or _positive("kv_lora_rank", module, config) > 0
    if not (is_latent and isinstance(rope, Mapping) and rope.get("mscale_all_dim")):
        return None
    if not rope.get("factor", 1) > 1:
        return None
    more = 0.1 * rope["mscale_all_dim"] * math.log(rope["factor"]) + 1
    return more, f"mscale_all_dim = {rope['mscale_all_dim']}"
