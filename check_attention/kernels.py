"""Kernels of other packages: q, k, the scale and the masks where their functions are called."""

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import _get_current_function_mode, _pop_mode_temporarily

from check_attention.again import random_kept
from check_attention.axes import Axes, Axis
from check_attention.traces import Arrangement, Trace
from check_attention.watcher import Watcher

HOOK = "__check_attention__"  # what a kernel calls while it is watched
Masked = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def attention(
    watcher: Watcher, query: Tensor, key: Tensor, scale: float | None, masked: Masked,
    is_sum: bool = True,
) -> None:  # fmt: skip
    """Note a call of a kernel: q is batch × heads × rows × d, and k is batch × heads × keys × d.

    `masked` is given some rows of scale·q·k, and which; it gives the logits, and what of them takes
    part.
    """
    if query.shape[1] != key.shape[1] > 1:  # grouped heads
        known = watcher.trace(key).known
        key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
        watcher.traces[key] = Trace(None, known)
    axes = tuple(
        (Axis(size, at % 2 == 1),) if size > 1 else () for at, size in enumerate(query.shape)
    )
    watcher.traces[query] = Trace(axes, watcher.trace(query).known)

    def logits_of(found: Arrangement, axes: Axes, shape: list[int]) -> Callable[..., Tensor]:
        def rows(logits: Tensor, places: Tensor) -> Tensor:
            made, allowed = masked(logits, places)
            return made.masked_fill(~allowed, -torch.inf)

        return rows

    watcher.look.kernel(None, query, key, scale, logits_of, {}, is_sum)


def flash(watcher: Watcher, **given: Any) -> None:
    """Note a call of flash-attn: q as batch × rows × heads × d, or all sequences in a row."""
    if "qkv" in given:
        q, k, _ = given["qkv"].unbind(-3)
    elif "kv" in given:
        q, (k, _) = given["q"], given["kv"].unbind(-3)
    else:
        q, k = given["q"], given["k"]
    first, second = (given.get(f"cu_seqlens{side}") for side in ("_q", "_k"))
    ends_q: Any = given.get("cu_seqlens") if first is None else first
    ends_k: Any = ends_q if second is None else second
    left, right = given.get("window_size") or (-1, -1)
    right = 0 if given.get("causal") else right
    slopes, cap = given.get("alibi_slopes"), given.get("softcap") or 0.0
    n, keys = q.shape[-3], k.shape[-3]

    def masked(logits: Tensor, taken: Tensor) -> tuple[Tensor, Tensor]:
        i, j = taken[:, None], torch.arange(keys, device=logits.device)
        allowed = torch.ones(len(taken), keys, dtype=torch.bool, device=logits.device)
        if ends_q is None:
            i = i + keys - n  # the last query sees the last key
        else:
            in_q, in_k = (
                torch.bucketize(at, ends[1:], right=True) for at, ends in ((i, ends_q), (j, ends_k))
            )
            allowed = allowed & (in_q == in_k)
            i = i - ends_q[in_q + 1] + ends_k[in_q + 1]
        if left is not None and left >= 0:
            allowed = allowed & (j >= i - left)
        if right is not None and right >= 0:
            allowed = allowed & (j <= i + right)
        logits = cap * torch.tanh(logits / cap) if cap else logits
        if slopes is not None:
            each = slopes.reshape(*slopes.shape, 1, 1).float()
            logits = logits - each * (i - j).abs()
        return logits, allowed.expand(logits.shape)

    attention(
        watcher, moved(watcher, q), moved(watcher, k), given.get("softmax_scale"), masked, not cap
    )


def moved(watcher: Watcher, t: Tensor) -> Tensor:
    """Bring … × rows × heads × d to batch × heads × rows × d, with what is known of it."""
    there = t.transpose(-3, -2)
    there = there if there.ndim > 3 else there[None]
    axes = tuple(
        (Axis(size, at % 2 == 1),) if size > 1 else () for at, size in enumerate(there.shape)
    )
    watcher.traces[there] = Trace(axes, watcher.trace(t).known)
    return there


def xformers(watcher: Watcher, **given: Any) -> None:
    """Note a call of xFormers."""
    bias = given.get("attn_bias")
    kind = type(bias).__name__
    if bias is not None and not isinstance(bias, Tensor) and kind != "LowerTriangularMask":
        watcher.left_out(
            f"In {watcher.place()} the {kind} of xFormers is not known, and was left out"
        )
    q, k = (
        moved(watcher, t if t.ndim > 3 else t.unsqueeze(-2)) for t in (given["query"], given["key"])
    )
    mask = bias if isinstance(bias, Tensor) else None
    causal = kind == "LowerTriangularMask"
    watcher.sdpa(None, q, k, k, mask, is_causal=causal, scale=given.get("scale"))


def flex(watcher: Watcher, **given: Any) -> None:
    """Note a call of FlexAttention; what it is given for scores and masks is asked for rows."""
    given |= given.pop("kwargs", {})
    change, block = given.get("score_mod"), given.get("block_mask")

    def masked(logits: Tensor, taken: Tensor) -> tuple[Tensor, Tensor]:
        ends = [torch.arange(size, device=logits.device) for size in logits.shape]
        ends[2] = taken
        at = [end.reshape([-1] + [1] * (3 - axis)) for axis, end in enumerate(ends)]
        allowed = torch.ones_like(logits, dtype=torch.bool)
        try:
            if block is not None:
                allowed = allowed & block.mask_mod(*at)
            if change is not None:
                logits = change(logits, *at)
        except Exception as error:
            watcher.left_out(f"In {watcher.place()} a score_mod or mask_mod was left out: {error}")
        return logits, allowed.expand(logits.shape)

    q, k = given["query"], given["key"]
    attention(watcher, q, k, given.get("scale"), masked, is_sum=change is None)


KERNELS: dict[str, Callable[..., None]] = {
    "flash_attn_func": flash,
    "flash_attn_qkvpacked_func": flash,
    "flash_attn_kvpacked_func": flash,
    "flash_attn_varlen_func": flash,
    "flash_attn_varlen_qkvpacked_func": flash,
    "flash_attn_varlen_kvpacked_func": flash,
    "memory_efficient_attention": xformers,
    "flex_attention": flex,
    "compile_friendly_flex_attention": flex,  # of transformers
}


PACKAGES = ("flash_attn", "xformers", "flex_attention")


@contextmanager
def kernels(watcher: Watcher) -> Iterator[None]:
    """Stand before the functions of other packages, by whatever name a model has them.

    A function is given other code as long as it is watched, so that it does not matter who holds
    it; a package that is imported later is looked at then.
    """
    before: dict[FunctionType, tuple[CodeType, Any]] = {}

    def stand_before(module: ModuleType) -> None:
        for name in KERNELS:
            kernel = getattr(module, name, None)
            if type(kernel) is not FunctionType or kernel in before or not _is_kernel(kernel):
                continue
            before[kernel] = kernel.__code__, kernel.__globals__.get(HOOK + name)
            _noted(watcher, kernel)

    for place, module in list(sys.modules.items()):
        if _has_kernels(place):
            stand_before(module)
    later = Later(stand_before)
    sys.meta_path.insert(0, later)
    apis = sys.modules.get("torch._functorch.apis")
    vmapped = apis and apis.vmap_impl
    if apis:
        apis.vmap_impl = _unrolled(watcher, vmapped)  # type: ignore[attr-defined, arg-type]
    try:
        yield
    finally:
        if apis:
            apis.vmap_impl = vmapped  # type: ignore[attr-defined]
        sys.meta_path.remove(later)
        for kernel, (code, hook) in before.items():
            kernel.__code__ = code
            if hook:  # of another that watches
                kernel.__globals__[HOOK + kernel.__name__] = hook
            else:
                del kernel.__globals__[HOOK + kernel.__name__]


def _has_kernels(place: str) -> bool:
    """Say whether a module may have kernels of its own: PyTorch's, transformers', a package's."""
    parts = place.split(".")
    return parts[0] in PACKAGES or parts[-1] == "flex_attention"


def _is_kernel(function: FunctionType) -> bool:
    """Say whether a function is one of KERNELS, and of the package itself."""
    own = any(package in (function.__module__ or "") for package in PACKAGES)
    return own and not function.__closure__ and function.__name__ in KERNELS


class Later:
    """Looks at a package as it is imported while a model runs."""

    def __init__(self, look: Callable[[ModuleType], None]) -> None:
        self.look, self.is_asking = look, False

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Find a module as all others do, and have it looked at once it has run."""
        if self.is_asking or not _has_kernels(name):
            return None
        self.is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.is_asking = False
        if spec and spec.loader:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                self.look(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


SLICES = 4  # of what vmap runs over, that are watched


def _unrolled(watcher: Watcher, vmapped: Callable[..., Any]) -> Callable[..., Any]:
    """Have what vmap runs noted by running a few of its slices by themselves afterwards."""

    def noted(function: Any, in_dims: Any, *more: Any, **kwargs: Any) -> Any:
        args = more[3:]
        if watcher.is_idle:
            return vmapped(function, in_dims, *more, **kwargs)
        watcher.is_paused = True
        try:
            result = vmapped(function, in_dims, *more, **kwargs)
        finally:
            watcher.is_paused = False
        try:
            with torch.no_grad(), random_kept():
                for each in _slices(function, in_dims, args):
                    function(*each, **kwargs)
        except Exception as error:
            watcher.left_out(f"In {watcher.place()} what runs under vmap was left out: {error}")
        return result

    return noted


def _slices(function: Any, in_dims: Any, args: Any) -> Iterator[Any]:
    """Give the arguments of some slices of what vmap runs over."""
    from torch._functorch.vmap import _process_batched_inputs
    from torch.utils._pytree import tree_unflatten

    count, dims, flat_args, spec = _process_batched_inputs(in_dims, args, function)
    for at in torch.linspace(0, count - 1, min(count, SLICES)).round().int().tolist():
        each = [
            arg if dim is None else arg.select(dim, at)
            for dim, arg in zip(dims, flat_args, strict=True)
        ]
        yield tree_unflatten(each, spec)


def _noted(watcher: Watcher, kernel: FunctionType) -> None:
    """Have a kernel noted before it runs, and nothing of what it is made of."""
    name, own = kernel.__name__, kernel.__globals__
    original = FunctionType(kernel.__code__, own, name, kernel.__defaults__)
    original.__kwdefaults__ = kernel.__kwdefaults__
    signature = inspect.signature(original)

    def noted(*args: Any, **kwargs: Any) -> Any:
        if watcher.is_idle:
            return original(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        watcher.is_paused = True
        try:
            watcher.attempt(KERNELS[name], (watcher,), bound.arguments)
            with _unwatched(watcher):
                return original(*args, **kwargs)
        finally:
            watcher.is_paused = False

    made: dict[str, Any] = {}
    exec(f"def call(*args, **kwargs):\n    return {HOOK}{name}(*args, **kwargs)", made)
    own[HOOK + name] = noted
    kernel.__code__ = made["call"].__code__


def _unwatched(watcher: Watcher) -> AbstractContextManager[Any]:
    """Take the watcher away: FlexAttention has Dynamo trace it, and the watcher with it."""
    is_on_top = _get_current_function_mode() is watcher  # type: ignore[no-untyped-call]
    return _pop_mode_temporarily() if is_on_top else nullcontext()
