"""Elementwise primitives: PyTorch's promotion and broadcasting in front of a ufunc.

Their hot calls are for Tensors of one and the same float32 or float64 dtype, and Python numbers beside them (see
``call``). ``any_state`` takes whatever tensors and numbers; ``any_spelling`` calls that are written unusually.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ... import overrides
from ..._core import state
from ..._core.devices import check_devices
from ..._core.missing import Missing
from ..._tensor import Tensor
from ...autograd.saved import DIRECT, PLAIN
from . import recipes
from .any_state import finished, outputs, subclasses, transforms
from .arguments import NUMPY_NAMES, is_number
from .call import made
from .deprecated import warn_of_number_first
from .errors import type_of
from .forms import forms, known_name
from .namespaces import TENSORS
from .native import Native
from .operands import check_dtypes, operands, refuse_inference, run_kernel, wrong_operand
from .overloads import no_combination
from .primitive import Primitive
from .rule import Gradient
from .signatures import mistake

MISSING: Any = Missing()
"""Stands for an argument that was not given."""


class Elementwise(Primitive):
    """A primitive whose tensors are promoted to one dtype and broadcast together.

    ``promote``: ``"default"`` (PyTorch's result_type), ``"float"`` (integers become the default float dtype),
    ``"compare"`` (the kernel answers in bool). ``scalars``: attributes that count as Python numbers in promotion.
    ``numbers``: whether a Python number may stand for a tensor. ``fast=False``: float tensors need ``check`` as well.
    """

    def __init__(
        self, name: str, kernel: Any, node: str | None, *, promote: str = "default", check: Any = None,
        scalars: tuple[str, ...] = (), numbers: bool = True, fast: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, kernel, node, kind="elementwise", **options)
        self.promote = promote
        self.check = check
        self.scalars = tuple(self.attribute_names.index(s) for s in scalars)
        self.numbers = numbers
        self.fast = fast
        self.guard: Any = None
        """Called with the tensors as given, before promotion; raises if it refuses them."""
        self.write: Any = None
        """For kernels that are no ufuncs: ``write(target, *others, *attributes)`` computes into its first argument."""
        self.in_half: Any = None
        """For kernels that round on their way: ``in_half(dtype, *arrays)`` takes half precision as float32."""
        self.out_error: Any = None
        """What is said of an ``out=`` of another dtype than the result's, if none will do."""
        self.with_alpha: Any = None
        """What takes over when ``alpha=`` is given: ``with_alpha(input, other, alpha)``."""
        self.wide_numbers = False
        """Whether a number that stands for a tensor is not rounded to half precision beside it."""
        self.is_reflected = False
        """Whether it computes with its operands in the other order, so that the last one's layout counts first."""
        self.lays_out = False
        """Whether the kernel itself decides how its result lies in memory."""
        self.rounded_numbers = self.scalars
        """The attributes that are rounded to half precision beside it."""

    @property
    def out(self) -> tuple[str, ...]:
        return () if self.out_error is None else ("exact",)

    def _hot(self) -> Callable[..., Any]:
        return self.any_state  # until it is ready

    def any_state(self, *args: Any) -> Any:
        k = len(self.tensor_names)
        return any_state(self, args[:k], attributes=args[k:])

    def ready(self) -> Elementwise:
        """Build its callables, once all rules are given."""
        self.call = self._form("function")
        setattr(TENSORS, self.name, self._form("rule"))
        return self

    @cached_property
    def method(self) -> Any:
        return self._form("method")

    @cached_property
    def operator(self) -> Any:
        return self._form("operator")

    @property
    def holds_bare(self) -> bool:  # type: ignore[override]
        """One operand for each rule, and no two rules need the same; or the output, for the only rule."""
        needed = [[s for s in rule.sources if s != "xp"] for rule in self.rules.values()]
        return (
            len(self.slots) == len(needed) == len({*map(tuple, needed)})
            and len(needed) <= 2
            and all(slot.is_tensor and not (slot.is_output and len(needed) > 1) for slot in self.slots)
            and all(len(names) == 1 and names[0] in ("input", "other", "out") for names in needed)
        )

    def _form(self, form: str) -> Callable[..., Any]:
        k = len(self.tensor_names)
        own = {
            "_form": form, "_is_operator": form == "operator", "_MISSING": MISSING, "_any_spelling": any_spelling,
        }  # fmt: skip
        simple = all(slot.name in ("input", "other", "out") for slot in self.slots)
        if self.attribute_names or k > 2:
            if self.attribute_names and k == 1 and self.fast:
                return _named(made(self, recipes.attributed, any_state, **own), self)
            return _named(_with_out(self), self)
        if k == 1 and self.fast and simple and len(self.slots) <= 1:
            return _named(made(self, recipes.unary, any_state, **own), self)
        if k == 2 and self.fast and simple and len(self.rules) in (0, 2):
            call = made(self, recipes.binary, any_state, **own)
            return _named(call if form in ("operator", "rule") else _with_keywords(self, call, form), self)
        return _named(_spelled(self, form), self)

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    def under(self, name: str, node: str | None, kernel: Any = None, **changes: Any) -> Elementwise:
        op: Elementwise = super().under(name, node, kernel, **changes)
        return op.ready()

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> Elementwise:
        del options["kind"]
        return Elementwise(
            name, kernel, node, promote=self.promote, check=self.check, numbers=self.numbers, fast=self.fast,
            scalars=tuple(self.attribute_names[i] for i in self.scalars), **options,
        )  # fmt: skip


def elementwise(
    name: str, kernel: Any, node: str | None = None, *, promote: str = "default", check: Any = None,
    scalars: tuple[str, ...] = (), numbers: bool = True, fast: bool = True,
    holomorphic: bool = True, saved_names: dict[str, str] | None = None, quick: dict[str, np.ufunc] | None = None,
    native: Native | None = None, lowering: Any = None, **rules: Callable[..., Any] | Gradient,
) -> Elementwise:  # fmt: skip
    """Declare an elementwise primitive in one expression: kernel, node name, and a rule for each input.

    ``quick`` may give the ufunc that a rule comes to on real arrays; see NOTE [quick rules] in ``node``.
    """
    op = Elementwise(
        name, kernel, node, promote=promote, check=check, scalars=scalars, numbers=numbers, fast=fast,
        holomorphic=holomorphic, saved_names=saved_names, native=native, lowering=lowering,
    )  # fmt: skip
    op.vjp(**rules)
    op.quick = quick or {}
    return op.ready()


def _with_keywords(op: Elementwise, hot: Callable[..., Any], form: str) -> Callable[..., Any]:
    """The function or method form: operators need no keywords, and are quicker without."""

    def call(*args: Any, **more: Any) -> Any:
        if not more and len(args) == 2:
            return hot(args[0], args[1], 2)
        given = (*args, MISSING, MISSING)[:2]
        return any_spelling(op, given, args[2:], more, form)

    return call


def _spelled(op: Elementwise, form: str) -> Callable[..., Any]:
    """For operators that have no hot call."""
    k = len(op.tensor_names)

    def call(*args: Any, **more: Any) -> Any:
        given = args if len(args) >= k else args + (MISSING,) * (k - len(args))
        return any_spelling(op, given[:k], args[k:], more, form)

    return call


def _with_out(op: Elementwise) -> Callable[..., Any]:
    """For operators with several tensors and attributes, which public functions have put in order."""
    k = len(op.tensor_names)

    def call(*args: Any, out: Any = None) -> Any:
        return any_state(op, args[:k], out=out, attributes=args[k:])

    return call


def _named(call: Any, op: Elementwise) -> Any:
    call.__name__ = call.__qualname__ = op.name
    call.primitive = op
    return call


# ---- any state


def any_state(
    op: Elementwise, args: tuple[Any, ...], operator: bool = False, out: Any = None, attributes: tuple[Any, ...] = (),
    form: str = "function",
) -> Any:  # fmt: skip
    if not (state.special and state.modes.function_modes):
        for v in args:
            if type(v) not in PLAIN and isinstance(v, Tensor) and v.wraps:
                return _in_transform(op, args, attributes, operator, out)
    if overrides.overridden(args):
        public = op.method if operator or form == "method" else op.public or op.call
        return overrides.call_override(op.call, public, args + attributes, {} if out is None else {"out": out})
    if state.special and state.modes.profiled is not None:
        return _measured(op, args, operator, out, attributes, form)
    if state.special and state.modes.capture is not None:
        state.modes.capture.adopt(args)
    if not op.numbers:
        for i, v in enumerate(args):
            if isinstance(v, (bool, int, float, complex, np.generic)):
                raise wrong_operand(op, args, form, i)
    found = operands(op, args, attributes)
    if found is None:
        if operator:
            return NotImplemented
        raise wrong_operand(op, args, form)
    if out is not None:
        from .public import refuse_recorded_out  # it imports this module

        refuse_recorded_out(op.name, op, out, *args)
    if op.guard is not None:
        op.guard(*args)
    values, arrays, dt = found
    if not (state.dispatching and subclasses.among(args)):
        try:
            check_dtypes(op, args, arrays)
        except NotImplementedError as e:
            if out is None or not hasattr(e, "result_dtype"):
                raise
            from .public import said_of_out  # it imports this module

            raise said_of_out(e, op, out, args) from None
        check_devices(arrays)

    def run() -> Any:
        try:
            return run_kernel(op, arrays, dt, attributes)
        except RuntimeError:
            if op.rules:
                refuse_inference(op, args)
            raise

    if out is None:
        return finished(op, run, tuple(values), attributes, args)
    from .public import write_out  # it imports this module

    return write_out(op.name, out, outputs(op, run, tuple(values), attributes, args)[0], args, op)


def _measured(
    op: Elementwise, args: tuple[Any, ...], operator: bool, out: Any, attributes: tuple[Any, ...], form: str
) -> Any:
    from ...profiler import _recorder  # loaded when first used

    if operator:
        return _recorder.operator(op, args, op.operator, *args)
    if out is None and form == "function":
        return _recorder.operator(op, args + attributes, op.call, *args, *attributes)
    return _recorder.operator(op, args + attributes, any_state, op, args, operator, out, attributes, form)


def _in_transform(op: Elementwise, args: tuple[Any, ...], attributes: tuple[Any, ...], operator: bool, out: Any) -> Any:
    """The same for tensors that stand for others."""
    for i, v in enumerate(args):
        if type(v) not in DIRECT and not isinstance(v, (Tensor, float, int)) and not is_number(v):
            if operator:
                return NotImplemented
            raise wrong_operand(op, args, at=i)
    if op.guard is not None:
        op.guard(*args)
    result = transforms.call(op, args, attributes)
    if out is None:
        return result
    from .public import write_out  # it imports this module

    return write_out(op.name, out, result, args, op)


def _is_factor(value: Any) -> bool:
    """Whether PyTorch takes a value for a number: a 0-d tensor that needs no gradient is one."""
    return is_number(value) or (isinstance(value, Tensor) and not value._array.ndim and not value.requires_grad)


def any_spelling(op: Elementwise, args: tuple[Any, ...], rest: tuple[Any, ...], more: dict[str, Any], form: str) -> Any:
    """A call that is not plainly (tensor) or (tensor, tensor): keywords, subclasses, numbers first, mistakes."""
    out, alpha = None, 1
    first, last = type(args[0]), type(args[-1])
    if first in DIRECT and (last in DIRECT or last is float) and not rest and not more and len(args) <= 2:
        if (first in PLAIN and (last in PLAIN or last is float)) or (state.special and state.modes.function_modes):
            return any_state(op, args, form == "operator", form=form)
        if op.guard is not None:
            op.guard(*args)
        return transforms.call(op, args, ())
    given = list(args)
    if rest or more or args[-1] is MISSING:
        whole = (*(v for v in args if v is not MISSING), *rest)
        if overrides.overridden(whole, more):
            return overrides.call_override(op.call, op.method if form == "method" else op.public, whole, more)
        k = len(args) - (form == "method")
        takes_factor = len(rest) == 1 and op.with_alpha is not None and _is_factor(given[1])
        if takes_factor and (isinstance(rest[0], Tensor) or is_number(rest[0])):
            warn_of_number_first(op.name, form == "method")
            factor = given[1].item() if isinstance(given[1], Tensor) else given[1]
            given, rest, more = [given[0], rest[0]], (), {"alpha": factor, **more}
        if rest:
            raise TypeError(f"{op.name}() takes {k} positional argument{'s' * (k != 1)} but {k + len(rest)} were given")
        for key, value in more.items():
            name = key if key in op.tensor_names else NUMPY_NAMES.get(key, key)
            if key == "out" and form != "method":
                out = value
            elif key == "alpha" and op.with_alpha is not None:
                alpha = value
            elif name in op.tensor_names and given[op.tensor_names.index(name)] is MISSING:
                given[op.tensor_names.index(name)] = value
            else:
                raise TypeError(f"{op.name}() got an unexpected keyword argument '{key}'")
        missing = [name for name, v in zip(op.tensor_names, given) if v is MISSING]
        if missing and op.with_alpha is not None:
            told = tuple([v for v in given[form == "method" :] if v is not MISSING])
            raise no_combination(op.name, told, {}, forms(op.name, form == "method"))
        if missing:
            shown = ", ".join(f'"{name}"' for name in missing)
            raise TypeError(f"{op.name}() missing {len(missing)} required positional arguments: {shown}")
        if out is not None and not isinstance(out, Tensor):
            raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type_of(out)}")
        if more and not op.numbers and not all(isinstance(v, Tensor) for v in given):
            positional = tuple([v for v in args if v is not MISSING])
            wrong = mistake(known_name(op.name), positional, more, form == "method")
            if wrong is not None:
                raise wrong
    if form == "operator" and not isinstance(given[0], Tensor):
        kind = type_of(given[0])
        raise TypeError(f"descriptor of {op.name} for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object")
    if not (alpha.__class__ is int and alpha == 1):
        if not is_number(alpha):
            wrong = mistake(op.name, tuple(given), {"alpha": alpha}, form == "method")
            if wrong is not None:
                raise wrong
        result = op.with_alpha(*given, alpha)
        if out is None:
            return result
        from .public import write_out  # it imports this module

        return write_out(op.name, out, result, args, op)
    if len(given) == 1 and isinstance(given[0], (bool, int, float, complex, np.generic)):
        raise wrong_operand(op, tuple(given), form, 0)
    return any_state(op, tuple(given), form == "operator", out, form=form)
