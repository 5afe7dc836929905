"""What may be attention and is none that is followed: it is named, so that nothing is passed over.

Attention by structure is a product of two activations, tokens × tokens, that meets a third one
over the same tokens, whatever is done to its entries in between. What runs outside of the functions
that are watched is looked at from outside: by its graph, or by what it gives for other inputs.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.weak import WeakIdKeyDictionary

from check_attention.again import random_kept
from check_attention.axes import Axis, Contraction, flat
from check_attention.traces import code_line

# Behind a layer's weights, scores of tokens are features of something else.
LAYERS = {"linear", "conv1d", "conv2d", "conv3d", "embedding", "bilinear", "embedding_bag"}
GOES_OUT = {"numpy", "__array__", "tolist", "__dlpack__"}  # values that go where nothing is seen
RETURNS = {"tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack"}
PYTORCH = ("aten", "prims", "prim", "torchvision", "torchaudio", "quantized", "_c10d_functional")
SAYS_ATTENTION = ("attn", "attention", "sdpa", "mha")
TORCHSCRIPT_PRODUCTS = ("aten::matmul", "aten::bmm", "aten::baddbmm", "aten::einsum", "aten::mm")
MAY_BE_ALLOWED = "If it is meant, allow the layer by its name"


@dataclass(frozen=True)
class Side:
    """The tokens that one side has brought to a product of two activations."""

    size: int
    roots: frozenset[Axis]  # none, if they are not known

    def is_of(self, other: "Side") -> bool:
        """Say whether two sides may be the same tokens."""
        if self.roots and other.roots:
            return bool(self.roots & other.roots)
        return self.size == other.size


@dataclass(frozen=True)
class Product:
    """A product of two activations whose result is tokens × tokens."""

    sides: tuple[Side, ...]

    def is_in(self, result: Tensor) -> bool:
        """Say whether a tensor still has an entry for each pair of tokens."""
        left = list(result.shape)
        for side in {side.size: side for side in self.sides}.values():
            if side.size not in left:
                return False
            left.remove(side.size)
        return result.is_floating_point()


@dataclass(frozen=True)
class Origin:
    """Whether a tensor depends on what the model was given, and the products it is made of."""

    is_active: bool
    products: frozenset[Product] = frozenset()
    is_summary: bool = False  # features × features: two activations, summed over their tokens


class Unseen:
    """Follows products of activations, and looks at what no function of PyTorch's shows."""

    def __init__(self, watcher: Any, model: nn.Module) -> None:
        self.watcher = watcher
        self.origins: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self.thread = threading.get_ident()
        self.looked: set[tuple[str, str]] = set()  # TorchScript, and where it was called
        self.does: dict[tuple[str, str], str] = {}  # what an operation is, and where
        self.left: set[str] = set()  # places whose activations left PyTorch
        self.product: Tensor | None = None  # what was noted just now
        self.fixed = {
            id(value)
            for module in model.modules()
            for value in vars(module).values()
            if isinstance(value, Tensor)
        } | watcher.owned

    def origin(self, t: Tensor) -> Origin:
        """Say where a tensor comes from; what nobody has made is taken for an input."""
        found: Origin | None = self.origins.get(t, None)  # type: ignore[no-untyped-call]
        if found is None:
            found = Origin(not (isinstance(t, nn.Parameter) or id(t) in self.fixed))
            self.origins[t] = found
            if found.is_active and self.left:
                self.comes_back(t)
        return found

    def follow(self, name: str, func: Any, result: Any, args: Any, kwargs: Any) -> None:
        """Hand on what a tensor is made of; the model goes on, whatever comes of it."""
        product, self.product = self.product, None
        if product is not None and product is result:
            return
        try:
            self.hand_on(name, func, result, args, kwargs)
        except Exception as error:
            self.watcher.left_out(f"In {self.watcher.place()} a call was left out: {error}")

    def hand_on(self, name: str, func: Any, result: Any, args: Any, kwargs: Any) -> None:
        """Hand on to what a function gave what it is made of."""
        values = [*flat(args), *flat(kwargs.values())]
        given = [each for each in values if isinstance(each, Tensor)]
        origins = [self.origin(each) for each in given]
        is_active = any(origin.is_active for origin in origins)
        if is_active and name in GOES_OUT:
            self.goes_out(args[0])
        elif not origins and name in RETURNS:
            is_active = self.comes_back(result)
        products = frozenset[Product]().union(*(origin.products for origin in origins))
        if products and ("softm" in name or self.watcher.trace(result).weights):
            products = frozenset()  # from here on its weights are followed
        is_kept = name not in LAYERS and "softm" not in name
        sizes = {t.numel() for t, o in zip(given, origins, strict=True) if o.is_summary and is_kept}
        made = [result] if isinstance(result, Tensor) else result
        made = [args[0]] if name == "__setitem__" else made
        if not isinstance(made, list | tuple):
            return
        for t in made:
            if isinstance(t, Tensor):
                kept = [p for p in products if name not in LAYERS and p.is_in(t)]
                self.origins[t] = Origin(is_active, frozenset(kept), t.numel() in sizes)
        if is_active and isinstance(func, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
            self.operation(func, result, args, kwargs)

    def passed(self, values: Any) -> None:
        """Note what a module was given, or gave."""
        for each in flat(values):
            if isinstance(each, Tensor):
                self.origin(each)

    # Attention without softmax

    def multiplied(self, c: Contraction, result: Tensor) -> None:
        """Note a product: of two activations, or of such a product with a third."""
        origins = [self.origin(t) for t in c.tensors]
        large = [at for at, t in enumerate(c.tensors) if t.numel() > 1]
        made = Origin(any(origin.is_active for origin in origins))
        if len(large) == 2 and all(origins[at].is_active for at in large):
            one, other = large
            if not (self.meets(c, one, other) or self.meets(c, other, one)):
                sides = (self.tokens(c, one, other), self.tokens(c, other, one))
                if c.summed(one, other) and all(sides):
                    made = Origin(True, frozenset({Product((*sides[0], *sides[1]))}))
                elif self.is_summary(c, one, other):
                    made = Origin(True, is_summary=True)
                else:
                    self.reads_summary(c, one, other)
        elif large:
            for one, other in combinations(large, 2) if len(large) > 2 else ():
                self.reads_summary(c, one, other)
            kept = [p for origin in origins for p in origin.products if p.is_in(result)]
            made = Origin(made.is_active, frozenset(kept))  # heads that a matrix mixes
        self.origins[result] = made
        self.product = result

    def is_summary(self, c: Contraction, one: int, other: int) -> bool:
        """Say whether a product sums over the tokens of both, and has features of both left."""
        traces = [self.watcher.trace(c.tensors[at]) for at in (one, other)]
        if any(trace.axes is None or trace.weights or trace.scores for trace in traces):
            return False

        def is_made(at: int, trace: Any, letters: Iterable[str]) -> bool:
            dims = [trace.axes[c.letters[at].index(x)] for x in letters if c.size(x) > 1]
            return bool(dims) and all(dim and all(a.is_feature for a in dim) for dim in dims)

        summed = c.summed(one, other)
        of_tokens = [
            dim
            for x in summed
            for at, trace in zip((one, other), traces, strict=True)
            if (dim := trace.axes[c.letters[at].index(x)])
        ]
        if not of_tokens or any(a.is_feature for dim in of_tokens for a in dim):
            return False
        alone = [
            [x for x in c.letters[at] if x in c.result and not c.has(other_at, x)]
            for at, other_at in ((one, other), (other, one))
        ]
        both = zip((one, other), traces, alone, strict=True)
        return all(is_made(at, trace, letters) for at, trace, letters in both)

    def reads_summary(self, c: Contraction, one: int, other: int) -> None:
        """Name a product of a third activation's tokens with a sum over those of two others."""
        for at, third in ((one, other), (other, one)):
            is_sum = self.origin(c.tensors[at]).is_summary
            of_tokens = any(side.roots for side in self.tokens(c, third, at))
            if is_sum and c.summed(one, other) and of_tokens:
                self.say(
                    f"tokens of an activation meet, in {code_line()}, a product of two others that "
                    "was summed over their tokens, as in linear attention. It is not judged"
                )

    def tokens(self, c: Contraction, at: int, other: int) -> list[Side]:
        """Give the tokens that only one of two factors has brought to their product."""
        letters = [
            x for x in c.letters[at] if x in c.result and not c.has(other, x) and c.size(x) > 1
        ]
        return [side for x in letters if (side := self.side(c, at, x))]

    def side(self, c: Contraction, at: int, letter: str) -> Side | None:
        """Give an axis of tokens; nothing if it is one of features."""
        axes = self.watcher.trace(c.tensors[at]).axes
        dim = axes[c.letters[at].index(letter)] if axes is not None else ()
        if dim and all(axis.is_feature for axis in dim):
            return None
        return Side(c.size(letter), frozenset(axis.root for axis in dim))

    def meets(self, c: Contraction, at: int, other: int) -> bool:
        """Say whether a product of two activations meets a third, and name it if nobody did."""
        products = self.origin(c.tensors[at]).products
        if not products or products & self.origin(c.tensors[other]).products:
            return False
        free = [x for x in c.letters[other] if x in c.result and not c.has(at, x)]
        if not any(c.size(x) > 1 for x in free):
            return False  # a vector: a sum of each row, or one step of an iteration
        keys = [side for x in c.summed(at, other) if (side := self.side(c, other, x))]
        pairs = [(key, side) for key in keys for p in products for side in p.sides]
        if not any(key.is_of(side) for key, side in pairs):
            return False
        trace = self.watcher.trace(c.tensors[at])
        if not (trace.weights or trace.is_sigmoid):  # else it is followed, or named already
            self.say(
                f"a product of two activations, tokens × tokens, is multiplied by a third in "
                f"{code_line()}, and no softmax is between that is known. It is not judged"
            )
        return True

    def say(self, words: str) -> None:
        """Name something that was not understood in the module at work."""
        self.watcher.left_out(f"In {self.watcher.place()} {words}. {MAY_BE_ALLOWED}")

    # What goes out of PyTorch

    def goes_out(self, t: Tensor) -> None:
        """Note that values of an activation are taken out of PyTorch."""
        if t.is_floating_point() and t.ndim > 1 and self.watcher.stack:
            self.left.add(self.watcher.place())

    def comes_back(self, result: Any) -> bool:
        """Name a tensor that is made of values from outside where an activation has left."""
        is_large = isinstance(result, Tensor) and result.is_floating_point() and result.ndim > 1
        if not (is_large and self.watcher.place() in self.left):
            return False
        self.say("activations leave PyTorch, and what is made of them comes back: not seen")
        return True

    def operation(self, func: Any, result: Any, args: Any, kwargs: Any) -> None:
        """Look at an operation that is none of PyTorch's, once in each place."""
        name = str(func).removesuffix(".default")
        if name.partition(".")[0] in PYTORCH:
            return
        key = (name, self.watcher.place())
        if key not in self.does:
            self.does[key] = self.kind_of(name, func, result, args, kwargs)
        if self.does[key] == "attention":
            self.say(f"{name}, an operation of its own, works as attention does, and is not seen")
        elif self.does[key] == "product" and isinstance(result, Tensor):
            sides = tuple(Side(size, frozenset()) for size in result.shape[-2:])
            self.origins[result] = Origin(True, frozenset({Product(sides)}))

    def kind_of(self, name: str, func: Any, result: Any, args: Any, kwargs: Any) -> str:
        """Say whether an operation is "attention", a "product" of matrices, or neither."""
        active = [
            at
            for at, t in enumerate(args)
            if isinstance(t, Tensor)
            and t.is_floating_point()
            and t.ndim > 1
            and self.origin(t).is_active
        ]
        says = any(word in name.lower() for word in SAYS_ATTENTION)
        if says or any(self.origin(args[at]).products for at in active):
            return "attention"
        return does_to_tokens(func, result, args, kwargs, active)

    def enter(self, module: nn.Module, args: Any) -> bool:
        """Look at a module as it begins; say whether what it calls can be seen."""
        name = self.watcher.names.get(module)
        if threading.get_ident() != self.thread:
            # The engine of gradients runs a part again that was seen before.
            if name and torch._C._current_graph_task_id() < 0:
                self.watcher.left_out(
                    f"In {name} nothing was seen, as it runs in another thread. Call it in the "
                    "one that watches"
                )
            return False
        self.passed(args)
        is_script = name and isinstance(module, torch.jit.ScriptModule)
        if is_script and self.is_new("TorchScript", name) and has_attention(module.inlined_graph):
            self.watcher.left_out(
                f"In {name} TorchScript multiplies activations as attention does, and runs "
                "outside of Python. Give the module behind it"
            )
        return True

    def leave(self, given: Any) -> bool:
        """Note what a module gave; say whether it is one that can be seen."""
        if threading.get_ident() != self.thread:
            return False
        self.passed(given[1:])
        return True

    def is_new(self, what: str, place: str) -> bool:
        """Say whether something is looked at for the first time in its place."""
        is_new = (what, place) not in self.looked
        self.looked.add((what, place))
        return is_new

    @contextmanager
    def scripts(self) -> Iterator[None]:
        """Look at functions of TorchScript as they are called, as no mode sees them."""
        kind = torch._C.ScriptFunction
        original = kind.__call__

        def called(function: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(function, *args, **kwargs)
            if threading.get_ident() == self.thread and not self.watcher.is_idle:
                for each in flat([result]):
                    if isinstance(each, Tensor):
                        self.origins[each] = Origin(True)
                call = partial(original, function)  # it may change scores, entry by entry
                for note in (self.watcher.note_step, self.watcher.keep):
                    self.watcher.attempt(note, ("script", call, result, args, kwargs), {})
                is_new = self.is_new(function.name, self.watcher.place())
                if is_new and has_attention(function.inlined_graph):
                    self.say(
                        f"the TorchScript function {function.name} multiplies activations as "
                        "attention does, and runs outside of Python"
                    )
            return result

        kind.__call__ = called  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            kind.__call__ = original  # type: ignore[method-assign]


def has_attention(graph: Any) -> bool:
    """Say whether TorchScript has a fused attention, or two products of what are no weights."""
    if graph.findAllNodes("aten::scaled_dot_product_attention", True):
        return True
    weights = {"prim::GetAttr", "prim::Constant"}
    layouts = {"aten::t", "aten::transpose", "aten::permute", "aten::to"}

    def is_weight(value: Any) -> bool:
        node = value.node()
        if node.kind() in layouts:
            return is_weight(next(node.inputs()))
        return node.kind() in weights

    def factors(node: Any) -> list[Any]:
        given = list(node.inputs())
        if node.kind() == "aten::einsum":
            return list(given[1].node().inputs())
        return given[-4:-2] if node.kind() == "aten::baddbmm" else given[:2]

    products = [
        node
        for kind in TORCHSCRIPT_PRODUCTS
        for node in graph.findAllNodes(kind, True)
        if not any(map(is_weight, factors(node)))
    ]
    return len(products) > 1


def does_to_tokens(
    func: Callable[..., Any], result: Any, args: Any, kwargs: Any, active: list[int]
) -> str:
    """Say whether an operation is "attention", which mixes tokens by weights that other activations
    make, a "product" of matrices, or neither.

    It is called again with other values, unless it writes over what it is given.

    Args:
        func: the operation
        result: what it gave
        args: what it was given, like kwargs
        kwargs: by name
        active: which of args are activations
    """
    schemas = getattr(func, "_schemas", {"": getattr(func, "_schema", None)}).values()
    out = next((t for t in flat([result]) if isinstance(t, Tensor)), None)
    if out is None or not active or any(s is None or s.is_mutable for s in schemas):
        return ""
    trial = Trial(func, args, kwargs, out)
    with torch.no_grad(), random_kept():
        if not any(map(trial.mixes_tokens, active)):
            return ""
        if len(active) > 2:
            return "attention" if any(map(trial.doubles_with, active)) else ""
        if all(map(trial.doubles_with, active)):
            return "product" if len(active) == 2 else ""
        return "attention" if len(active) == 2 or out.shape != args[active[0]].shape else ""


@dataclass(frozen=True)
class Trial:
    """An operation that is called again with other values in place of one argument."""

    func: Callable[..., Any]
    args: Any
    kwargs: Any
    out: Tensor  # what it gave at first

    def again(self, at: int, t: Tensor) -> Tensor:
        """Give what comes out with another tensor in one place."""
        given = [*self.args[:at], t, *self.args[at + 1 :]]
        made = self.func(*given, **self.kwargs)
        return next(each for each in flat([made]) if isinstance(each, Tensor)).detach()

    def mixes_tokens(self, at: int) -> bool:
        """Say whether one entry along an axis, changed, changes more than its own share."""
        t = self.args[at].detach()
        for axis in range(max(0, t.ndim - 3), t.ndim - 1):
            other = t.clone()
            first = other.select(axis, 0)
            first += 1
            changed = int((self.again(at, other) != self.out).sum())
            if changed > max(first.numel(), self.out.numel() // t.shape[axis]):
                return True
        return False

    def doubles_with(self, at: int) -> bool:
        """Say whether what comes out is twice as large if one argument is."""
        twice = self.again(at, self.args[at].detach() * 2)
        return torch.allclose(twice, self.out * 2, rtol=0.01, atol=1e-4)
