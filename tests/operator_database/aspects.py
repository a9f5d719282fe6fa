"""The questions asked of every entry. Each answer is None (does not apply), "" (yes) or what is different."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.testing._internal.opinfo.core import SampleInput

import facula

from .entries import INDICES_OF_EQUALS, Entry
from .translate import Difference, Translation, compare, rebound, tensors_of

ASPECTS: dict[str, Callable[[Entry], str | None]] = {}
"""By name, in the order of the table."""


class Missing(Exception):
    """facula has no such operator."""


def aspect(name: str) -> Callable[[Callable[[Entry], bool]], Callable[[Entry], bool]]:
    """Makes a question of a check, which returns whether it applies and raises if there is a difference."""

    def add(fn: Callable[[Entry], bool]) -> Callable[[Entry], bool]:
        def ask(entry: Entry) -> str | None:
            try:
                return "" if fn(entry) else None
            except (Difference, Missing) as e:
                return str(e)

        ASPECTS[name] = ask
        return fn

    return add


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
        self.given, self.our_given = (tensors_of([a, k]) for a, k in ((args, sample.kwargs), (our_args, our_kwargs)))
        versions = [t._version for t in (*self.given, *self.our_given)]
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
        bumps = [t._version - v for t, v in zip((*self.given, *self.our_given), versions)]
        self.bumps, self.our_bumps = bumps[: len(self.given)], bumps[len(self.given) :]
        self.inputs = [t for t in tensors_of([self.arguments, sample.kwargs]) if t.requires_grad]
        self.our_inputs = [self.translation(t) for t in self.inputs]
        self.entry = entry

    def compare(self, what: str = "", loose: float = 1.0) -> None:
        if self.error is None:
            out, ours = self.without_choices()
            compare(out, ours, what, self.entry.has_values(self.sample), loose)

    def without_choices(self) -> tuple[Any, Any]:
        """The processed outputs; indices replaced by what they point at where equal elements may be exchanged."""
        out, ours = self.processed()
        position = INDICES_OF_EQUALS.get(self.entry.name)
        if position is None or not self.sample.input.ndim:
            return out, ours
        given = self.sample.args[position] if len(self.sample.args) > position else -1
        dim = self.sample.kwargs.get("dim", given)
        return pointed_at(out, self.arguments[0], dim), pointed_at(ours, self.our_arguments[0], dim)

    def processed(self) -> tuple[Any, Any]:
        """The outputs without what is a matter of choice, such as the signs of eigenvectors."""
        process = self.sample.output_process_fn_grad
        return process(self.out), rebound(process)(self.our_out)


def pointed_at(out: Any, input: Any, dim: int) -> Any:
    """Values in place of indices along a dimension."""
    if isinstance(out, (tuple, list)):
        return [out[0], pointed_at(out[1], input, dim)]
    index = out if out.ndim == input.ndim else out.unsqueeze(dim)
    return input.detach().take_along_dim(index, dim)


def describe(e: BaseException) -> str:
    text = " ".join(str(e).split())
    return f"{type(e).__name__}: {text}"[:150]


def failure(e: Exception) -> Exception:
    no_such_name = r"facula\S*' has no attribute|'Tensor' (object )?has no attribute"
    if isinstance(e, AttributeError) and re.search(no_such_name, str(e)):
        return Missing(str(e))
    return Difference(describe(e))


def is_missing(entry: Entry) -> str:
    """Why the entry cannot be asked anything; "" if it can."""
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


@aspect("value")
def value(entry: Entry) -> bool:
    """Value, shape and dtype, in double precision (in integers, for those that take no others)."""
    return values(entry, entry.main_dtype(), 40)


@aspect("float32")
def float32(entry: Entry) -> bool:
    return values(entry, torch.float32, 8)


@aspect("bfloat16")
def bfloat16(entry: Entry) -> bool:
    return values(entry, torch.bfloat16, 4)


@aspect("complex128")
def complex128(entry: Entry) -> bool:
    return values(entry, torch.complex128, 8)


@aspect("int64")
def int64(entry: Entry) -> bool:
    return values(entry, torch.int64, 8)


@aspect("bool")
def bool_(entry: Entry) -> bool:
    return values(entry, torch.bool, 4)


@aspect("view")
def view(entry: Entry) -> bool:
    """Whether results share memory with arguments just where PyTorch's do, and what writing to a view does to them."""
    for sample in entry.samples(entry.main_dtype(), 6, False):
        call = Call(entry, sample)
        places = {t.untyped_storage().data_ptr() for t in tensors_of([call.arguments, sample.kwargs]) if t.numel()}
        ours = {t.untyped_storage().data_ptr() for t in call.translation.tensors_made() if t.numel()}
        for x, y in zip(tensors_of(call.out), tensors_of(call.our_out)):
            wanted, found = x.untyped_storage().data_ptr() in places, y.untyped_storage().data_ptr() in ours
            if x.numel() and wanted != found:
                raise Difference("a view is wanted, not a copy" if wanted else "a copy is wanted, not a view")
            if wanted and found and x.numel():
                write_to_view(entry, sample)
                break
    return True


def write_to_view(entry: Entry, sample: Any) -> None:
    """Change the first result in place: the argument it is a view of changes along, values and version."""
    if not isinstance(sample.input, torch.Tensor):
        return
    call = Call(entry, SampleInput(sample.input.clone(), args=sample.args, kwargs=sample.kwargs))
    if call.error is not None:
        return
    (x, *_), (y, *_) = tensors_of(call.out), tensors_of(call.our_out)
    before = [t._version for t in (call.arguments[0], call.our_arguments[0])]
    try:
        x.zero_()
    except RuntimeError:
        return  # elements that are in several places
    y.zero_()
    after = [t._version for t in (call.arguments[0], call.our_arguments[0])]
    wanted, found = (late - early for early, late in zip(before, after))
    if wanted != found:
        raise Difference(f"writing to the view makes {wanted} versions, not {found}")
    compare(call.arguments[0], call.our_arguments[0], "after writing to the view: ")


@aspect("version")
def version(entry: Entry) -> bool:
    """What a call, a method and an operation in place do to the versions of arguments, and whether it returns them."""
    forms = [(None, None)]
    for theirs in (entry.info.method_variant, entry.info.inplace_variant):
        if theirs is not None:
            forms.append((theirs, form_of(theirs)))
    for theirs, ours in forms:
        is_inplace = theirs is not None and theirs is entry.info.inplace_variant
        for sample in entry.samples(entry.main_dtype(), 3, False):
            if theirs is not None and not isinstance(sample.input, torch.Tensor):
                continue
            call = Call(entry, sample, theirs, ours, clone=is_inplace)
            if call.error is None and call.bumps != call.our_bumps:
                raise Difference(f"{call.bumps} new versions are wanted, not {call.our_bumps}")
            wanted = [[x is t for t in call.given] for x in tensors_of(call.out)]
            found = [[y is t for t in call.our_given] for y in tensors_of(call.our_out)]
            if call.error is None and wanted != found:
                raise Difference(f"{'an argument itself' if any(map(any, wanted)) else 'another tensor'} is wanted")
    return True


# ---- history


@aspect("requires_grad")
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


@aspect("grad_fn")
def grad_fn(entry: Entry) -> bool:
    """The names of the nodes that made the outputs."""
    if not entry.info.supports_autograd:
        return False
    main = entry.main_dtype()
    samples = entry.samples(main, 12, True)
    if main is torch.float64 and torch.complex128 in entry.dtypes():
        samples = samples + entry.samples(torch.complex128, 3, True)
    for i, sample in enumerate(samples):
        call = Call(entry, sample)
        compare_nodes(call, f"sample {i}: ")
    return True


def compare_nodes(call: Call, what: str) -> None:
    for x, y in zip(tensors_of(call.out), tensors_of(call.our_out)):
        wanted = None if x.grad_fn is None else x.grad_fn.name()
        found = None if y.grad_fn is None else y.grad_fn.name()
        if wanted != found:
            raise Difference(f"{what}{wanted} is wanted, not {found}")


# ---- gradients


def gradients(entry: Entry, d: Any, most: int, second: bool) -> bool:
    if not entry.info.supports_autograd or d not in entry.info.supported_backward_dtypes("cpu"):
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
        if second or "not implemented" in str(e):
            return False  # there is no derivative in PyTorch; facula may have one
        try:
            facula.autograd.grad(our_outs, call.our_inputs, ours, allow_unused=True)
        except RuntimeError:
            return True
        raise Difference(f"{what}no error: {describe(e)}") from e
    try:
        our_grads = facula.autograd.grad(our_outs, call.our_inputs, ours, create_graph=second, allow_unused=True)
    except Exception as e:
        raise Difference(f"{what}{describe(e)}") from e
    values = call.entry.has_values(call.sample)
    if not second:
        compare_all(grads, our_grads, f"{what}gradient: ", values)
        return True
    pairs = [(x, y) for x, y in zip(grads, our_grads) if has_history(x) and has_history(y)]
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


def has_history(t: Any) -> bool:
    return t is not None and t.requires_grad


def differentiable(out: Any) -> list[Any]:
    return [t for t in tensors_of(out) if t.requires_grad and (t.is_floating_point() or t.is_complex())]


def compare_all(theirs: Any, ours: Any, what: str, values: bool) -> None:
    for x, y in zip(theirs, ours):
        if x is None or y is None:
            given = y if x is None else x
            if given is not None and bool((given.abs() > 1e-12).any()):  # more than a rounded zero
                raise Difference(f"{what}{'None' if x is None else 'a tensor'} is wanted")
        else:
            compare(x, y, what, values, 10.0)


@aspect("gradient")
def gradient(entry: Entry) -> bool:
    return gradients(entry, torch.float64, 24, False)


@aspect("complex gradient")
def complex_gradient(entry: Entry) -> bool:
    return gradients(entry, torch.complex128, 6, False)


@aspect("second gradient")
def second_gradient(entry: Entry) -> bool:
    return bool(entry.info.supports_gradgrad) and gradients(entry, torch.float64, 8, True)


# ---- forms


def is_wrapped(fn: Any) -> bool:
    return isinstance(fn, partial) or fn.__name__ == "<lambda>"


def form_of(theirs: Any) -> Any:
    """facula's method for one of PyTorch's."""
    ours = rebound(theirs) if is_wrapped(theirs) else getattr(facula.Tensor, theirs.__name__, None)
    if ours is None:
        raise Difference(f"there is no Tensor.{theirs.__name__}")
    return ours


def form(entry: Entry, theirs: Any, clone: bool) -> bool:
    """Another form of the operator: its value, its node, its gradient."""
    if theirs is None:
        return False
    ours = form_of(theirs)
    d = entry.main_dtype()
    for i, sample in enumerate(entry.samples(d, 6, entry.info.supports_autograd)):
        if not isinstance(sample.input, torch.Tensor):
            return False
        call = Call(entry, sample, theirs, ours, clone)
        if call.error is not None:
            continue
        call.compare(f"sample {i}: ")
        compare_nodes(call, f"sample {i}: ")
        if call.inputs and d in (torch.float64, torch.complex128):
            compare_gradients(call, *call.processed(), f"sample {i}: ")
    return True


@aspect("method")
def method(entry: Entry) -> bool:
    return form(entry, entry.info.method_variant, False)


@aspect("in-place")
def in_place(entry: Entry) -> bool:
    return form(entry, entry.info.inplace_variant, True)


@aspect("out")
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
            settled = call.without_choices()[0] is call.out
            compare(targets, ours, f"sample {i}: what was written: ", entry.has_values(sample) and settled)
    return True


# ---- errors


@aspect("errors")
def errors(entry: Entry) -> bool:
    """The database's wrong inputs: exception type and message."""
    answers = answers_to_wrong_inputs(entry)
    for why in filter(None, answers):
        raise Difference(why)
    return bool(answers)


def answers_to_wrong_inputs(entry: Entry) -> list[str]:
    """For each of the database's wrong inputs that PyTorch itself refuses as told there: "" or what is different."""
    answers = []
    for i, wrong in enumerate(entry.error_inputs()):
        sample = wrong.sample_input
        try:
            entry.theirs(sample.input, *sample.args, **sample.kwargs)
        except Exception as e:
            if isinstance(e, wrong.error_type) and re.search(wrong.error_regex, str(e)):
                answers.append(_answer_to_wrong_input(entry, wrong, f"error {i}: ", describe(e)))
    return answers


def _answer_to_wrong_input(entry: Entry, wrong: Any, what: str, wanted: str) -> str:
    sample = wrong.sample_input
    try:
        translation = Translation()
        args, kwargs = translation((sample.input, *sample.args)), translation(sample.kwargs)
    except (NotImplementedError, AttributeError, ValueError) as e:
        return f"{what}no tensor of facula's: {describe(e)}"
    try:
        entry.ours(*args, **kwargs)
    except Exception as e:
        if is_the_same_kind(e, wrong.error_type) and re.search(wrong.error_regex, str(e)):
            return ""
        return f"{what}{wanted} is wanted, not {describe(e)}"
    return f"{what}no error: {wanted}"


def is_the_same_kind(e: Exception, wanted: Any) -> bool:
    if isinstance(e, wanted):
        return True
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(kind.__name__ in [c.__name__ for c in type(e).__mro__] for kind in kinds)
