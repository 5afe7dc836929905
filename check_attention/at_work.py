"""Which module is at work, what it says of itself, and what was measured of it."""

from torch import nn

from check_attention.measure import Sums
from check_attention.rows import OfLayer
from check_attention.stated import Said, rotary_factor, stated_scale
from check_attention.traces import Call


class AtWork:
    """The modules that are at work, the innermost last, and the sums of each that has attention."""

    def __init__(self, model: nn.Module, scale: float | None) -> None:
        self.names = {
            module: name or type(module).__name__ for name, module in model.named_modules()
        }
        self.whole = self.names[model]
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

    def said(self) -> Said:
        """Say what the module at work says of itself."""
        return Said.by(self.stack, self.module(), self.heads)

    def sums(self, call: Call, heads: int, d: int) -> Sums:
        """Give the sums of the module of a call."""
        said = call.said
        key = (call.place, heads, d)
        if (sums := self.found.get(key)) is None:
            stated, source = self.stated(said, d)
            of_layer = OfLayer(
                d=d, width=heads * d, heads=heads, said=said.heads if d else 0,
                stated=stated, source=source, says=said.scales, is_mup=said.is_mup,
                cap=said.cap, cap_source=said.cap_source,
            )  # fmt: skip
            sums = self.found[key] = Sums(of_layer, call.is_made)
        sums.of_layer.lines |= call.lines
        return sums

    def stated(self, said: Said, d: int) -> tuple[float, str]:
        """Say what the scale should be, by the caller or the configuration."""
        if self.asked:
            return self.asked, "what was asked for"
        return stated_scale(said.module, said.config, d, self.rotary)
