"""Which module is at work, what it says of itself, and what was measured of it."""

from typing import Any

from torch import nn

from check_attention.measure import Sums
from check_attention.stated import (
    DIVIDES_BIAS,
    cap_of,
    config_of,
    heads_of,
    own_scales,
    rotary_factor,
    says_mup,
    stated_scale,
)  # fmt: skip
from check_attention.traces import Call


class AtWork:
    """The modules that are at work, the innermost last, and the sums of each that has attention."""

    def __init__(self, model: nn.Module, scale: float | None) -> None:
        self.names = {
            module: name or type(module).__name__ for name, module in model.named_modules()
        }
        self.asked = scale
        self.rotary = rotary_factor(model)
        self.stack: list[nn.Module] = []
        self.heads = 0  # of the nn.MultiheadAttention that is at work
        self.found: dict[tuple[str, int, int], Sums] = {}

    def module(self) -> nn.Module | None:
        """Give the module at work; of softmax and dropout, the one that they are part of."""
        for module in reversed(self.stack):
            if any(module.children()) or not isinstance(
                module, nn.Softmax | nn.Dropout | nn.LogSoftmax | nn.Softmax2d
            ):
                return module
        return None

    def place(self) -> str:
        """Name the module at work."""
        module = self.module()
        if module is None:
            return "(outside of modules)"
        return self.names.get(module) or type(module).__name__

    def said(self) -> tuple[int, int]:
        """Say how many heads there are by the module at work, and by those around it too."""
        here = self.module()
        own = self.heads or heads_of(here) or heads_of(getattr(here, "config", None))
        around = (
            heads_of(module) or heads_of(getattr(module, "config", None))
            for module in reversed(self.stack)
        )
        return own, own or next((heads for heads in around if heads), 0)

    def about(self) -> dict[str, Any]:
        """Say what the module at work says of itself, as a softmax runs."""
        own, around = self.said()
        module, config = self.module(), config_of(reversed(self.stack))
        cap, cap_source = cap_of(module, config)
        causal = getattr(module, "is_causal", None)
        return {
            "own": own,
            "around": around,
            "said": self.heads or heads_of(module),
            "module": module,
            "config": config,
            "says": own_scales(module),
            "is_mup": says_mup(module, config),
            "cap": cap,
            "cap_source": cap_source,
            "says_causal": "the module says is_causal = True" if causal is True else "",
            "divides_bias": getattr(config, "model_type", None) in DIVIDES_BIAS,
            "lines": {},
        }

    def sums(self, call: Call, heads: int, d: int, **about: Any) -> Sums:
        """Give the sums of the module of a call."""
        said = call.about
        key = (call.place, heads, d)
        if (sums := self.found.get(key)) is None:
            stated, source = self.stated(call, d)
            fields: dict[str, Any] = {"d": d, "width": heads * d, "heads": heads}
            fields |= {"said": said["said"] if d else 0, "stated": stated, "source": source}
            fields |= {
                name: said[name] for name in ("says", "is_mup", "cap", "cap_source", "lines")
            }
            fields["is_made"] = said.get("is_made", False)
            sums = self.found[key] = Sums(places=0, **fields)
        places = max(sums.about["places"], about.pop("places", 0))
        for name in (
            "is_over_channels",
            "rows_are_heads",
            "is_bias_divided",
            "is_capped",
            "is_cap_first",
        ):
            about[name] = about.get(name, False) or sums.about.get(name, False)
        sums.about |= about | {"places": places}
        sums.about["lines"] = sums.about["lines"] | said["lines"]
        return sums

    def stated(self, call: Call, d: int) -> tuple[float, str]:
        """Say what the scale should be, by the caller or the configuration."""
        if self.asked:
            return self.asked, "what was asked for"
        return stated_scale(call.about["module"], call.about["config"], d, self.rotary)
