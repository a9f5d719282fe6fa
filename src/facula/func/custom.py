"""``autograd.Function`` inside transforms: its ``jvp`` for duals; its ``vmap``, or one made for it, for batches."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import state
from .._core.pytree import broadcast_to_and_flatten, tree_flatten, tree_map, tree_unflatten
from .._levels.batched import Batched, batch, is_batched, unbatch
from .._levels.dual import Dual, is_dual, make_dual, parts, set_tangent
from .._levels.wrapped import Level, below, enter, leave
from .._tensor import Tensor
from ..autograd.forward_ad import check_fits
from ..autograd.function import Function
from ..ops.machine.errors import type_of

_SEE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """What ``Function.vmap`` is told of the batch."""

    batch_size: int
    randomness: str


def apply_in_transform(cls: Any, args: tuple[Any, ...], top: Any) -> Any:
    """``cls.apply`` on arguments of which some belong to a transform, ``top`` to the highest."""
    level = top._level
    if isinstance(top, Dual):
        return below(level, _with_tangents, cls, args, level)
    has_rule = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and has_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            f"ambiguity. {_SEE}"
        )
    if has_rule:
        return below(level, _by_its_rule, cls, args, level)
    if cls.generate_vmap_rule:
        return below(level, _by_made_rule, cls, args, level)
    raise RuntimeError(
        f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the "
        f"vmap staticmethod or set generate_vmap_rule=True. {_SEE}"
    )


# ---- forward mode


class ForwardContext:
    """``ctx`` as ``jvp`` sees it: ``saved_tensors`` are those saved for forward."""

    def __init__(self, node: Any) -> None:
        self.__dict__["_node"] = node

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        kept: Any = getattr(self._node, "saved_for_forward", None)
        return tuple(kept or ())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._node, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._node, name)


def _with_tangents(cls: Any, args: tuple[Any, ...], level: Level) -> Any:
    primals, tangents = parts(args, level)
    if cls.setup_context is Function.setup_context:
        result, node = cls._applied(primals)
        ctx: Any = ForwardContext(node)
    else:
        result = cls.apply(*primals)
        ctx = node = _ForwardRecorder()
        node.needs_input_grad = tuple(t is not None for t in tangents)
        cls.setup_context(node, primals, result)
        node.saved_tensors = node.saved_for_forward or ()
    outs = list(result) if isinstance(result, tuple) else [result]
    materialize = getattr(node, "materialize_grads", True) and getattr(node, "materialize", True)
    given: list[Any] = [
        p.new_zeros(p.shape) if t is None and materialize and isinstance(p, Tensor) and p.is_floating_point() else t
        for p, t in zip(primals, tangents)
    ]
    versions = [t._version if isinstance(t, Tensor) else 0 for t in given]
    found = cls.jvp(ctx, *given)
    slopes = list(found) if isinstance(found, tuple) else [found]
    if len(slopes) != len(outs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but got "
            f"{len(slopes)})"
        )
    dirty, constant = node.marks
    duals = []
    for i, (out, slope) in enumerate(zip(outs, slopes)):
        if slope is None or not isinstance(out, Tensor):
            duals.append(out)
            continue
        if not isinstance(slope, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type_of(slope)}) for grad output {i}.")
        if id(out) in constant or out._array.dtype.kind not in "fcV":
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {i}, but  the corresponding forward output is "
                "not a differentiable Tensor.You should return None at that position instead."
            )
        at = next((i for i, p in enumerate(primals) if p is out and id(out) in dirty), None)
        if at is not None and is_dual(args[at], level):
            _check_is_changed(slope, given[at], versions[at])
            set_tangent(args[at], slope, level)
            duals.append(args[at])
            continue
        if level is state.modes.dual:
            _check_is_view(out, slope, primals, given)
        check_fits(out, slope)
        duals.append(make_dual(out, slope, level))
    return tuple(duals) if isinstance(result, tuple) else duals[0]


def _check_is_changed(slope: Any, given: Any, version: int) -> None:
    """The tangent of what was changed in place must be changed in place, too."""
    if slope._version == version:
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
            "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
        )
    if slope is not given:
        raise RuntimeError(
            "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is "
            "modifying an input inplace, then the jvp function must modify the gradient inplace and return it as-is."
        )


def _check_is_view(out: Any, slope: Any, primals: tuple[Any, ...], tangents: list[Any]) -> None:
    """The tangent of a view must be a view, and of the tangent of what it is a view of."""
    if out.wraps or slope.wraps:
        return
    base = out._base
    at = next(
        (
            i for i, p in enumerate(primals)
            if isinstance(p, Tensor) and not p.wraps and (p is out or (base is not None and base is _root(p)))
        ),
        None,
    )  # fmt: skip
    if at is None:
        return
    given = tangents[at]
    if slope._base is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    if isinstance(given, Tensor) and not given.wraps and slope._base is not _root(given):
        same = "the same base as " if given._base is not None else ""
        raise RuntimeError(
            f"A custom Function is returning a view but the jvp is not returning a view of {same}the given grad input."
        )


def _root(t: Any) -> Any:
    return t if t._base is None else t._base


# ---- vmap


def _by_its_rule(cls: Any, args: tuple[Any, ...], level: Level) -> Any:
    return by_rule(cls.vmap, args, {}, level)


def by_rule(rule: Any, args: tuple[Any, ...], kwargs: dict[str, Any], level: Level) -> Any:
    """Call a user's rule for batches, ``rule(info, in_dims, *args)``, which returns (output, out_dims)."""

    def dim(v: Any) -> Any:
        return v._given_at[1] if is_batched(v, level) else None

    def inside(v: Any) -> Any:
        if not is_batched(v, level):
            return v
        given, at = v._given_at
        return v._value if at == 0 else given

    in_dims = tuple(tree_map(dim, a) for a in args)
    values = [tree_map(inside, a) for a in args]
    found = rule(VmapInfo(level.size, level.randomness), in_dims, *values, **tree_map(inside, kwargs))
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(found)} instead"
        )
    output, out_dims = found
    leaves, spec = tree_flatten(output)
    dims = broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {spec}. {_SEE}"
        )
    return tree_unflatten(
        [v if d is None or not isinstance(v, Tensor) else batch(v.movedim(d, 0), level) for v, d in zip(leaves, dims)],
        spec,
    )


def _by_made_rule(cls: Any, args: tuple[Any, ...], level: Level) -> Any:
    """Run the Function on whole batches: each of its methods inside a ``vmap`` of its own."""
    batched = [is_batched(a, level) for a in args]
    made = _on_batches(cls, batched, level.size, level.randomness)
    result = made.apply(*[a._value if b else a for a, b in zip(args, batched)])
    if isinstance(result, tuple):
        return tuple(batch(v, level) if isinstance(v, Tensor) else v for v in result)
    return batch(result, level)


class _Recorder:
    """``ctx`` for the methods of a single item; what it saves is kept as what is inside."""

    def __init__(self, saved: Any = None) -> None:
        self.saved_tensors = saved
        self.to_save: tuple[Any, ...] = ()
        self.saved_for_forward: tuple[Any, ...] | None = None
        self.constant: tuple[Any, ...] = ()
        self.materialize = True
        self.needs_input_grad: tuple[bool, ...] = ()
        self.dirty: tuple[Any, ...] = ()

    @property
    def marks(self) -> tuple[Any, Any]:
        """The dirty tensors and the constant ones, by their identities."""
        return {id(t) for t in self.dirty}, {id(t) for t in self.constant}

    def save_for_backward(self, *tensors: Any) -> None:
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        self.saved_for_forward = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self.constant = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        raise RuntimeError(
            "NYI: Composition of autograd.Function with vmap generate_vmap_rule=True and ctx.mark_dirty. Please "
            "override the vmap staticmethod instead."
        )

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize = value


class _ForwardRecorder(_Recorder):
    """The same for ``jvp``, where arguments may be changed in place."""

    def mark_dirty(self, *tensors: Any) -> None:
        self.dirty = tensors


def _on_batches(cls: Any, batched: list[bool], size: int, randomness: str) -> Any:
    def per_item(fn: Any, flags: list[Any], *values: Any) -> Any:
        """Call a method inside a level of its own; results as (tensors inside, whether they are batched)."""
        level = enter(size, randomness)
        try:
            given = [batch(v, level) if b and isinstance(v, Tensor) else v for v, b in zip(values, flags)]
            return fn(level, *given)
        finally:
            leave(level)

    def opened(values: Any, level: Level) -> tuple[list[Any], list[bool]]:
        flags = [isinstance(v, Batched) and v._level is level for v in values]
        return [v._value if b else v for v, b in zip(values, flags)], flags

    def forward(*args: Any) -> Any:
        def run(level: Level, *given: Any) -> Any:
            out = cls.forward(*given)
            outs = out if isinstance(out, tuple) else (out,)
            whole = tuple(unbatch(v, level) if isinstance(v, Tensor) else v for v in outs)
            return whole if isinstance(out, tuple) else whole[0]

        return per_item(run, batched, *args)

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        outs = output if isinstance(output, tuple) else (output,)

        def run(level: Level, *given: Any) -> None:
            items, results = given[: len(inputs)], given[len(inputs) :]
            inner = _Recorder()
            inner.needs_input_grad = ctx.needs_input_grad
            cls.setup_context(inner, items, tuple(results) if isinstance(output, tuple) else results[0])
            kept, ctx.flags = opened(inner.to_save, level)
            ctx.save_for_backward(*kept)
            forward_kept, ctx.forward_flags = opened(inner.saved_for_forward or (), level)
            ctx.save_for_forward(*forward_kept)
            ctx.mark_non_differentiable(*[o for o, r in zip(outs, results) if any(r is c for c in inner.constant)])
            ctx.inner = inner
            inner.to_save = inner.constant = ()
            inner.saved_for_forward = None

        per_item(run, [*batched, *[True] * len(outs)], *inputs, *outs)

    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors

        def run(level: Level, *given: Any) -> Any:
            ctx.inner.saved_tensors = given[: len(saved)]
            found = cls.backward(ctx.inner, *given[len(saved) :])
            found = found if isinstance(found, tuple) else (found,)
            return tuple(
                None if g is None else unbatch(g, level) if b else unbatch(g, level).sum(0)
                for g, b in zip(found, batched)
            )

        return per_item(run, [*ctx.flags, *[True] * len(grads)], *saved, *grads)

    def jvp(ctx: Any, *tangents: Any) -> Any:
        saved = ctx.saved_tensors

        def run(level: Level, *given: Any) -> Any:
            ctx.inner.saved_tensors = ctx.inner.saved_for_forward = given[: len(saved)]
            found = cls.jvp(ctx.inner, *given[len(saved) :])
            whole = tuple(
                None if t is None else unbatch(t, level) for t in (found if isinstance(found, tuple) else (found,))
            )
            return whole if isinstance(found, tuple) else whole[0]

        return per_item(run, [*ctx.forward_flags, *batched], *saved, *tangents)

    body = {"forward": forward, "setup_context": setup_context, "backward": backward, "generate_vmap_rule": True}
    if cls.jvp is not Function.jvp:
        body["jvp"] = jvp
    methods = {name: staticmethod(fn) if callable(fn) else fn for name, fn in body.items()}
    return type(f"Vmapped{cls.__name__}", (Function,), methods)
