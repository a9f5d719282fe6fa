"""gradcheck and gradgradcheck themselves: what they accept, what they catch, and how they tell it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import facula as torch
from facula.autograd import Function, gradcheck, gradgradcheck
from facula.autograd.gradcheck import GradcheckError

FAST = pytest.mark.parametrize("fast", [False, True])


def leaf(*values: Any) -> Any:
    dtype = torch.complex128 if any(isinstance(v, complex) for v in values) else torch.float64
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def function(forward: Any, backward: Any, jvp: Any = None) -> Any:
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if jvp is not None:
        body["jvp"] = staticmethod(jvp)
    made: Any = type("Custom", (Function,), body)
    return made.apply


def scaled_wrongly(wrong: float) -> Any:
    """2x, with a backward that claims that it is ``wrong`` x."""
    return function(lambda ctx, x: x * 2, lambda ctx, g: g * wrong)


@FAST
def test_right_gradients_pass(fast: bool) -> None:
    x, w = leaf(1.0, 2.0, -3.0), leaf(0.5, -1.5, 2.5)
    assert gradcheck(lambda a, b: (a * b).exp() + a, (x, w), fast_mode=fast)
    assert gradcheck(lambda a, b: ((a * b).sum(), a / b), (x, w), fast_mode=fast)
    assert gradcheck(lambda a: a.tanh(), x, fast_mode=fast)


@FAST
def test_wrong_gradients_are_caught(fast: bool) -> None:
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(scaled_wrongly(3), leaf(1.0, 2.0), fast_mode=fast)
    assert gradcheck(scaled_wrongly(3), leaf(1.0, 2.0), raise_exception=False, fast_mode=fast) is False


@FAST
def test_slightly_wrong_gradients_are_caught(fast: bool) -> None:
    assert not gradcheck(scaled_wrongly(2.01), leaf(1.0, 2.0), raise_exception=False, fast_mode=fast)
    assert gradcheck(scaled_wrongly(2.0001), leaf(1.0, 2.0), fast_mode=fast)


def test_the_error_is_a_runtime_error_that_names_output_input_and_both_jacobians() -> None:
    def second_is_wrong(x: Any, y: Any) -> Any:
        return x * 3, function(lambda ctx, a, b: a * b, lambda ctx, g: (g * 0, g * x))(x, y)

    with pytest.raises(RuntimeError) as caught:
        gradcheck(second_is_wrong, (leaf(1.0, 2.0), leaf(5.0, 7.0)))
    message = str(caught.value)
    assert "Jacobian mismatch for output 1 with respect to input 0,\n" in message
    assert "numerical:tensor([[5.0000, 0.0000],\n        [0.0000, 7.0000]], dtype=torch.float64)" in message
    assert "analytical:tensor([[0., 0.],\n        [0., 0.]], dtype=torch.float64)" in message


def test_the_error_names_the_worst_element_with_both_values() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        g = g * 2
        g[1, 0] *= 5
        g[0, 1] *= 2
        return g

    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(function(forward, backward), x)
    message = str(caught.value)
    assert "the derivative of output element [1, 0] by input element [1, 0]" in message
    assert "numerical 2, analytical 10;" in message and "they differ by 8 " in message
    assert "The step was 1e-06." in message


def test_fast_mode_shows_the_jacobians_of_slow_mode_too() -> None:
    with pytest.raises(GradcheckError) as caught:
        gradcheck(scaled_wrongly(3), leaf(1.0, 2.0), fast_mode=True)
    assert "in slow mode" in str(caught.value)
    assert "The max per-element difference (slow mode) is: 1.0" in str(caught.value)
    assert "output element [0] by input element [0]" in str(caught.value)


@FAST
def test_complex_functions(fast: bool) -> None:
    z, w = leaf(1 + 2j, -0.5 + 0.25j), leaf(0.5 - 1j, 2 + 0j)
    assert gradcheck(lambda a, b: a * b, (z, w), fast_mode=fast)
    assert gradcheck(lambda a: a.exp(), z, fast_mode=fast)
    assert gradcheck(lambda a: a.abs(), z, fast_mode=fast)
    assert gradcheck(lambda a: a * (1 + 2j), leaf(1.0, 2.0), fast_mode=fast)
    assert gradcheck(lambda a: (a.real, a * 2), z, fast_mode=fast)


@FAST
def test_wrong_complex_gradients_are_caught_in_the_part_that_is_wrong(fast: bool) -> None:
    without_conjugate = function(lambda ctx, z: z * 2j, lambda ctx, g: g * 2j)
    with pytest.raises(GradcheckError, match="While considering the imaginary part of complex outputs only"):
        gradcheck(without_conjugate, leaf(1 + 2j), fast_mode=fast)
    imaginary_only = function(lambda ctx, z: z * 1, lambda ctx, g: g.imag * 1j)
    with pytest.raises(GradcheckError, match="While considering the real part of complex outputs only"):
        gradcheck(imaginary_only, leaf(1 + 2j), fast_mode=fast)


def test_functions_that_depend_on_captured_inputs() -> None:
    x = leaf(1.0, 2.0)
    assert gradcheck(lambda _: x * x, x)


def test_inputs_that_do_not_require_grad_and_are_no_tensors() -> None:
    x, c = leaf(1.0, 2.0), torch.tensor([3.0, 4.0], dtype=torch.float64)
    assert gradcheck(lambda a, b, k: a * b * k, (x, c, 5))
    assert c.tolist() == [3.0, 4.0] and c.grad is None


def test_inputs_are_left_as_they_were() -> None:
    x = leaf(0.1, 0.2)
    before = x.tolist()
    gradcheck(lambda a: a.sin(), x)
    assert x.tolist() == before and x.grad is None and x._version == 0


def test_outputs_that_are_not_differentiable_beside_ones_that_are() -> None:
    assert gradcheck(lambda a: (a.detach() * 0 + 1, a * 2, a.argmax()), leaf(1.0, 2.0))


def test_functions_without_differentiable_outputs_must_be_constant() -> None:
    assert gradcheck(lambda a: a.detach() * 0, leaf(1.0, 2.0))
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda a: a.detach() * 2, leaf(1.0, 2.0))


def test_at_least_one_input_must_require_grad() -> None:
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        gradcheck(lambda a: a, torch.ones(2, dtype=torch.float64))


def test_single_precision_is_warned_about() -> None:
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"):
        gradcheck(lambda a: a * 2, torch.ones(2, requires_grad=True), eps=1e-2, atol=1e-2)


def test_overlapping_inputs_are_refused() -> None:
    x = torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3)
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(lambda a: a * 2, x)


def test_backward_that_is_not_deterministic() -> None:
    calls = []

    def backward(ctx: Any, g: Any) -> Any:
        calls.append(1)
        return g * (2 + 1e-9 * len(calls))

    f = function(lambda ctx, x: x * 2, backward)
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(f, leaf(1.0))
    assert gradcheck(f, leaf(1.0), nondet_tol=1e-6)


def test_backward_that_ignores_its_gradient() -> None:
    f = function(lambda ctx, x: x * 2, lambda ctx, g: torch.full_like(g, 2))
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(f, leaf(1.0))


def without_materialization(ctx: Any, x: Any) -> Any:
    ctx.set_materialize_grads(False)
    return x * 2, x * 3


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_undefined_gradients_must_be_handled() -> None:
    def fails(ctx: Any, g: Any, h: Any) -> Any:
        if g is None or h is None:
            raise RuntimeError("no gradient")
        return g * 2 + h * 3

    def handles(ctx: Any, g: Any, h: Any) -> Any:
        parts = [x * k for x, k in ((g, 2), (h, 3)) if x is not None]
        return sum(parts[1:], parts[0]) if parts else None

    def makes_up(ctx: Any, g: Any, h: Any) -> Any:
        return torch.ones(1, dtype=torch.float64) if g is None else handles(ctx, g, h)

    assert gradcheck(function(without_materialization, handles), leaf(1.0))
    with pytest.raises(GradcheckError, match="Expected backward function to handle undefined output grads"):
        gradcheck(lambda x: sum(function(without_materialization, fails)(x)), leaf(1.0))
    with pytest.raises(GradcheckError, match="Expected all input grads to be undefined or zero"):
        gradcheck(lambda x: sum(function(without_materialization, makes_up)(x)), leaf(1.0))
    assert gradcheck(
        lambda x: sum(function(without_materialization, fails)(x)), leaf(1.0), check_undefined_grad=False
    )


def test_gradients_of_a_wrong_dtype_are_cast_on_the_edge() -> None:
    f = function(lambda ctx, x: x * 2, lambda ctx, g: (g * 2).float())
    assert gradcheck(f, leaf(1.0), check_grad_dtypes=True)


def test_outputs_that_change_their_shape() -> None:
    with pytest.raises(AssertionError, match="Expected `func` to return outputs with the same shape"):
        gradcheck(lambda a: a[a > 1] * 2, leaf(1.0, 2.0))


def test_contradictory_settings() -> None:
    with pytest.raises(AssertionError, match="at least one of check_forward_ad or check_backward_ad"):
        gradcheck(lambda a: a, leaf(1.0), check_backward_ad=False)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_backward_ad"):
        gradcheck(lambda a: a, leaf(1.0), check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)
    with pytest.raises(AssertionError, match="check_undefined_grad=True requires check_rev_over_rev"):
        gradgradcheck(lambda a: a, leaf(1.0), check_rev_over_rev=False, check_fwd_over_rev=True)


# ---- forward mode and batches


@FAST
def test_tangents_are_checked(fast: bool) -> None:
    x, z = leaf(1.0, 2.0), leaf(1 + 2j, -0.5j)
    assert gradcheck(lambda a: (a.sin(), a.prod()), x, check_forward_ad=True, fast_mode=fast)
    assert gradcheck(lambda a: (a.exp(), a.abs()), z, check_forward_ad=True, fast_mode=fast)
    assert gradcheck(lambda a, b, k: a * b * k, (x, leaf(3.0, 4.0), 2), check_forward_ad=True, fast_mode=fast)
    wrong = function(lambda ctx, a: a * 2, lambda ctx, g: g * 2, lambda ctx, t: t * 3)
    assert gradcheck(wrong, x, fast_mode=fast)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(wrong, x, check_forward_ad=True, eps=1e-5, fast_mode=fast)
    message = str(caught.value)
    assert message.startswith("Jacobian computed with forward mode mismatch for output 0 with respect to input 0,\n")
    assert "numerical 2, analytical 3;" in message and "The step was 1e-05." in message


def test_only_the_part_of_a_tangent_that_is_wrong_is_named() -> None:
    wrong_in_imaginary = function(lambda ctx, z: z * 2, lambda ctx, g: g * 2, lambda ctx, t: t.real * 2 + 0j)
    with pytest.raises(GradcheckError, match="While considering the imaginary part of complex inputs only"):
        gradcheck(wrong_in_imaginary, leaf(1 + 2j), check_forward_ad=True)


def test_a_wrong_backward_does_not_matter_where_only_forward_is_checked() -> None:
    f = function(lambda ctx, a: a * 2, lambda ctx, g: g * 5, lambda ctx, t: t * 2)
    assert gradcheck(f, leaf(1.0), check_forward_ad=True, check_backward_ad=False)


def test_the_worst_of_many_elements_is_found_in_forward_mode_too() -> None:
    def jvp(ctx: Any, t: Any) -> Any:
        t = t * 2
        t[1, 2] *= 4
        return t

    f = function(lambda ctx, x: x * 2, lambda ctx, g: g * 2, jvp)
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match=r"output element \[1, 2\] by input element \[1, 2\]: numerical 2, anal"):
        gradcheck(f, x, check_forward_ad=True)


def changing(at: int) -> Any:
    """The derivative of 2x until it is called for the ``at``-th time."""
    calls: list[int] = []

    def derivative(ctx: Any, g: Any) -> Any:
        calls.append(1)
        return g * (3 if len(calls) >= at else 2)

    return derivative


def test_batches_of_gradients_must_be_like_single_ones() -> None:
    x = leaf(1.0, 3.0)
    assert gradcheck(lambda a: a.exp() * a.sum(), x, check_batched_grad=True)
    with pytest.raises(GradcheckError, match=r"^For output 0 and input 0:\n\ngradcheck or gradgradcheck failed") as e:
        gradcheck(function(lambda ctx, a: a * 2, changing(7)), x, check_batched_grad=True)
    assert "\nGot:\ntensor(" in str(e.value) and "\n\nExpected:\ntensor(" in str(e.value)


def test_batches_of_tangents_must_be_like_single_ones() -> None:
    x = leaf(1.0, 3.0)
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    assert gradcheck(lambda a: a.exp() * a.sum(), x, **options)
    assert gradcheck(lambda a: a.exp() * a.sum(), leaf(1 + 1j, 2j), **options)
    f = function(lambda ctx, a: a * 2, lambda ctx, g: g * 2, changing(5))
    with pytest.raises(GradcheckError, match=r"^For output 0 and input 0:\n\n\ngradcheck failed while testing batched"):
        gradcheck(f, x, **options)


def test_a_backward_that_fails_in_batches() -> None:
    def backward(ctx: Any, g: Any) -> Any:
        return torch.zeros(2, dtype=torch.float64).add_(g).mul(2)

    f = function(lambda ctx, a: a * 2, backward)
    assert gradcheck(f, leaf(1.0, 3.0))
    with pytest.raises(GradcheckError, match=r"^While computing batched gradients, got: vmap: inplace arithmetic"):
        gradcheck(f, leaf(1.0, 3.0), check_batched_grad=True)


def test_a_backward_that_asks_for_values_is_run_for_each_item() -> None:
    f = function(lambda ctx, a: a * 2, lambda ctx, g: g * (2 if g.sum().item() > -9 else 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gradcheck(f, leaf(1.0, 3.0), check_batched_grad=True)


@FAST
def test_forward_over_reverse(fast: bool) -> None:
    x = leaf(0.5, 2.0)
    options = {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False}
    assert gradgradcheck(lambda a: (a**3, a.prod()), x, fast_mode=fast, **options)
    assert gradgradcheck(lambda a: a**3, leaf(1 + 1j, 2.0), check_fwd_over_rev=True, fast_mode=fast)

    def forward(ctx: Any, x: Any) -> Any:
        squared = x * x
        ctx.save_for_backward(squared)
        ctx.save_for_forward(squared)
        return squared * x

    def slope(ctx: Any, t: Any) -> Any:
        return 3 * ctx.saved_tensors[0] * t

    cube = function(forward, slope, slope)
    assert gradcheck(cube, x, check_forward_ad=True, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch"):
        gradgradcheck(cube, x, fast_mode=fast, **options)


# ---- second derivatives


@FAST
def test_right_second_derivatives_pass(fast: bool) -> None:
    x, w = leaf(1.0, 2.0, -3.0), leaf(0.5, -1.5, 2.5)
    assert gradgradcheck(lambda a, b: (a * b).exp() + a * a, (x, w), fast_mode=fast)
    assert gradgradcheck(lambda a: (a.sin(), a.sum()), x, fast_mode=fast)
    assert gradgradcheck(lambda a: a * a, x, gen_non_contig_grad_outputs=True, fast_mode=fast)
    assert gradgradcheck(lambda a: a * a, x, grad_outputs=leaf(1.0, 2.0, 3.0), fast_mode=fast)
    assert gradgradcheck(lambda a: a * a, leaf(1 + 2j, 0.5j), fast_mode=fast)


@FAST
def test_wrong_second_derivatives_are_caught_though_the_first_are_right(fast: bool) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        squared = x * x
        ctx.save_for_backward(squared)
        return squared * x

    cube = function(forward, lambda ctx, g: 3 * ctx.saved_tensors[0] * g)
    x = leaf(1.0, 2.0)
    assert gradcheck(cube, x, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradgradcheck(cube, x, fast_mode=fast)
    assert not gradgradcheck(cube, x, raise_exception=False, fast_mode=fast)


def test_second_derivatives_of_a_custom_function() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    exp = function(forward, lambda ctx, g: g * ctx.saved_tensors[0])
    assert gradcheck(exp, leaf(0.5, -1.0)) and gradgradcheck(exp, leaf(0.5, -1.0))
