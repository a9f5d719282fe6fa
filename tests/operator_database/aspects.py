"""The questions asked of every entry. Each answer is None (does not apply), "" (yes) or what is different."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

import facula

from .entries import Entry
from .translate import Difference, Translation, compare, rebound, tensors_of

ASPECTS: dict[str, Callable[[Entry], str | None]] = {}
"""By name, in the order of the table."""


class Missing(Exception):
    """facula has no such operator."""


def aspect(fn: Callable[[Entry], bool]) -> Callable[[Entry], bool]:
    """A check, which returns whether it applies and raises if there is a difference, as a question with an answer."""

    def ask(entry: Entry) -> str | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return "" if fn(entry) else None
            except Difference as e:
                return str(e)

    ASPECTS[fn.__name__.replace("_", " ")] = ask
    return fn


# ---- one call on either side


class Call:
    """A sample run through both libraries."""

    def __init__(self, entry: Entry, sample: Any, theirs: Any = None, ours: Any = None, clone: bool = False) -> None:
        self.sample = sample
        self.translation = Translation()
        self.arguments = (sample.input, *sample.args)
        self.our_arguments = self.translation(self.arguments)
        our_kwargs = self.translation(sample.kwargs)
        args, our_args = self.arguments, self.our_arguments
        if clone:
            args, our_args = (args[0].clone(), *args[1:]), (our_args[0].clone(), *our_args[1:])
        self.error: Exception | None = None
        self.out = self.our_out = None
        with torch.random.fork_rng():
            try:
                self.out = (theirs or entry.theirs)(*args, **sample.kwargs)
            except Exception as e:  # then facula must raise as well
                self.error = e
        try:
            self.our_out = (ours or entry.ours)(*our_args, **our_kwargs)
        except Exception as e:
            if self.error is None:
                raise failure(e) from e
            if type(e).__name__ != type(self.error).__name__:
                raise Difference(f"{type(self.error).__name__} is wanted, not {describe(e)}") from e
        else:
            if self.error is not None:
                raise Difference(f"no error: {describe(self.error)}")
        self.inputs = [t for t in tensors_of([self.arguments, sample.kwargs]) if t.requires_grad]
        self.our_inputs = [self.translation(t) for t in self.inputs]
        self.entry = entry

    def compare(self, what: str = "", loose: float = 1.0) -> None:
        if self.error is None:
            out, ours = self.processed()
            compare(out, ours, what, self.entry.compares_values, loose)

    def processed(self) -> tuple[Any, Any]:
        """The outputs without what is a matter of choice, such as the signs of eigenvectors."""
        process = self.sample.output_process_fn_grad
        return process(self.out), rebound(process)(self.our_out)


def describe(e: BaseException) -> str:
    text = " ".join(str(e).split())
    return f"{type(e).__name__}: {text}"[:150]


def failure(e: Exception) -> Exception:
    if isinstance(e, AttributeError) and re.search(r"facula\S*' has no attribute|'Tensor' (object )?has no attribute", str(e)):
        return Missing(str(e))
    return Difference(describe(e))


def is_missing(entry: Entry) -> str:
    """Why the entry cannot be asked anything; "" if it can."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ours = entry.ours
            for sample in entry.samples(entry.main_dtype(), 1, False):
                Call(entry, sample, ours=ours)
        except (AttributeError, Missing) as e:
            return str(e)
        except Difference:
            pass
    return ""


# ---- values


def values(entry: Entry, d: Any, most: int) -> bool:
    if d not in entry.dtypes():
        return False
    for i, sample in enumerate(entry.samples(d, most, False)):
        Call(entry, sample).compare(f"sample {i}: ")
    return True


@aspect
def value(entry: Entry) -> bool:
    """Value, shape and dtype, in double precision (in integers, for those that take no others)."""
    return values(entry, entry.main_dtype(), 40)


@aspect
def float32(entry: Entry) -> bool:
    return values(entry, torch.float32, 8)


@aspect
def bfloat16(entry: Entry) -> bool:
    return values(entry, torch.bfloat16, 4)


@aspect
def complex128(entry: Entry) -> bool:
    return values(entry, torch.complex128, 8)


@aspect
def int64(entry: Entry) -> bool:
    return values(entry, torch.int64, 8)


@aspect
def bool_(entry: Entry) -> bool:
    return values(entry, torch.bool, 4)


@aspect
def view(entry: Entry) -> bool:
    """Whether results share memory with arguments just where PyTorch's do."""
    for sample in entry.samples(entry.main_dtype(), 6, False):
        call = Call(entry, sample)
        places = {t.untyped_storage().data_ptr() for t in tensors_of([call.arguments, sample.kwargs]) if t.numel()}
        ours = {t.untyped_storage().data_ptr() for t in call.translation.tensors_made() if t.numel()}
        for x, y in zip(tensors_of(call.out), tensors_of(call.our_out)):
            if x.numel() and (x.untyped_storage().data_ptr() in places) != (y.untyped_storage().data_ptr() in ours):
                raise Difference("a copy is wanted, not a view" if places.isdisjoint({x.untyped_storage().data_ptr()}) else "a view is wanted, not a copy")
    return True


# ---- history


@aspect
def requires_grad(entry: Entry) -> bool:
    """Which outputs require grad."""
    if not entry.info.supports_autograd:
        return False
    for sample in entry.samples(entry.main_dtype(), 12, True):
        call = Call(entry, sample)
        wanted = [t.requires_grad for t in tensors_of(call.out)]
        found = [t.requires_grad for t in tensors_of(call.our_out)]
        if wanted != found:
            raise Difference(f"{wanted} is wanted, not {found}"[:150])
    return True


@aspect
def grad_fn(entry: Entry) -> bool:
    """The names of the nodes that made the outputs."""
    if not entry.info.supports_autograd:
        return False
    for sample in entry.samples(entry.main_dtype(), 12, True):
        call = Call(entry, sample)
        for x, y in zip(tensors_of(call.out), tensors_of(call.our_out)):
            wanted = None if x.grad_fn is None else x.grad_fn.name()
            found = None if y.grad_fn is None else y.grad_fn.name()
            if wanted != found:
                raise Difference(f"{wanted} is wanted, not {found}")
    return True


# ---- gradients


def gradients(entry: Entry, d: Any, most: int, second: bool) -> bool:
    if not entry.info.supports_autograd or d not in entry.dtypes() or entry.name in ("nn.functional.rrelu",):
        return False
    if d not in entry.info.supported_backward_dtypes("cpu"):
        return False
    applied = False
    for i, sample in enumerate(entry.samples(d, most, True)):
        call = Call(entry, sample)
        if call.error is None and call.inputs:
            applied |= compare_gradients(call, *call.processed(), f"sample {i}: ", second)
    return applied


def compare_gradients(call: Call, out: Any, our_out: Any, what: str, second: bool = False) -> bool:
    """Gradients for random cotangents; with ``second``, gradients of these. Whether there were any."""
    outs, our_outs = differentiable(out), differentiable(our_out)
    if len(outs) != len(our_outs):
        raise Difference(f"{what}{len(outs)} outputs with history are wanted, not {len(our_outs)}")
    if not outs:
        return False
    cotangents = [torch.randn_like(t, memory_format=torch.contiguous_format).requires_grad_(second) for t in outs]
    ours = [call.translation(t) for t in cotangents]
    try:
        grads = torch.autograd.grad(outs, call.inputs, cotangents, create_graph=second, allow_unused=True)
    except RuntimeError as e:
        if second:
            return False
        try:
            facula.autograd.grad(our_outs, call.our_inputs, ours, allow_unused=True)
        except RuntimeError:
            return True
        raise Difference(f"{what}no error: {describe(e)}") from e
    try:
        our_grads = facula.autograd.grad(our_outs, call.our_inputs, ours, create_graph=second, allow_unused=True)
    except Exception as e:
        raise Difference(f"{what}{describe(e)}") from e
    values = call.entry.compares_values
    if not second:
        compare_all(grads, our_grads, f"{what}gradient: ", values)
        return True
    pairs = [(x, y) for x, y in zip(grads, our_grads) if x is not None and y is not None and x.requires_grad and y.requires_grad]
    if not pairs:
        return False
    wanted, found = zip(*pairs)
    weights = [torch.randn_like(t, memory_format=torch.contiguous_format) for t in wanted]
    try:
        seconds = torch.autograd.grad(wanted, [*call.inputs, *cotangents], weights, allow_unused=True)
    except RuntimeError:
        return False  # PyTorch has no second derivative; facula may
    ours = [*call.our_inputs, *ours]
    try:
        our_seconds = facula.autograd.grad(found, ours, [call.translation(w) for w in weights], allow_unused=True)
    except Exception as e:
        raise Difference(f"{what}{describe(e)}") from e
    compare_all(seconds, our_seconds, f"{what}second gradient: ", values)
    return True


def differentiable(out: Any) -> list[Any]:
    return [t for t in tensors_of(out) if t.requires_grad and (t.is_floating_point() or t.is_complex())]


def compare_all(theirs: Any, ours: Any, what: str, values: bool) -> None:
    for x, y in zip(theirs, ours):
        if x is None or y is None:
            given = y if x is None else x
            if given is not None and bool((given != 0).any()):
                raise Difference(f"{what}{'None' if x is None else 'a tensor'} is wanted")
        else:
            compare(x, y, what, values, 10.0)


@aspect
def gradient(entry: Entry) -> bool:
    return gradients(entry, torch.float64, 24, False)


@aspect
def complex_gradient(entry: Entry) -> bool:
    return gradients(entry, torch.complex128, 6, False)


@aspect
def second_gradient(entry: Entry) -> bool:
    return bool(entry.info.supports_gradgrad) and gradients(entry, torch.float64, 8, True)


# ---- forms


def is_wrapped(fn: Any) -> bool:
    return isinstance(fn, partial) or fn.__name__ == "<lambda>"


def form(entry: Entry, theirs: Any, clone: bool) -> bool:
    """Another form of the operator: its value, its node, its gradient."""
    if theirs is None:
        return False
    ours = rebound(theirs) if is_wrapped(theirs) else getattr(facula.Tensor, theirs.__name__, None)
    if ours is None:
        raise Difference(f"there is no Tensor.{theirs.__name__}")
    d = entry.main_dtype()
    for i, sample in enumerate(entry.samples(d, 6, entry.info.supports_autograd)):
        if not isinstance(sample.input, torch.Tensor):
            return False
        call = Call(entry, sample, theirs, ours, clone)
        if call.error is not None:
            continue
        call.compare(f"sample {i}: ")
        for x, y in zip(tensors_of(call.out), tensors_of(call.our_out)):
            wanted = None if x.grad_fn is None else x.grad_fn.name()
            found = None if y.grad_fn is None else y.grad_fn.name()
            if wanted != found:
                raise Difference(f"sample {i}: {wanted} is wanted, not {found}")
        if call.inputs and d in (torch.float64, torch.complex128):
            compare_gradients(call, *call.processed(), f"sample {i}: ")
    return True


@aspect
def method(entry: Entry) -> bool:
    return form(entry, entry.info.method_variant, False)


@aspect
def in_place(entry: Entry) -> bool:
    return form(entry, entry.info.inplace_variant, True)


@aspect
def out(entry: Entry) -> bool:
    """``out=``, into a tensor that fits."""
    if not entry.info.supports_out:
        return False
    for i, sample in enumerate(entry.samples(entry.main_dtype(), 4, False)):
        plain = Call(entry, sample)
        if plain.error is not None or "out" in sample.kwargs:
            continue
        flat = tensors_of(plain.out)
        if not flat or any(t.layout is not torch.strided for t in flat):
            continue
        single = isinstance(plain.out, torch.Tensor)
        targets = [torch.zeros_like(t) for t in flat]
        translation = Translation()
        ours = [translation(t) for t in targets]
        theirs_given, ours_given = (targets[0], ours[0]) if single else (tuple(targets), tuple(ours))
        call = Call(
            entry, sample,
            lambda *a, given=theirs_given, **k: entry.theirs(*a, out=given, **k),
            lambda *a, given=ours_given, **k: entry.ours(*a, out=given, **k),
        )  # fmt: skip
        call.compare(f"sample {i}: ")
        if call.error is None:
            compare(targets, ours, f"sample {i}: what was written: ", entry.compares_values and call.processed()[0] is call.out)
    return True


# ---- errors


@aspect
def errors(entry: Entry) -> bool:
    """The database's wrong inputs: exception type and message."""
    applied = False
    for i, wrong in enumerate(entry.error_inputs()):
        sample = wrong.sample_input
        try:
            entry.theirs(sample.input, *sample.args, **sample.kwargs)
        except Exception as e:
            if not isinstance(e, wrong.error_type) or not re.search(wrong.error_regex, str(e)):
                continue
            wanted = e
        else:
            continue
        try:
            translation = Translation()
            args, kwargs = translation((sample.input, *sample.args)), translation(sample.kwargs)
        except (NotImplementedError, AttributeError, ValueError):
            continue  # what no tensor of facula can be
        applied = True
        try:
            entry.ours(*args, **kwargs)
        except Exception as e:
            if not is_the_same_kind(e, wrong.error_type) or not re.search(wrong.error_regex, str(e)):
                raise Difference(f"error {i}: {describe(wanted)} is wanted, not {describe(e)}") from e
        else:
            raise Difference(f"error {i}: no error: {describe(wanted)}")
    return applied


def is_the_same_kind(e: Exception, wanted: Any) -> bool:
    if isinstance(e, wanted):
        return True
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(kind.__name__ in [c.__name__ for c in type(e).__mro__] for kind in kinds)
