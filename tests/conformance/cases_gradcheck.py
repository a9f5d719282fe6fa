"""``gradcheck`` and ``gradgradcheck``: what passes, and how the rest is told.

Messages are compared up to where PyTorch gives general advice and facula names the worst element.
"""

from __future__ import annotations

import importlib
from typing import Any

from .observe import case, see, warned


def leaf(torch: Any, *values: Any) -> Any:
    dtype = torch.complex128 if any(isinstance(v, complex) for v in values) else torch.float64
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def function(torch: Any, forward: Any, backward: Any, jvp: Any = None) -> Any:
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if jvp is not None:
        body["jvp"] = staticmethod(jvp)
    return type("Custom", (torch.autograd.Function,), body).apply


ENDS = (
    "The worst element", "\nNOTE:", "\nThe gradients of two runs", "\nThis could have", "\nThis test is enabled",
    "\nThe backward pass was", "\nThe function was run", "\nThe max per-element",
)  # fmt: skip


def beginning(message: str) -> str:
    return message[: min((message.find(end) for end in ENDS if end in message), default=len(message))]


def without_random(message: str) -> str:
    """In fast mode the compared numbers belong to random directions."""
    lines = message.split("\n")
    return "\n".join(line for line in lines if not line.startswith(("numerical:", "analytical:")))


def outcomes(*trials: Any, fast: bool = False) -> list[Any]:
    found: list[Any] = []
    for f in trials:
        try:
            found.append(f())
        except Exception as e:
            text = beginning(str(e))
            found.append([type(e).__name__, without_random(text) if fast else text])
    return found


@case
def first_derivatives(torch):
    check = torch.autograd.gradcheck
    x, y, z = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, -1.0), leaf(torch, 1 + 2j, -0.5)
    wrong = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 3)
    not_conjugate = function(torch, lambda ctx, z: z * 2j, lambda ctx, g: g * 2j)
    constant = torch.ones(2, dtype=torch.float64)

    def in_mode(fast):
        return outcomes(
            lambda: check(lambda a, b: (a * b, a.exp()), (x, y), fast_mode=fast),
            lambda: check(lambda a: (a * 2, a.argmax()), x, fast_mode=fast),
            lambda: check(wrong, x, fast_mode=fast),
            lambda: check(wrong, (x,), fast_mode=fast, raise_exception=False),
            lambda: check(lambda b, a: wrong(a) + b, (constant, x), fast_mode=fast),
            lambda: check(lambda a, b: (a * 2, wrong(b)), [x, y], fast_mode=fast),
            lambda: check(not_conjugate, z, fast_mode=fast),
            lambda: check(lambda a: a.abs(), z, fast_mode=fast),
            lambda: check(lambda a: a.detach() * 2, x, fast_mode=fast),
            lambda: check(lambda a: a.detach() * 0, x, fast_mode=fast),
            lambda: check(lambda a: a[a > 1] * 2, x, fast_mode=fast),
            lambda: check(lambda a: a * 2, x, masked=True, fast_mode=fast),
            lambda: check(function(torch, lambda ctx, x: x * 2, lambda ctx, g: None), x, fast_mode=fast),
            lambda: check(lambda a: a, x, fast_mode=fast),
            lambda: check(lambda a: a * 2, x * 1, fast_mode=fast),
            fast=fast,
        )

    return [*in_mode(False), *in_mode(True)]


@case
def what_is_refused(torch):
    check, check2 = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = leaf(torch, 1.0)
    fine = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    forward = {"check_forward_ad": True}
    return outcomes(
        lambda: check(lambda a: a, torch.ones(2, dtype=torch.float64)),
        lambda: check(lambda a: a, torch.ones(2, dtype=torch.float64), raise_exception=False),
        lambda: check(lambda a: a * 2, x.expand(3)),
        lambda: check(lambda a: 3.0, x),
        lambda: check(lambda a: (a * 2, "text"), x),
        lambda: check(lambda a: 1 / 0, x),
        lambda: check(function(torch, lambda ctx, x: x * 2, lambda ctx, g: 1 / 0), x),
        lambda: check(lambda a: a.mul_(2), x),
        lambda: check(lambda a: a.log(), leaf(torch, -1.0)),
        lambda: check(fine, x, check_backward_ad=False),
        lambda: check(fine, x, check_batched_forward_grad=True),
        lambda: check(fine, x, check_backward_ad=False, check_batched_grad=True, **forward),
        lambda: check2(fine, x, check_rev_over_rev=False),
        lambda: check2(fine, x, check_rev_over_rev=False, check_fwd_over_rev=True),
        lambda: check2(
            fine, x, check_rev_over_rev=False, check_fwd_over_rev=True, check_undefined_grad=False,
            check_batched_grad=True,
        ),
        lambda: check2(lambda a: a * 2, torch.ones(2, dtype=torch.float64)),
    )


@case
def single_precision_is_warned_about(torch):
    x = torch.ones(2, requires_grad=True)
    return warned(lambda: torch.autograd.gradcheck(lambda a: a * 2, x, raise_exception=False))


@case
def forward_mode(torch):
    check = torch.autograd.gradcheck
    x, z = leaf(torch, 1.0, 2.0), leaf(torch, 1 + 2j, 3.0)
    wrong = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, lambda ctx, t: t * 3)
    right = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, lambda ctx, t: t * 2)
    wrong_backward = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 5, lambda ctx, t: t * 2)
    without = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    wrong_complex = function(torch, lambda ctx, z: z * 2j, lambda ctx, g: g * -2j, lambda ctx, t: t * -2j)

    def in_mode(fast):
        options = {"check_forward_ad": True, "fast_mode": fast}
        return outcomes(
            lambda: check(lambda a: (a.sin(), a.prod()), x, **options),
            lambda: check(right, x, **options),
            lambda: check(wrong, x, **options),
            lambda: check(wrong, x, raise_exception=False, **options),
            lambda: check(without, x, **options),
            lambda: check(wrong_backward, x, **options),
            lambda: check(wrong_backward, x, check_backward_ad=False, **options),
            lambda: check(wrong_complex, z, **options),
            lambda: check(lambda a: (a * 2j).exp(), z, **options),
            lambda: check(lambda a: a.abs(), z, **options),
            lambda: check(lambda a: a * 2j, x, **options),
            lambda: check(lambda a, b: a * 2, (x, leaf(torch, 1.0)), **options),
            lambda: check(lambda a: (a * 3, wrong(a)), x, **options),
            fast=fast,
        )

    return [*in_mode(False), *in_mode(True)]


def changing(at: int) -> Any:
    """A backward of 2x that is another one from some call on."""
    calls = []

    def derivative(ctx: Any, g: Any) -> Any:
        calls.append(1)
        return g * (3 if len(calls) >= at else 2)

    return derivative


def before_numbers(found: list[Any]) -> list[Any]:
    return [f if isinstance(f, bool) else [f[0], f[1].partition("\nGot:")[0].strip()] for f in found]


@case
def batches(torch):
    check = torch.autograd.gradcheck
    x, empty = leaf(torch, 1.0, 3.0), torch.empty(0, 3, dtype=torch.float64, requires_grad=True)
    right = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, lambda ctx, t: t * 2)
    forward = {"check_forward_ad": True, "check_batched_forward_grad": True}
    return before_numbers(
        outcomes(
            lambda: check(lambda a: a * a, x, check_batched_grad=True),
            lambda: check(lambda a: a * a, x, check_batched_grad=True, fast_mode=True),
            lambda: check(lambda a: a * a, x, **forward),
            lambda: check(lambda a: a * a, x, fast_mode=True, **forward),
            lambda: check(right, x, check_batched_grad=True, **forward),
            lambda: check(lambda a: a.exp(), leaf(torch, 1 + 1j), check_batched_grad=True, **forward),
            lambda: check(lambda a: a * 2, empty, check_batched_grad=True, **forward),
            lambda: check(function(torch, lambda ctx, x: x * 2, changing(7)), x, check_batched_grad=True),
        )
    )


@case
def a_backward_that_is_not_deterministic(torch):
    check = torch.autograd.gradcheck
    x = leaf(torch, 1.0, 3.0)
    calls = []

    def backward(ctx: Any, g: Any) -> Any:
        calls.append(1)
        return g * (2 + 1e-9 * len(calls))

    f = function(torch, lambda ctx, x: x * 2, backward)
    return outcomes(
        lambda: check(f, x),
        lambda: check(f, x, fast_mode=True),
        lambda: check(f, x, raise_exception=False),
        lambda: check(f, x, nondet_tol=1e-6),
        lambda: check(f, x, nondet_tol=1e-6, fast_mode=True),
    )


@case
def gradients_that_do_not_arrive(torch):
    check = torch.autograd.gradcheck
    x = leaf(torch, 1.0)

    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def fails(ctx: Any, g: Any, h: Any) -> Any:
        if g is None or h is None:
            raise RuntimeError("no gradient")
        return g * 2 + h * 3

    def makes_up(ctx: Any, g: Any, h: Any) -> Any:
        return torch.ones(1, dtype=torch.float64) if g is None else fails(ctx, g, h)

    def warnings_and_outcome(f: Any) -> Any:
        found: list[Any] = []
        told = warned(lambda: found.extend(outcomes(f)))
        return [told, found]

    ignores = function(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.full_like(g, 2))
    return [
        warnings_and_outcome(lambda: check(lambda a: sum(function(torch, forward, fails)(a)), x)),
        warnings_and_outcome(lambda: check(lambda a: sum(function(torch, forward, makes_up)(a)), x)),
        warnings_and_outcome(
            lambda: check(lambda a: sum(function(torch, forward, fails)(a)), x, check_undefined_grad=False)
        ),
        warnings_and_outcome(lambda: check(ignores, x)),
    ]


@case
def second_derivatives(torch):
    check = torch.autograd.gradgradcheck
    x, z = leaf(torch, 1.0, 2.0), leaf(torch, 1 + 1j, 2.0)

    def forward(ctx: Any, x: Any) -> Any:
        squared = x * x
        ctx.save_for_backward(squared)
        return squared * x

    cube = function(torch, forward, lambda ctx, g: 3 * ctx.saved_tensors[0] * g)

    def in_mode(fast):
        return outcomes(
            lambda: check(cube, x, leaf(torch, 1.0, 1.0), fast_mode=fast),
            lambda: check(cube, x, raise_exception=False, fast_mode=fast),
            lambda: check(lambda a: a**3, x, fast_mode=fast),
            lambda: check(lambda a: a**3, x, check_fwd_over_rev=True, fast_mode=fast),
            lambda: check(
                lambda a: a**3, x, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False,
                fast_mode=fast,
            ),
            lambda: check(lambda a: a**3, x, check_batched_grad=True, fast_mode=fast),
            lambda: check(lambda a: a**3, x, gen_non_contig_grad_outputs=True, fast_mode=fast),
            lambda: check(lambda a: a**3, z, check_fwd_over_rev=True, fast_mode=fast),
            lambda: check(lambda a: a * 2, x, fast_mode=fast),
            lambda: check(lambda a: a**3, x, torch.ones(2, dtype=torch.float64), fast_mode=fast),
            lambda: check(lambda a: (a.sin(), a.prod()), x, check_grad_dtypes=True, fast_mode=fast),
            fast=fast,
        )

    return [*in_mode(False), *in_mode(True)]


@case
def functions_that_pytorch_shows(torch):
    module = importlib.import_module(f"{torch.__name__}.autograd.gradcheck")
    x = leaf(torch, 1.0, 2.0)
    found: list[Any] = []
    told = warned(
        lambda: found.extend(
            [
                see(torch, module.get_numerical_jacobian(lambda i: i[0] ** 2, (x,))),
                see(torch, module.get_analytical_jacobian((x,), x**2)),
                see(torch, module.get_numerical_jacobian_wrt_specific_input(lambda i: i**2, 0, (x,), [x**2], 1e-3)),
            ]
        )
    )
    return [told, found, [name.__mro__[1].__name__ for name in (module.GradcheckError,)]]


@case
def numerical_jacobians_of_all_outputs(torch):
    module = importlib.import_module(f"{torch.__name__}.autograd.gradcheck")
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0)
    y = torch.tensor([5.0, 6.0], dtype=torch.float64)
    numerical = module._get_numerical_jacobian
    return [
        see(torch, numerical(lambda x: (x * 2, x.sum()), x, eps=1e-6)),
        see(torch, numerical(lambda x, y: x * y, (x, y), eps=1e-6)),
        see(torch, numerical(lambda y: y * w, y, target=w, eps=1e-6)),
        [list(t.shape) for t in module._iter_tensors([x, (y, "y", w)])],
        [list(t.shape) for t in module._iter_tensors((y, w), only_requiring_grad=True)],
    ]


@case
def checks_draw_what_they_start_from_from_the_programs_generator(torch):
    x, z = leaf(torch, 1.0, 2.0), torch.tensor([0.5 + 1j], dtype=torch.complex128, requires_grad=True)
    check, check_twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    calls = (
        lambda: check(torch.sin, x),
        lambda: check(torch.sin, x, fast_mode=True),
        lambda: check(torch.sin, x, check_batched_grad=True),
        lambda: check(torch.sin, x, check_forward_ad=True, check_batched_forward_grad=True),
        lambda: check_twice(torch.sin, x),
        lambda: check_twice(torch.sin, z),
        lambda: check_twice(torch.sin, x, gen_non_contig_grad_outputs=True),
        lambda: check_twice(torch.sin, x, check_batched_grad=True),
        lambda: check_twice(torch.sin, x, torch.ones_like(x)),
    )
    found = []
    for call in calls:
        torch.manual_seed(0)
        call()
        found.append(see(torch, torch.rand(2)))
    return found


@case
def inputs_that_are_sparse(torch):
    x = torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=torch.float64).to_sparse().requires_grad_()
    y = leaf(torch, 1.0, 2.0)
    functions = (
        lambda x, y: x.to_dense(), lambda x, y: (x * x).to_dense() * y, lambda x, y: torch.sparse.sum(x),
        lambda x, y: x.coalesce().to_dense() * y, lambda x, y: x * 3,
    )  # fmt: skip
    trials = [(f, fast) for f in functions for fast in (False, True)]

    def check(f, fast):
        with torch.sparse.check_sparse_tensor_invariants(True):
            return torch.autograd.gradcheck(f, (x, y), masked=True, fast_mode=fast)

    return outcomes(*[lambda f=f, fast=fast: check(f, fast) for f, fast in trials])
