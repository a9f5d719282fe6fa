"""The forms in which an operator appears: function, method, in-place method, ``out=``.

``FUNCTIONS`` collects what becomes ``facula.<name>``; methods go onto Tensor (see ``_lazy``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ... import _lazy, overrides
from ..._core import state
from ..._core.dtypes import SCALAR_TYPE_NAMES, can_cast, cpp_name, dtype
from ..._core.generator import refuse_out
from ..._core.strides import lies_by_rows, strides_as
from ..._lazy import set_methods
from ..._levels.needs_values import NeedsValues
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ...autograd.meta import remember_shape
from ...autograd.saved import DIRECT, PLAIN
from ...autograd.views import check_inplace
from ..arrays.strides import resized, strided
from .any_state import mark_new, subclasses
from .arguments import NUMPY_NAMES
from .deprecated import numbers_moved
from .elementwise import Elementwise
from .errors import NoOverload, WrongArgument, is_binding_error, memory_error, misfit, type_of, unreal
from .front import Fronts, front
from .overloads import argument_error
from .primitive import Primitive
from .write import (
    check_no_overlap,
    check_no_partial_overlap,
    check_result_type,
    history_first,
    inplace_form,
    needs_gradient,
    refused_first,
)


class Functions(dict[str, Any]):
    """Functions by name; asked for one that is not here yet, it loads its module."""

    def __missing__(self, name: str) -> Any:
        if name in _lazy.FUNCTIONS:
            _lazy.load(_lazy.FUNCTIONS[name])
        if name not in self:
            raise KeyError(name)
        return self[name]


FUNCTIONS = Functions()

FUNCTIONALS: dict[str, Any] = {}
"""What becomes ``facula.nn.functional.<name>``."""

LINALG: dict[str, Any] = {}
"""What becomes ``facula.linalg.<name>``."""


def expose(
    op: Any, functions: str = "", methods: str = "", inplace: str = "", operators: str = "",
    inplace_operators: str = "", out_error: Any = None,
) -> Any:  # fmt: skip
    """Give a primitive its public names. An elementwise one already takes ``out=``.

    ``out_error``: what is said of an ``out=`` that has not the very dtype of the result, if none other will do.
    """
    if out_error is not None:
        op.out_error = out_error
    call = op.call if isinstance(op, Elementwise) else op
    for name in functions.split():
        FUNCTIONS[name] = call
    if methods:
        method = op.method if isinstance(op, Elementwise) else _as_method(call) if isinstance(call, Primitive) else call
        set_methods(**dict.fromkeys(methods.split(), method))
    if operators:
        set_methods(**dict.fromkeys(operators.split(), op.operator))
    if inplace or inplace_operators:
        change = inplace_form(op)
        set_methods(**dict.fromkeys(inplace.split(), change))
        if inplace_operators:
            set_methods(**dict.fromkeys(inplace_operators.split(), inplace_form(op, operator=True)))
        for name in functions.split():
            FUNCTIONS.setdefault(f"{name}_", change)
    op.public = call
    op.public_record = Record(
        op.name, functions, f"{methods} {operators}", f"{inplace} {inplace_operators}", out=isinstance(op, Elementwise)
    )
    return op


def _as_method(call: Any) -> Any:
    def method(self: Any, *args: Any) -> Any:
        return call(self, *args)

    return method


AUTOCAST = (None, "low", "full", "widest")
"""While autocast is on, public functions compute in the dtypes that they are given, in autocast's, in float32, or in
the widest dtype of their arguments, which may be float32 or autocast's."""

_OUT = frozenset(["any", "bool", "constant", "dim", "exact", "leads", "separate"])


class Record:
    """What is said of a public function at its declaration. The function and the method carry it as ``record``."""

    __slots__ = (
        "autocast", "functionals", "functions", "inplace", "is_pointwise", "methods", "out", "out_dtype", "out_error",
        "title",
    )  # fmt: skip

    def __init__(
        self, title: str, functions: str, methods: str, inplace: str, *, functionals: str = "",
        autocast: str | None = None, out: bool | str = False, out_error: Any = None,
        out_dtype: dtype | None = None,
    ) -> None:  # fmt: skip
        self.title = title
        """What errors call it."""
        self.functions = functions.split()
        self.functionals = functionals.split()
        self.methods = methods.split()
        self.inplace = inplace.split()
        self.autocast = autocast
        """In which dtype it computes while autocast is on."""
        self.out = ("any",) if out is True else tuple(out.split()) if out else ()
        """How it takes ``out=``: not at all, or by some of the words of ``public``."""
        self.is_pointwise = False
        """Whether what it makes lies in memory as its operands do, and so does an ``out=`` that gets its shape."""
        self.out_error = out_error
        self.out_dtype = out_dtype
        if autocast not in AUTOCAST or not _OUT.issuperset(self.out):
            raise TypeError(f"{title}: autocast={autocast!r}, out={out!r}")


OTHER_THAN_FOUND = "Found dtype {1} but expected {0}"
"""What is said of an ``out=`` of another dtype by operators that have no promotion."""

OTHER_SCALAR_TYPE = "expected scalar_type {0} but found {1}"
"""The same, by operators that have their own check."""


def not_safely_castable(name: str, result: str = "result") -> str:
    """The same, by linear algebra."""
    return f"{name}: Expected {result} to be safely castable from {{0}} dtype, but got {result} with dtype {{1}}"


_BEFORE_LEAVES = (
    "cannot resize", "the base given to", "dimensions must larger", "all dimensions of input must", "a view of a leaf",
)  # fmt: skip
"""How sentences begin that come even before those of leaves that are changed in place."""

REFUSALS = (TypeError, AttributeError, ValueError, OverflowError, MemoryError)
"""What Python and NumPy raise where PyTorch has a sentence of its own."""


def public(
    functions: str = "", methods: str = "", *, functionals: str = "", out: bool | str = False,
    out_error: Any = None, out_dtype: dtype | None = None, autocast: str | None = None, inplace: str = "",
    overloads: bool = False, spread: bool = False, numbers_first: str = "",
    name: str | None = None, looks_first: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Make a Python function over primitives a public operator.

    The public form dispatches to ``__torch_function__``, understands NumPy's argument names and, with ``out=True``,
    takes ``out=`` as a function. Words in place of True say how: ``"dim"``: only together with that argument;
    ``"exact"``: it must have the very dtype of the result (``out_error``: what is said of another one, if not the usual
    sentence; ``out_dtype``: that dtype, if it is known and asked for before all else);
    ``"leads"``: its dtype is computed in, unless another is asked for;
    ``"bool"``: it must hold booleans, or bytes in their place; ``"separate"``: it may not be one of the arguments;
    ``"constant"``: the result has no derivative, so that arguments may have a history.
    ``autocast`` is ``"low"`` for what computes in autocast's dtype, ``"full"`` for float32, ``"widest"`` for the widest
    dtype among the arguments. ``inplace`` names methods that write the result into ``self`` (by ``copy_``, for
    functions without a primitive of their own in-place form).
    ``functionals`` are names in ``nn.functional``. ``overloads`` says that PyTorch has several forms of it, and so
    another sentence for arguments that fit none. ``spread``: a list after a text is taken as so many arguments,
    before classes and modes are asked. ``numbers_first``: keywords that an older form has as numbers before the tensors
    that they multiply. ``name``: what errors call it. ``looks_first``: it looks at its arguments before it asks tensors
    for their histories, as PyTorch composes it of others or never records it. The plain function is returned for
    internal use; its ``public`` is for users.
    """

    def make(fn: Callable[..., Any]) -> Callable[..., Any]:
        title = name or [*functions.split(), *methods.split(), *functionals.split(), fn.__name__][0]
        record = Record(
            title, functions, methods, inplace, functionals=functionals, autocast=autocast, out=out,
            out_error=out_error, out_dtype=out_dtype,
        )  # fmt: skip
        record.is_pointwise = ".pointwise." in fn.__module__
        needed = "dim" if "dim" in record.out else None
        accepted = set(fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount])
        takes_tensor = next(iter(fn.__annotations__.values()), None) == "Tensor"
        makes = title.endswith("_like") or title.startswith("new_")
        direct = PLAIN if makes else DIRECT

        factors = frozenset(numbers_first.split())
        in_place = title.endswith("_")
        names = [*functions.split(), *methods.split(), *functionals.split(), title]
        fronts = Fronts(names, fn, not functions and not methods)

        def form(is_method: bool) -> Callable[..., Any]:
            call = front(
                fronts, _fn=fn, _direct=direct, _is_method=is_method, _any_call=any_call, _failed=failed,
                _each_item=each_item,
            )  # fmt: skip
            call.record = record
            looking_like(fn, call)
            call.__name__ = call.__qualname__ = title
            return call

        def failed(e: Exception, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], is_method: bool) -> Any:
            if overrides.overridden(args, kwargs):  # by another argument than the first
                return overrides.call_override(fn, call, args, kwargs)
            again = fronts.widened(args, kwargs) if type(e) is OverflowError else None
            if again is not None:
                return call(*again[0], **again[1])
            raise explained(e, args, kwargs, is_method) from None

        def any_call(call: Any, args: tuple[Any, ...], given: dict[str, Any], is_method: bool) -> Any:
            kwargs = given
            target = None
            if spread and len(args) == 2 and isinstance(args[0], str) and isinstance(args[1], (list, tuple)):
                args = (args[0], *args[1])
            if given:
                kwargs = {(NUMPY_NAMES.get(k, k) if k not in accepted else k): v for k, v in given.items()}
                if len(kwargs) != len(given):
                    kwargs = given
                if out and not is_method:
                    target = kwargs.pop("out", None)
            if overrides.overridden(args, kwargs):
                if target is not None:
                    kwargs["out"] = target
                return overrides.call_override(fn, call, args, kwargs)
            if autocast is not None and state.modes.autocast is not None:
                from .autocast import prepared  # loaded when first used

                args, kwargs = prepared(autocast, args, kwargs)
            if factors and not factors.intersection(kwargs) and not fronts.fits(args, kwargs):
                args, kwargs = today(args, kwargs, is_method)
            if takes_tensor and args and not isinstance(args[0], Tensor):
                raise explained(TypeError(), args, given, is_method)
            is_other_out = target is not None and target.__class__ not in DIRECT
            if is_other_out or not fronts.fits(args, kwargs):
                wrong = fronts.mistake(args, given, is_method)
                if wrong is not None:
                    raise wrong
                args, kwargs = fronts.unwrapped(args, kwargs)
            if makes and args and isinstance(args[0], Tensor) and args[0].wraps:
                return args[0]._made_like(title, fn, args[1:], kwargs)
            try:
                if target is None:
                    if state.special and state.modes.profiled is not None:
                        from ...profiler import _recorder  # loaded when first used

                        return _recorder.function(f"aten::{title}", args, fn, kwargs)
                    if state.special and state.modes.capture is not None:
                        result = state.modes.capture.function(fn, args, kwargs, makes)
                    elif makes and state.special and state.modes.kernels is not None:
                        result = state.modes.kernels.function(title, fn, args, kwargs)
                    elif state.dispatching and subclasses.among((*args, *kwargs.values())):
                        result = (subclasses.factory if makes else subclasses.function)(title, fn, args, kwargs)
                    else:
                        result = fn(*args, **kwargs)
                    if state.special and state.modes.inference:
                        mark_new(result, args)
                    return result
                if needed is not None and needed not in kwargs and len(args) < 2:
                    raise NoOverload
                refuse_recorded_out(title, record, target, *args)
                if out_dtype is not None and isinstance(target, Tensor) and target.dtype is not out_dtype:
                    raise _other_out_dtype(record, out_dtype, target.dtype)
                asked = kwargs.get("dtype")
                if asked is not None and isinstance(target, Tensor) and target.dtype is not asked:
                    raise _other_out_dtype(record, asked, target.dtype)
                if asked is None and "leads" in record.out and isinstance(target, Tensor):
                    kwargs["dtype"] = target.dtype
                result = fn(*args, **kwargs)
                if isinstance(result, tuple) and isinstance(target, Tensor):
                    raise NoOverload
            except NeedsValues as e:
                result = each_item(e, args, kwargs)
                if target is None:
                    return result
            except Exception as e:
                if target is not None and hasattr(e, "result_dtype"):
                    e = said_of_out(e, record, target, args)
                raise explained(e, args, given, is_method) from None
            return write_out(title, target, result, args, record)

        def today(args: tuple[Any, ...], kwargs: dict[str, Any], is_method: bool) -> tuple[Any, ...]:
            tensors = tuple(fn.__annotations__)[: fn.__code__.co_argcount]
            whole = (*args, *(kwargs[n] for n in tensors if n in kwargs))
            moved = numbers_moved(title, tensors, tuple(numbers_first.split()), whole, is_method)
            if moved is None:
                return args, kwargs
            return moved[0], {**{k: v for k, v in kwargs.items() if k not in tensors}, **moved[1]}

        def each_item(e: NeedsValues, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            from ..._levels.batched import each_item_of  # it imports this module

            return each_item_of(e, title, fn, args, kwargs)

        def explained(e: Exception, args: tuple[Any, ...], given: dict[str, Any], is_method: bool) -> Exception:
            """PyTorch's sentence for arguments that do not fit; any other error as it is."""
            told = fronts.mistake(args, given, is_method)
            if told is not None:
                return told
            told = unreal(args, given) if fronts.known and isinstance(e, TypeError) else None
            if told is not None:
                return told
            if not isinstance(e, REFUSALS) and not in_place:
                is_first = hasattr(e, "comes_first") or "is being modified inplace" in str(e)  # by ``inplace=True``
                asks = not looks_first and isinstance(e, (RuntimeError, IndexError)) and not is_first
                return history_first(e, *args, *given.values()) if asks else e
            told_already = str(e).startswith(_BEFORE_LEAVES) or "is being modified inplace" in str(e)
            if in_place and args and not isinstance(e, TypeError) and not told_already:
                first = refused_first(e, *args, *given.values())
                if first is not e and misfit(fn, args, given) is None:
                    return first
            if not isinstance(e, (TypeError, AttributeError)):
                too_large = memory_error(e, args)
                asks = too_large is None and type(e) is ValueError and not fronts.handed(is_method)
                wrong = misfit(fn, args, given) if asks else None
                if wrong is None:
                    return too_large or e
                e = wrong
            if takes_tensor and args and not isinstance(args[0], Tensor):
                e = WrongArgument(fn.__code__.co_varnames[0], args[0], "Tensor")
            elif not isinstance(e, (WrongArgument, NoOverload)) and not is_binding_error(e):
                wrong = misfit(fn, args, given) if not fronts.handed(is_method) else None
                if wrong is None:
                    return e
                e = wrong
            return argument_error(e, fn, title, args, given, is_method, overloads)

        function, method = form(False), form(True)
        fn.public = function  # type: ignore[attr-defined]
        for each in functions.split():
            FUNCTIONS[each] = function
        for each in functionals.split():
            FUNCTIONALS[each] = function
        if functionals and not functions:
            function.__name__ = function.__qualname__ = title
        set_methods(**dict.fromkeys(methods.split(), method))
        if inplace:
            set_methods(**dict.fromkeys(inplace.split(), _inplace_by_copy(fn, method)))
        return fn

    return make


def linalg(fn: Callable[..., Any] | None = None, name: str = "", **options: Any) -> Any:
    """Make a function a public one of ``facula.linalg``, which errors call ``linalg_<name>``.

    An ``out=`` has the very dtype of the result, or, with an ``out_error``, one that it can be cast to.
    """
    if fn is None:
        return lambda fn: linalg(fn, name, **options)
    name = name or fn.__name__
    form = getattr(fn, "public", None)
    options.setdefault("out", True if "out_error" in options else "exact")
    LINALG[name] = public("", name=f"linalg_{name}", **options)(fn).public  # type: ignore[attr-defined]
    if form is not None:  # it is a function of ``facula`` itself, too
        fn.public = form  # type: ignore[attr-defined]
    return fn


def looking_like(fn: Any, call: Any) -> Any:
    """What ``functools.wraps`` does, in a tenth of the time."""
    call.__module__, call.__name__, call.__qualname__ = fn.__module__, fn.__name__, fn.__qualname__
    call.__doc__, call.__annotations__, call.__wrapped__ = fn.__doc__, fn.__annotations__, fn
    return call


def _inplace_by_copy(fn: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (self.__class__ not in DIRECT or state.special) and overrides.overridden((self, *args), kwargs):
            return overrides.call_override(change, change, (self, *args), kwargs)
        try:
            result = fn(self, *args, **kwargs)
        except TypeError:  # the method reads arguments of other classes, and tells of those that are wrong
            result = method(self, *args, **kwargs)
        return self.copy_(result)

    change.__name__ = change.__qualname__ = f"{fn.__name__}_"
    change.__wrapped__ = fn  # type: ignore[attr-defined]  # whose parameters it passes on
    return change


# ---- out=


def write_out(name: str, out: Any, result: Any, args: tuple[Any, ...] = (), record: Any = None) -> Any:
    """Write a result into the tensor(s) given as ``out=``."""
    how = () if record is None else record.out
    if isinstance(out, (tuple, list)) and isinstance(result, tuple):
        if len(out) != len(result):
            raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
        fields = getattr(type(result), "__match_args__", ("",) * len(result))
        casts = "any" in how and record.out_error is not None
        for o, r, field in zip(out, result, fields, strict=True):
            if isinstance(o, Tensor) and o.dtype is not r.dtype and not (casts and can_cast(r.dtype, o.dtype)):
                raise _other_out_dtype(record, r.dtype, o.dtype, field)
        parts = [write_out(name, o, r, args, record) for o, r in zip(out, result, strict=True)]
        return getattr(type(result), "out", type(result))(parts)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_of(out)}")
    if state.modes.levels:
        from ..._levels.dual import check_no_dual  # it imports this module

        check_no_dual(f"{name}_out", out, result, *args)
        if name in ("normal", "multinomial"):
            refuse_out()
    refuse_recorded_out(name, record, out, result, *args)
    if out.is_meta != result.is_meta:
        raise RuntimeError(
            f"Attempting to copy from device {result.device.type} to device {out.device.type}, but cross-device copies "
            "are not allowed!"
        )
    given = [t for t in args if isinstance(t, Tensor)]
    if args and isinstance(args[0], (tuple, list)):  # of what is joined, rows of nothing are not read
        given = [t for t in args[0] if isinstance(t, Tensor) and t._array.shape != (0,)]
    if _asks_overlap_first(record) and out._array.shape == result._array.shape:
        check_no_overlap(out._array)
        for t in given:
            check_no_partial_overlap(out._array, t._array)
    if isinstance(record, Elementwise) and given and given[0].is_complex() and not result.is_complex():
        record, how = None, ()  # a real part or a modulus goes into all that it can be cast to
    if out.dtype is not result.dtype and record is not None and "exact" in how:
        raise _other_out_dtype(record, result.dtype, out.dtype)
    if "bool" not in how:
        if record is not None and record.out_error is not None and not can_cast(result.dtype, out.dtype):
            raise _other_out_dtype(record, result.dtype, out.dtype)
        check_result_type(result.dtype, out.dtype)
    elif out._array.dtype not in (np.bool_, np.uint8):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {SCALAR_TYPE_NAMES[out.dtype]}")
    if out.is_sparse:
        return out._become(result)
    check_inplace(out, False)
    check_no_overlap(out._array)
    if "separate" in how:
        for t in given:
            check_no_partial_overlap(out._array, t._array, at_all=True)
    for t in given:
        check_no_partial_overlap(out._array, t._array)
    if out._array.shape != result._array.shape:
        resize_output(out, result._array.shape, result._array if _is_pointwise(record) else None)
    np.copyto(out._array, result._array, casting="unsafe")
    out._bump_version()
    return out


def _is_pointwise(record: Any) -> bool:
    return isinstance(record, Elementwise) or (isinstance(record, Record) and record.is_pointwise)


def _asks_overlap_first(record: Any) -> bool:
    """Whether it is said of an ``out=`` that it shares memory before its dtype is."""
    return isinstance(record, Elementwise) or (_is_pointwise(record) and record.out_error is None)


def refuse_recorded_out(name: str, record: Any, *values: Any) -> None:
    """``out=`` and a history do not go together, which is said before anything else of the arguments."""
    if (isinstance(record, Primitive) and not record.rules) or (record is not None and "constant" in record.out):
        return
    tensors = (t for v in values for t in (v if isinstance(v, (tuple, list)) else (v,)))
    if needs_gradient(*tensors):
        error: Any = RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
        error.comes_first = True
        raise error


def _other_out_dtype(record: Any, wanted: Any, given: Any, field: str = "") -> RuntimeError:
    """What is said of an ``out=``, or of one of several, of a dtype that will not do."""
    if record is None or record.out_error is None:
        return _wrong_out_dtype(wanted, given)
    if callable(record.out_error):
        return RuntimeError(record.out_error(wanted, given, field))
    names = SCALAR_TYPE_NAMES[wanted], SCALAR_TYPE_NAMES[given], field, cpp_name(wanted), cpp_name(given)
    return RuntimeError(record.out_error.format(*names))


def said_of_out(error: Any, record: Any, out: Any, args: tuple[Any, ...]) -> Exception:
    """What is said where a kernel lacks a dtype: first that ``out=`` shares memory or has a dtype that will not do."""
    if isinstance(out, Tensor) and _asks_overlap_first(record):
        given = [t._array for t in args if isinstance(t, Tensor)]
        try:
            if out._array.shape == np.broadcast_shapes(*[a.shape for a in given]):
                check_no_overlap(out._array)
                for a in given:
                    check_no_partial_overlap(out._array, a)
        except RuntimeError as e:
            return e
    wanted = error.result_dtype
    compares = isinstance(record, Elementwise) and record.promote == "compare"
    if isinstance(out, (tuple, list)) and out and isinstance(out[0], Tensor):
        return error if out[0].dtype is wanted else _other_out_dtype(record, wanted, out[0].dtype, "values")
    if not isinstance(out, Tensor) or out.dtype is wanted or compares or "bool" in record.out:
        return cast(Exception, error)
    if "exact" in record.out or (record.out_error is not None and not can_cast(wanted, out.dtype)):
        return _other_out_dtype(record, wanted, out.dtype)
    try:
        check_result_type(wanted, out.dtype)
    except RuntimeError as e:
        return e
    return cast(Exception, error)


def _wrong_out_dtype(wanted: Any, given: Any) -> RuntimeError:
    return RuntimeError(f"Expected out tensor to have dtype {cpp_name(wanted)}, but got {cpp_name(given)} instead")


def resize_output(out: Any, shape: tuple[int, ...], like: Any = None) -> None:
    """``like``: an array of that shape, which ``out`` shall lie in memory as."""
    if out._array.size:
        old, new = (", ".join(map(str, s)) for s in (out._array.shape, shape))
        warn_user(
            f"An output with one or more elements was resized since it had shape [{old}], which does not match the "
            f"required output shape [{new}]. This behavior is deprecated, and in a future PyTorch release outputs will "
            "not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, "
            "inplace, to zero elements with t.resize_(0).",
        )
    remember_shape(out)
    array = resized(out._array, shape)
    lies_otherwise = like.__class__ is np.ndarray and like.size and not lies_by_rows(like)
    out._array = strided(array, shape, strides_as(like, array.dtype)) if lies_otherwise else array
