"""Checking derivatives against finite differences: ``gradcheck`` and, for second derivatives, ``gradgradcheck``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = [
    "GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian", "get_numerical_jacobian_wrt_specific_input",
    "gradcheck", "gradgradcheck",
]  # fmt: skip


class GradcheckError(RuntimeError):
    """The derivative is wrong."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of ``func`` at ``inputs`` agree with finite differences.

    Inputs that require grad should be of double precision, and at a point where the function is differentiable. With
    ``fast_mode`` one random combination of each Jacobian's elements is compared instead of all of them.
    """
    from .checks.backward import check_batched, check_undefined, check_zeros_give_zeros  # it imports this module

    # it imports this module
    from .checks.finite_differences import (
        Settings,
        as_tuple,
        check_backward,
        check_inputs,
        differentiable,
        recorded_outputs,
    )
    from .checks.sparse import of_values  # it imports this module

    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    settings = Settings(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    func, given = of_values(func, as_tuple(inputs))
    check_inputs(given)
    settings.refuse_no_numbers()
    try:
        recorded = recorded_outputs(func, given, eps)
        if recorded and check_backward_ad:
            check_backward(func, given, recorded, settings)
        if recorded and check_forward_ad:
            from .checks.forward import (  # it imports this module
                check_batched_forward,
                check_forward,
                check_undefined_forward,
            )

            check_forward(func, given, recorded, settings)
            if check_undefined_grad:
                check_undefined_forward(func, given)
            if check_batched_forward_grad:
                check_batched_forward(func, given)
        if recorded and check_backward_ad:
            outputs = differentiable(func(*given))
            if check_batched_grad:
                for nr, output in enumerate(outputs):
                    check_batched(given, output, nr)
            check_zeros_give_zeros(outputs, given)
            if check_undefined_grad:
                check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of ``func`` agree with finite differences of the gradients."""
    from .checks.finite_differences import as_tuple, differentiable, is_tensor, random_like  # it imports this module

    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    given = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable(func(*given))
        weights: tuple[Any, ...] = tuple(random_like(o, gen_non_contig_grad_outputs) for o in outputs)
    else:
        weights = as_tuple(grad_outputs)
    n = len(given)
    requiring = {i for i, t in enumerate((*given, *weights)) if is_tensor(t) and t.requires_grad}

    def gradients(*args: Any) -> tuple[Any, ...]:
        from . import grad  # it imports this module

        args = tuple(t.requires_grad_() if i in requiring else t for i, t in enumerate(args))
        outputs = differentiable(func(*args[:n]))
        wanted = [t for i, t in enumerate(args[:n]) if i in requiring]
        found = grad(outputs, wanted, args[n:], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients, (*given, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked,
    )  # fmt: skip


# ---- parts of it that PyTorch shows


def _iter_tensors(x: Any, only_requiring_grad: bool = False) -> Iterator[Any]:
    """All tensors in ``x``, which may be one or hold them at any depth."""
    from .checks.finite_differences import is_tensor  # it imports this module

    if is_tensor(x):
        if x.requires_grad or not only_requiring_grad:
            yield x
    elif isinstance(x, Iterable) and not isinstance(x, str):
        for item in x:
            yield from _iter_tensors(item, only_requiring_grad)


def _get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, outputs: Any = None, target: Any = None, eps: float = 1e-3,
    is_forward_ad: bool = False,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """For each tensor of ``target`` that requires grad, the Jacobians of all outputs of ``fn(*inputs)``."""
    given = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    wanted = _iter_tensors(inputs if target is None else target, True)
    return [get_numerical_jacobian_wrt_specific_input(fn, 0, given, outputs, eps, t, is_forward_ad) for t in wanted]


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Any, ...]:
    """For each input that requires grad the Jacobian of ``fn(inputs)``, by finite differences."""
    _deprecated("get_numerical_jacobian", grad_out)
    found = _get_numerical_jacobian(lambda *_: fn(inputs), inputs, None, target, eps)
    return tuple(of_outputs[0] for of_outputs in found)


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable[..., Any], input_idx: int, inputs: Any, outputs: Any, eps: float, input: Any = None,
    is_forward_ad: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """For each output of ``fn(*inputs)`` the Jacobian with respect to one input, by finite differences."""
    from .checks.finite_differences import as_tensor, numerical_jacobian  # it imports this module

    given = tuple(inputs)
    t = given[input_idx] if input is None else input
    found = []
    for along_real, along_imaginary in numerical_jacobian(fn, given, t, eps):
        whole = along_real if along_imaginary is None else along_real + 1j * along_imaginary
        found.append(as_tensor(whole))
    return tuple(found)


def get_analytical_jacobian(
    inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Any, ...], bool, bool, bool]:
    """The Jacobian by backward passes; whether they agree with each other, and whether sizes and dtypes are right."""
    # it imports this module
    from .checks.finite_differences import Settings, as_tensor, as_tuple, gradient_rows, requiring_grad

    _deprecated("get_analytical_jacobian", grad_out)
    settings = Settings(0.0, 0.0, 0.0, nondet_tol, False, False)
    wanted = requiring_grad(as_tuple(inputs))
    first, second = (gradient_rows(wanted, output, False, settings) for _ in range(2))
    same = all(a.size == 0 or bool(abs(a - b).max() <= nondet_tol) for a, b in zip(first, second))
    return tuple(as_tensor(a) for a in first), same, True, True


def _deprecated(name: str, grad_out: float) -> None:
    import warnings  # loaded when first used

    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
        "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(
            f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0."
        )
