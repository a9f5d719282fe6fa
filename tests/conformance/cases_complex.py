"""Complex autograd: the conjugate Wirtinger convention, real and complex mixed, and complex views."""

from __future__ import annotations

from typing import Any

from .observe import case, error, graph, name_of, see


def z_leaf(torch: Any, *values: complex) -> Any:
    return torch.tensor(values or (1 + 2j, -3 + 0.5j), requires_grad=True)


def real_loss(t: Any) -> Any:
    """A real number of a complex tensor in which real and imaginary parts weigh differently."""
    return t.real.sum() + 3 * t.imag.sum() if t.is_complex() else t.sum()


def gradients(torch: Any, fn: Any, *inputs: Any) -> Any:
    """The output of ``fn``, its node, and the gradients of ``real_loss`` of it."""
    out = fn(*inputs)
    grads = torch.autograd.grad(real_loss(out), inputs)
    return [see(torch, out), [see(torch, g) for g in grads]]


@case
def gradient_of_a_holomorphic_function_is_conjugated(torch):
    z = z_leaf(torch, 1 + 2j)
    (z * (3 + 4j)).backward(torch.ones(1, dtype=torch.complex64))
    return see(torch, z.grad)


@case
def gradient_of_the_squared_modulus_is_twice_the_number(torch):
    z = z_leaf(torch)
    (z * z.conj()).real.sum().backward()
    return see(torch, z.grad)


@case
def gradient_descent_step_reduces_a_real_loss(torch):
    z = z_leaf(torch, 1 + 2j)
    target = torch.tensor([-1 + 1j])
    losses = []
    for _ in range(3):
        loss = (z - target).abs().pow(2).sum()
        losses.append(loss.item())
        (g,) = torch.autograd.grad(loss, z)
        with torch.no_grad():
            z -= 0.25 * g
    return losses, see(torch, z)


@case
def binary_operators(torch):
    seen = {}
    for name, fn in {
        "add": lambda a, b: a + b,
        "add_alpha": lambda a, b: torch.add(a, b, alpha=2 - 1j),
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "pow": lambda a, b: a**b,
        "dot": lambda a, b: torch.dot(a, b),
        "vdot": lambda a, b: torch.vdot(a, b),
        "outer": lambda a, b: torch.outer(a, b),
        "where": lambda a, b: torch.where(torch.tensor([True, False]), a, b),
        "addcmul": lambda a, b: torch.addcmul(a, a, b, value=2),
        "lerp": lambda a, b: torch.lerp(a, b, 0.25),
        "cat": lambda a, b: torch.cat([a, b]) * 1j,
        "stack": lambda a, b: torch.stack([a, b]) * 1j,
    }.items():
        seen[name] = gradients(torch, fn, z_leaf(torch), z_leaf(torch, 0.5 - 1j, 2 + 1j))
    return seen


@case
def unary_operators(torch):
    seen = {}
    for name in (
        "neg",
        "conj",
        "real",
        "imag",
        "abs",
        "angle",
        "exp",
        "log",
        "sqrt",
        "square",
        "reciprocal",
        "rsqrt",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "sigmoid",
        "sgn",
        "log2",
        "log10",
        "asin",
        "acos",
        "atan",
        "expm1",
        "log1p",
    ):
        fn = (lambda z, name=name: getattr(z, name)) if name in ("real", "imag") else getattr(torch, name)
        seen[name] = gradients(torch, fn, z_leaf(torch))
    return seen


@case
def reductions(torch):
    seen = {}
    for name, fn in {
        "sum": lambda z: z.sum(),
        "sum_dim": lambda z: z.sum(0),
        "mean": lambda z: z.mean(),
        "prod": lambda z: z.prod(),
        "cumsum": lambda z: z.cumsum(0),
        "cumprod": lambda z: z.cumprod(0),
        "norm": lambda z: z.norm(),
        "norm_one": lambda z: z.norm(1),
        "vector_norm_inf": lambda z: torch.linalg.vector_norm(z, float("inf")),
        "var": lambda z: z.var(),
        "std": lambda z: z.std(),
    }.items():
        seen[name] = gradients(torch, fn, z_leaf(torch))
    return seen


@case
def matrix_products(torch):
    a = torch.tensor([[1 + 1j, 2.0], [0.5j, -1 + 2j]], requires_grad=True)
    b = torch.tensor([[2 - 1j, 1j], [1.0, 3 + 1j]], requires_grad=True)
    v = z_leaf(torch)
    return {
        "mm": gradients(torch, lambda a, b: a @ b, a, b),
        "mv": gradients(torch, lambda a, v: a @ v, a, v),
        "mH": gradients(torch, lambda a, b: a.mH @ b, a, b),
        "bmm": gradients(torch, lambda a, b: torch.bmm(a[None], b[None]), a, b),
        "einsum": gradients(torch, lambda a, b: torch.einsum("ij,ij->", a, b.conj()), a, b),
    }


@case
def shape_operators(torch):
    z = torch.tensor([[1 + 1j, 2.0], [0.5j, -1 + 2j]], requires_grad=True)
    weight = torch.tensor([[1j, 2.0], [3.0, 1 - 1j]])
    seen = {}
    for name, fn in {
        "t": lambda z: z.t() * weight,
        "H": lambda z: z.H * weight,
        "view": lambda z: z.view(4) * weight.view(4),
        "index": lambda z: z[[0, 0]] * weight,
        "slice": lambda z: z[:, 1] * weight[:, 0],
        "expand": lambda z: z[0].expand(2, 2) * weight,
        "gather": lambda z: z.gather(1, torch.tensor([[1, 1], [0, 1]])) * weight,
        "flip": lambda z: z.flip(0) * weight,
        "diagonal": lambda z: z.diagonal() * 1j,
        "repeat": lambda z: z.repeat(2, 1) * 1j,
    }.items():
        seen[name] = gradients(torch, fn, z)
    return seen


@case
def powers(torch):
    seen = {}
    for name, fn in {
        "square": lambda z: z**2,
        "cube": lambda z: z**3,
        "half": lambda z: z**0.5,
        "negative": lambda z: z**-1,
        "zero": lambda z: z**0,
        "complex_exponent": lambda z: z ** (1 + 1j),
        "number_to_the_z": lambda z: 2.0**z,
        "complex_to_the_z": lambda z: (1 + 1j) ** z,
    }.items():
        seen[name] = gradients(torch, fn, z_leaf(torch))
    return seen


@case
def power_of_zero(torch):
    z = z_leaf(torch, 0j)
    w = torch.tensor([2.0], requires_grad=True)
    return gradients(torch, lambda z: z**2, z), gradients(torch, lambda z, w: z**w, z, w)


@case
def modulus_and_angle_at_zero(torch):
    z = z_leaf(torch, 0j)
    return (
        gradients(torch, torch.abs, z),
        gradients(torch, torch.angle, z),
        gradients(torch, torch.sgn, z),
        gradients(torch, lambda z: z.norm(), z),
    )


@case
def real_leaf_in_a_complex_graph(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    seen = {}
    for name, fn in {
        "mul": lambda x: x * (1 + 2j),
        "mul_tensor": lambda x: x * torch.tensor([1j, 2 - 1j]),
        "add": lambda x: x + 1j,
        "div": lambda x: 1j / x,
        "exp": lambda x: torch.exp(1j * x),
        "to_complex": lambda x: x.to(torch.complex64) * 2j,
        "pow": lambda x: x ** (1 + 1j),
        "complex": lambda x: torch.complex(x, x * x),
        "polar": lambda x: torch.polar(x, x * 2),
        "matmul": lambda x: torch.tensor([[1j, 2.0]]) @ x.to(torch.complex64),
    }.items():
        seen[name] = gradients(torch, fn, x)
    return seen


@case
def real_and_complex_operands_each_get_their_kind_of_gradient(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    z = z_leaf(torch)
    return {
        "mul": gradients(torch, lambda x, z: x * z, x, z),
        "div": gradients(torch, lambda x, z: x / z, x, z),
        "add": gradients(torch, lambda x, z: x + z, x, z),
        "sub": gradients(torch, lambda x, z: z - x, x, z),
        "pow": gradients(torch, lambda x, z: x**z, x, z),
        "rpow": gradients(torch, lambda x, z: z**x, x, z),
    }


@case
def real_to_complex_to_real_chain(torch):
    x = torch.tensor([0.5, 1.5], requires_grad=True)
    y = torch.exp(1j * x)
    out = (y * y).real + y.abs() + y.angle()
    out.sum().backward()
    return see(torch, out), see(torch, x.grad)


@case
def double_precision_chain(torch):
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    z = torch.complex(x, x)
    (z * 1j).imag.sum().backward()
    return see(torch, z), see(torch, x.grad)


@case
def backward_of_a_complex_scalar_without_gradient(torch):
    z = z_leaf(torch)
    return error(lambda: z.sum().backward()), error(lambda: torch.autograd.grad(z.sum(), z))


@case
def backward_of_a_complex_vector_without_gradient(torch):
    z = z_leaf(torch)
    return error(lambda: (z * 2).backward())


@case
def backward_with_a_real_gradient_for_a_complex_output(torch):
    z = z_leaf(torch)
    return error(lambda: (z * 2).backward(torch.ones(2)))


@case
def backward_with_a_complex_gradient_for_a_real_output(torch):
    z = z_leaf(torch)
    return error(lambda: z.abs().backward(torch.ones(2, dtype=torch.complex64)))


@case
def backward_with_a_complex_gradient(torch):
    z = z_leaf(torch)
    (z * z).backward(torch.tensor([1 + 1j, 2j]))
    return see(torch, z.grad)


@case
def gradient_accumulates(torch):
    z = z_leaf(torch)
    for _ in range(2):
        (z * 1j).real.sum().backward()
    return see(torch, z.grad)


@case
def conj_physical_is_eager(torch):
    z = z_leaf(torch)
    c = z.conj_physical()
    return c.is_conj(), gradients(torch, lambda z: z.conj_physical() * 2j, z)


@case
def conj_of_a_real_tensor_is_the_tensor(torch):
    x = torch.tensor([1.0], requires_grad=True)
    return x.conj() is x, x.real is x, error(lambda: x.imag)


@case
def graph_of_conj_real_imag(torch):
    z = z_leaf(torch)
    return {
        "conj": graph(z.conj().grad_fn),
        "real": graph(z.real.grad_fn),
        "imag": graph(z.imag.grad_fn),
        "real_function": graph(torch.real(z).grad_fn),
        "abs": graph(z.abs().grad_fn),
        "angle": graph(z.angle().grad_fn),
        "view_as_real": graph(torch.view_as_real(z).grad_fn),
        "H": graph(z.view(1, 2).H.grad_fn),
    }


@case
def view_as_real_gradient(torch):
    z = z_leaf(torch)
    v = torch.view_as_real(z)
    (v * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return see(torch, v), v._base is z, see(torch, z.grad)


@case
def view_as_complex_gradient(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    z = torch.view_as_complex(x)
    (z * z).imag.sum().backward()
    return see(torch, z), z._base is x, see(torch, x.grad)


@case
def view_as_complex_errors(torch):
    return (
        error(lambda: torch.view_as_complex(torch.ones(2, 3))),
        error(lambda: torch.view_as_complex(torch.tensor(1.0))),
        error(lambda: torch.view_as_complex(torch.ones(2, 4)[:, ::2])),
        error(lambda: torch.view_as_complex(torch.ones(2, 2, dtype=torch.int64))),
        error(lambda: torch.view_as_real(torch.ones(2))),
    )


@case
def write_through_view_as_real(torch):
    z = z_leaf(torch)
    y = z.clone()
    torch.view_as_real(y)[:, 1] = 0.0
    real_loss(y * y).backward()
    return see(torch, y), see(torch, z.grad)


@case
def write_through_view_as_complex(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x.clone()
    torch.view_as_complex(y).mul_(1j)
    (y * torch.tensor([1.0, 10.0])).sum().backward()
    return see(torch, y), see(torch, x.grad), name_of(y.grad_fn)


@case
def write_to_real_of_a_leaf(torch):
    z = z_leaf(torch)

    def assign():
        z.real = torch.zeros(2)

    return error(lambda: z.real.zero_()), error(assign)


@case
def assign_real_part_of_a_plain_tensor(torch):
    z = torch.tensor([1 + 2j])
    z.real = torch.tensor([5.0])
    z.imag = 7.0
    return see(torch, z), z._version


@case
def complex_from_two_leaves(torch):
    a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    z = torch.complex(a, b)
    (z * z.conj()).real.sum().backward()
    return see(torch, z), see(torch, a.grad), see(torch, b.grad)


@case
def complex_from_one_leaf(torch):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    z = torch.complex(a, torch.zeros(2))
    real_loss(z * (1 + 1j)).backward()
    return see(torch, z), see(torch, a.grad)


@case
def complex_and_polar_errors(torch):
    one, two = torch.ones(2), torch.ones(2, dtype=torch.float64)
    return (
        error(lambda: torch.complex(one, two)),
        error(lambda: torch.complex(torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.int64))),
        error(lambda: torch.polar(one, two)),
        error(lambda: torch.complex(one, torch.ones(3))),
    )


@case
def polar_gradients(torch):
    r, phi = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.3, -0.7], requires_grad=True)
    return gradients(torch, torch.polar, r, phi)


@case
def abs_of_a_product_of_two_leaves(torch):
    a, b = z_leaf(torch), z_leaf(torch, 0.5 - 1j, 2 + 1j)
    (a * b).abs().sum().backward()
    return see(torch, a.grad), see(torch, b.grad)


@case
def second_derivatives(torch):
    z = z_leaf(torch)
    (g,) = torch.autograd.grad((z**3).real.sum(), z, create_graph=True)
    (h,) = torch.autograd.grad(real_loss(g), z)
    return see(torch, g), see(torch, h)


@case
def second_derivatives_of_the_modulus(torch):
    z = z_leaf(torch)
    (g,) = torch.autograd.grad(z.abs().sum(), z, create_graph=True)
    (h,) = torch.autograd.grad(real_loss(g), z)
    return see(torch, h)


@case
def hooks_see_the_complex_gradient(torch):
    z = z_leaf(torch)
    seen = []
    y = z * 1j
    y.register_hook(lambda g: seen.append(see(torch, g)))
    real_loss(y).backward()
    return seen


@case
def hook_may_not_turn_a_real_gradient_complex(torch):
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 1j)
    return error(lambda: y.sum().backward())["raises"]


@case
def inplace_operators_on_complex(torch):
    z, x = z_leaf(torch), torch.tensor([2.0, 3.0], requires_grad=True)
    y = z * 1
    y.mul_(x)
    y.add_(1j)
    y.div_(1 + 1j)
    real_loss(y).backward()
    return see(torch, y), see(torch, z.grad), see(torch, x.grad)


@case
def real_destination_refuses_complex_values(torch):
    x = torch.tensor([1.0]) * 1
    return error(lambda: x.mul_(1j)), error(lambda: x.add_(torch.tensor([1j])))


@case
def copying_complex_into_real_discards_the_imaginary_part(torch):
    from .observe import warned

    x = torch.zeros(1)
    warned(lambda: x.copy_(torch.tensor([3 + 4j])))
    return see(torch, x)


@case
def gradient_of_copying_real_into_complex(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = torch.zeros(2, dtype=torch.complex64)
    z.copy_(x)
    real_loss(z * (1 + 2j)).backward()
    return see(torch, z), see(torch, x.grad)


@case
def gradient_of_casting(torch):
    z = z_leaf(torch)
    w = z.to(torch.complex128)
    real_loss(w * 2j).backward()
    return see(torch, w), see(torch, z.grad)


@case
def comparisons_of_complex_numbers(torch):
    z = torch.tensor([1 + 2j, 3 + 0j])
    return (
        see(torch, z == torch.tensor([1 + 2j, 4 + 0j])),
        error(lambda: z < z)["raises"],
        error(lambda: z.max())["raises"],
        error(lambda: z.clamp(0, 1))["raises"],
        error(lambda: z.sort())["raises"],
    )


@case
def relu_and_floor_refuse_complex(torch):
    z = torch.tensor([1 + 2j])
    return error(lambda: torch.relu(z))["raises"], error(lambda: z.floor())["raises"]


@case
def absolute_value_in_place_is_refused(torch):
    z = torch.tensor([3 + 4j])
    return error(lambda: z.abs_()), see(torch, z)


@case
def softmax_of_the_modulus(torch):
    z = z_leaf(torch)
    (z.abs().softmax(0) * torch.tensor([1.0, 2.0])).sum().backward()
    return see(torch, z.grad)


@case
def masked_and_indexed_complex_writes(torch):
    z, w = z_leaf(torch), z_leaf(torch, 5j)
    y = z * 1
    y[0] = w[0]
    y[torch.tensor([False, True])] *= 2j
    real_loss(y).backward()
    return see(torch, y), see(torch, z.grad), see(torch, w.grad)


@case
def requires_grad_and_scalar_access(torch):
    z = z_leaf(torch, 1 + 2j)
    return (
        z.requires_grad,
        error(lambda: z.sum().item()),
        error(lambda: float(z.detach())),
        error(lambda: complex(z.detach())),
    )


@case
def printing(torch):
    z = z_leaf(torch, 1 + 2j, -0.5 + 0j)
    return repr(z), repr(z * 2), repr(z.conj()), str(z.dtype)


@case
def gradcheck_of_complex_functions(torch):
    z = torch.tensor([1 + 2j, -3 + 0.5j], dtype=torch.complex128, requires_grad=True)
    return [
        torch.autograd.gradcheck(fn, (z,))
        for fn in (lambda z: z * z, lambda z: z.abs(), lambda z: z.conj() * z, torch.exp, torch.angle)
    ]


@case
def default_dtype_decides_the_complex_dtype(torch):
    return [
        str(t.dtype)
        for t in (
            torch.tensor(1j),
            torch.tensor([1.0]) * 1j,
            torch.tensor([1.0], dtype=torch.float64) * 1j,
            torch.tensor([1]) * 1j,
            torch.tensor([1j]) * torch.tensor([1.0], dtype=torch.float64),
            torch.tensor([1j]) * torch.tensor(1.0, dtype=torch.float64),
            torch.tensor([1j]).real,
            torch.tensor([1j]).abs(),
        )
    ]


@case
def real_bases_of_complex_powers(torch):
    """The logarithm of a negative number is complex; the power of 0 is flat at real exponents alone."""
    found = []
    for base in (-1.5, 0.0, 2.0, -2):
        for exponent in (-1.2 - 1j, 1.2 - 1j, 2 + 0j, 1.5 + 1j):
            for wide in (True, False) if base or exponent.real > 0 else ():
                e = torch.tensor([exponent], dtype=torch.complex128 if wide else torch.complex64, requires_grad=True)
                b = torch.tensor([base], dtype=torch.float64 if wide else torch.float32, requires_grad=True)
                y = torch.pow(b, e)
                g = torch.autograd.grad(y.abs().sum(), (b, e), create_graph=True)
                found += [y, *g]
                if base:
                    found += torch.autograd.grad(g[0].sum() + g[1].abs().sum(), (b, e))
                    found += torch.func.jvp(lambda e: torch.pow(b.detach(), e), (e.detach(),), (e.detach(),))  # noqa: B023
                    found += torch.autograd.grad(torch.pow(base, e).abs().sum(), e)
                if isinstance(base, int):
                    found += torch.autograd.grad(torch.pow(torch.tensor([base]), e).abs().sum(), e)
    return see(torch, [t.detach() for t in found])
