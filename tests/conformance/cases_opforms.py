"""The forms of an operator: function, method, operator, in-place, out=, keyword names and aliases, and their errors."""

from __future__ import annotations

import operator

from .cases_pointwise import examine, fixed, short
from .observe import case, error, graph, name_of, see, warned

INF = float("inf")


def complaint(fn):
    """What ``fn`` raises, without the listing of signatures; "fine" where it raises nothing."""
    seen = error(fn)
    if "raises" not in seen:
        return "fine"
    message = seen["message"].split("\n")[0]
    return {"raises": seen["raises"], "message": message.split(", but expected")[0]}


def warnings_of(fn):
    """Category and text of the warnings of ``fn``, without the place in PyTorch's sources."""
    return [[category, text.split(" (Triggered internally")[0]] for category, text in warned(fn)]


def leaf(torch, numbers):
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=True)


# -- function, method, operator, in-place -------------------------------------------------------------------------


@case
def function_method_and_operator_are_the_same_node(torch):
    a, b = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 5.0])
    forms = {
        "add": (torch.add(a, b), a.add(b), a + b, a.__add__(b)),
        "sub": (torch.sub(a, b), a.sub(b), a - b, torch.subtract(a, b)),
        "mul": (torch.mul(a, b), a.mul(b), a * b, torch.multiply(a, b)),
        "div": (torch.div(a, b), a.div(b), a / b, torch.divide(a, b), a.true_divide(b)),
        "pow": (torch.pow(a, b), a.pow(b), a**b),
        "remainder": (torch.remainder(a, b), a.remainder(b), a % b),
        "neg": (torch.neg(a), a.neg(), -a, a.negative()),
        "abs": (torch.abs(a), a.abs(), abs(a), a.absolute()),
        "matmul": (torch.matmul(a, b), a.matmul(b), a @ b),
    }
    return {n: [[r.detach().tolist(), name_of(r.grad_fn)] for r in results] for n, results in forms.items()}


@case
def unary_methods_agree_with_functions(torch):
    a = leaf(torch, [0.25, 0.5])
    names = (
        "sin cos tan asin acos atan sinh cosh tanh asinh atanh exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square "
        "reciprocal sigmoid erf erfc erfinv floor ceil round trunc frac sign sgn relu lgamma digamma logit"
    )
    return [n for n in names.split() if not torch.equal(getattr(torch, n)(a), getattr(a, n)())]


@case
def inplace_unary_methods_return_self_and_agree(torch):
    names = (
        "sin cos tan asin acos atan sinh cosh tanh exp expm1 log log2 log10 log1p sqrt rsqrt square reciprocal "
        "sigmoid erf erfc floor ceil round trunc frac sign relu neg abs"
    )
    wrong = []
    for n in names.split():
        a = torch.tensor([0.25, 0.5])
        b = a.clone()
        result = getattr(b, n + "_")()
        if result is not b or not torch.equal(b, getattr(torch, n)(a)):
            wrong.append(n)
    return wrong


@case
def inplace_binary_methods_return_self(torch):
    x = torch.tensor([6.0, 4.0])
    seen = []
    for f in (
        lambda: x.add_(2),
        lambda: x.add_(torch.ones(2), alpha=3),
        lambda: x.sub_(1),
        lambda: x.sub_(torch.ones(2), alpha=2),
        lambda: x.mul_(2),
        lambda: x.div_(4),
        lambda: x.pow_(2),
        lambda: x.fmod_(5),
        lambda: x.remainder_(3),
        lambda: x.clamp_(0.5, 1.5),
        lambda: x.clamp_min_(1),
        lambda: x.lerp_(torch.zeros(2), 0.5),
        lambda: x.addcmul_(torch.ones(2), torch.ones(2), value=2),
        lambda: x.addcdiv_(torch.ones(2), torch.ones(2), value=2),
        lambda: x.copy_(torch.tensor([7.0, 8.0])),
        lambda: x.floor_divide_(2),
        lambda: x.fill_(3),
        lambda: x.zero_(),
    ):
        r = f()
        seen.append([r is x, short(x.tolist())])
    return seen


@case
def augmented_assignment_is_in_place(torch):
    x = torch.tensor([6.0, 4.0])
    y = x
    seen = []
    x += 1
    x -= torch.ones(2)
    x *= 3
    x /= 2
    x **= 2
    seen.append([x is y, x.tolist()])
    x //= 5
    x %= 4
    seen.append([x is y, x.tolist()])
    i = torch.tensor([5, 6])
    j = i
    i &= 6
    i |= 1
    i ^= 2
    i <<= 1
    i >>= 1
    seen.append([i is j, i.tolist()])
    return seen


@case
def inplace_names_in_the_graph(torch):
    a = leaf(torch, [1.0, 2.0])
    b = leaf(torch, [3.0, 4.0])
    y = a * 1
    names = [name_of(y.grad_fn)]
    for f in (
        lambda: y.add_(b),
        lambda: y.mul_(b),
        lambda: y.sub_(1),
        lambda: y.div_(2),
        lambda: y.exp_(),
        lambda: y.sin_(),
        lambda: y.pow_(2),
        lambda: y.clamp_(0, 1),
        lambda: y.relu_(),
        lambda: y.neg_(),
        lambda: y.copy_(b),
        lambda: y.masked_fill_(torch.tensor([True, False]), 0),
        lambda: y.fill_(1.0),
        lambda: y.zero_(),
    ):
        f()
        names.append(name_of(y.grad_fn))
    return [names, y.requires_grad]


@case
def inplace_chain_gradients(torch):
    return examine(torch, lambda a, b: (a * 1).add_(b, alpha=2).mul_(b).sin_(), [1.0, 2.0], [3.0, 4.0])


@case
def inplace_exp_saves_its_result(torch):
    return examine(torch, lambda a: (a * 1).exp_(), [1.0, 2.0])


@case
def inplace_sigmoid_tanh_relu(torch):
    return examine(torch, lambda a: ((a * 1).sigmoid_(), (a * 1).tanh_(), (a - 1.5).relu_()), [1.0, 2.0])


@case
def inplace_pow(torch):
    return examine(torch, lambda a: (a * 1).pow_(3), [1.0, 2.0])


@case
def copy_from_another_dtype(torch):
    return examine(torch, lambda a: torch.zeros(2, dtype=torch.float64).copy_(a.float()), [1.0, 2.0])


@case
def inplace_overwrites_what_backward_needs(torch):
    a = leaf(torch, [1.0, 2.0])
    y = a.exp()
    y.mul_(2)
    w = a * 1
    v = w.sin()
    w.add_(1)
    return [error(lambda: y.sum().backward()), error(lambda: v.sum().backward())]


@case
def inplace_on_a_leaf(torch):
    a = leaf(torch, [1.0, 2.0])
    fails = [error(lambda: a.add_(1)), error(lambda: a.zero_()), error(lambda: a[0].add_(1)), error(lambda: a.relu_())]
    with torch.no_grad():
        a.add_(1)
    return [*fails, see(torch, a), a._version]


@case
def inplace_result_types(torch):
    i = lambda: torch.tensor([1, 2])
    return [
        complaint(lambda: i().add_(1.5)),
        complaint(lambda: i().div_(2)),
        complaint(lambda: i().mul_(torch.ones(2))),
        complaint(lambda: i().sqrt_()),
        complaint(lambda: torch.tensor([True]).add_(1)),
        complaint(lambda: torch.ones(2).add_(1j)),
        see(torch, torch.tensor([1.5], dtype=torch.float32).add_(fixed(torch, [1.0]))),
        see(torch, i().add_(torch.tensor([1, 1], dtype=torch.int32))),
        see(torch, i().floor_divide_(2)),
        see(torch, i().eq_(2)),
    ]


@case
def inplace_cannot_grow(torch):
    return [
        error(lambda: torch.ones(2).add_(torch.ones(2, 2))),
        error(lambda: torch.ones(1).mul_(torch.ones(2))),
        error(lambda: torch.ones(2).copy_(torch.ones(3))),
        error(lambda: torch.tensor(1.0).add_(torch.ones(1))),
    ]


# -- reflected operators ------------------------------------------------------------------------------------------


@case
def reflected_operators_with_numbers(torch):
    x = leaf(torch, [2.0, -3.0])
    results = (1 + x, 1 - x, 3 * x, 6 / x, 2**x, 7 // x, 7 % x, -1.5 - x, True + x, 1.0 / x)
    return [[short(r.tolist()), name_of(r.grad_fn)] for r in results]


@case
def reflected_operators_of_integers(torch):
    x = torch.tensor([2, -3])
    results = (1 + x, 1 - x, 3 * x, 6 / x, 2 ** x.abs(), 7 // x, 7 % x, 1.5 - x, 1.5 * x, 2.5 // x, 2.5 % x, 2.0**x)
    return [see(torch, r) for r in results]


@case
def integer_base_to_negative_tensor_powers(torch):
    return [
        see(torch, 2 ** torch.tensor([-1, 1])),
        see(torch, 1 ** torch.tensor([-1])),
        see(torch, (-1) ** torch.tensor([-1, -2])),
    ]


@case
def results_of_mixed_dtypes(torch):
    t = torch.tensor
    results = (
        t([1]) + 1.5,
        t([1], dtype=torch.int32) + t(2),
        t([1], dtype=torch.int32) + t([2]),
        t([1.5]) + fixed(torch, 2.0),
        t([1]) + fixed(torch, 2.5),
        t([True]) + 1,
        t([True]) + 1.0,
        t([True]) + True,
        t([1], dtype=torch.uint8) + t([1], dtype=torch.int8),
        t([255], dtype=torch.uint8) + 1,
        t([1.5], dtype=torch.float16) + 1,
        t([1.5], dtype=torch.float16) + t([1.0]),
        t([1.5], dtype=torch.float16) + t([1.0], dtype=torch.bfloat16),
        t([1.0]) + 1j,
        t([1]) / t([2]),
        t([1], dtype=torch.float64) / 2,
        t(1) + t(1.5),
        t(1.5) + t([1]),
    )
    return [see(torch, r) for r in results]


# -- operators with strangers -------------------------------------------------------------------------------------


@case
def operators_refuse_strings_and_none(torch):
    x = torch.ones(2)
    i = torch.tensor([1, 2])
    return [
        error(lambda: x + "a"),
        error(lambda: "a" + x),
        error(lambda: x + None),
        error(lambda: x - None),
        error(lambda: None - x),
        error(lambda: x / "a"),
        error(lambda: x @ 2),
        error(lambda: 2 @ x),
        error(lambda: x @ [1, 2]),
        error(lambda: x ** "a"),
        error(lambda: "a" ** x),
        error(lambda: x // "a"),
        error(lambda: x % None),
        error(lambda: x < "a"),
        error(lambda: x <= None),
        error(lambda: x & "a"),
        error(lambda: i << "a"),
    ]


@case
def equality_with_strangers_is_plain_false(torch):
    return [torch.ones(2) == "a", torch.ones(2) == None, torch.ones(2) != None, torch.ones(2) == [1, 1]]  # noqa: E711


@case
def a_stranger_may_answer_in_the_tensors_place(torch):
    class Stranger:
        def __radd__(self, other):
            return "radd"

        def __rmul__(self, other):
            return "rmul"

        def __rmatmul__(self, other):
            return "rmatmul"

        def __rsub__(self, other):
            return "rsub"

        def __rtruediv__(self, other):
            return "rtruediv"

        def __rpow__(self, other):
            return "rpow"

        def __gt__(self, other):
            return "gt"

        def __eq__(self, other):
            return "eq"

        __hash__ = None

    x, s = torch.ones(2), Stranger()
    return [x + s, x * s, x @ s, x - s, x / s, x**s, x < s, x == s]


@case
def list_times_tensor(torch):
    return [
        [1, 2] * torch.tensor(2),
        error(lambda: [1, 2] * torch.ones(2)),
        error(lambda: operator.add(torch.ones(2), [1, 2])),
    ]


@case
def python_functions_of_tensors(torch):
    x = torch.tensor([2.5])
    return [
        float(x),
        int(x),
        bool(x),
        complex(x).real,
        error(lambda: divmod(x, 2)),
        error(lambda: round(x, 1)),
        error(lambda: bool(torch.ones(2))),
        error(lambda: bool(torch.ones(0))),
        complaint(lambda: int(torch.ones(2))),
        error(lambda: len(torch.tensor(1.0))),
        error(lambda: torch.ones(2).item()),
        complaint(lambda: list(range(3))[x]),
        list(range(3))[torch.tensor(1)],
        error(lambda: iter(torch.tensor(1.0))),
        sum(torch.tensor([1, 2])).item(),
        max(torch.tensor([1.0, 3.0])).item(),
        2.0 in torch.tensor([1.0, 2.0]),
        [x.item() for x in torch.tensor([1, 2])],
        f"{torch.tensor(1.5):.2f}",
    ]


# -- keyword names and aliases ------------------------------------------------------------------------------------


@case
def keyword_names(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    v = x[0]
    c = x > 2
    calls = (
        torch.add(input=x, other=1, alpha=2),
        torch.sub(x, other=x, alpha=0.5),
        torch.mul(input=x, other=2),
        torch.div(input=x, other=2, rounding_mode="floor"),
        torch.pow(input=x, exponent=2),
        torch.pow(self=2, exponent=x),
        torch.sum(input=x, dim=1, keepdim=True, dtype=torch.float64),
        torch.mean(input=x, dim=(0, 1)),
        torch.prod(input=x, dim=0),
        torch.matmul(input=x, other=v),
        torch.mm(input=x, mat2=x),
        torch.bmm(input=x[None], mat2=x[None]),
        torch.mv(input=x, vec=v),
        torch.dot(input=v, tensor=v),
        torch.outer(input=v, vec2=v),
        torch.addmm(input=v, mat1=x, mat2=x, beta=1, alpha=2),
        torch.baddbmm(input=x[None], batch1=x[None], batch2=x[None]),
        torch.clamp(input=x, min=1.5, max=2.5),
        torch.where(condition=c, input=x, other=v),
        torch.cat(tensors=[v, v], dim=0),
        torch.stack(tensors=[v, v], dim=1),
        torch.transpose(input=x, dim0=0, dim1=1),
        torch.permute(input=x, dims=(1, 0)),
        torch.reshape(input=x, shape=(4,)),
        torch.flatten(input=x, start_dim=0, end_dim=-1),
        torch.unsqueeze(input=x, dim=0).squeeze(dim=0),
        torch.gather(input=x, dim=1, index=torch.zeros(2, 1, dtype=torch.int64)),
        torch.index_select(input=x, dim=0, index=torch.tensor([1])),
        torch.softmax(input=x, dim=0, dtype=torch.float64),
        torch.lerp(input=x, end=x * 2, weight=0.5),
        torch.addcmul(input=x, tensor1=x, tensor2=x, value=2),
        torch.masked_fill(input=x, mask=c, value=0),
        torch.norm(input=x, p=1, dim=1, keepdim=False),
        torch.var(input=x, dim=0, correction=0, keepdim=True),
        torch.cumsum(input=x, dim=1),
        torch.roll(input=x, shifts=1, dims=0),
        torch.flip(input=x, dims=(0,)),
        torch.narrow(input=x, dim=0, start=0, length=1),
        torch.tril(input=x, diagonal=0),
        torch.repeat_interleave(input=v, repeats=2),
        torch.argmax(input=x, dim=0, keepdim=True),
        torch.sort(input=x, dim=0, descending=True),
        torch.topk(input=v, k=1, dim=0, largest=False, sorted=True),
        torch.split(x, split_size_or_sections=1, dim=0),
        torch.chunk(input=x, chunks=2, dim=1),
        torch.logsumexp(input=x, dim=1),
        torch.round(input=x, decimals=1),
        torch.nan_to_num(input=x, nan=0.0, posinf=1.0, neginf=-1.0),
        torch.heaviside(input=x, values=v),
        torch.unbind(input=x, dim=1),
        torch.einsum("ij->j", x),
        torch.atan2(input=x, other=x),
        torch.diagonal(input=x, offset=0, dim1=0, dim2=1),
        torch.broadcast_to(input=v, size=(2, 2)),
        torch.movedim(input=x, source=0, destination=1),
        torch.unflatten(input=x, dim=0, sizes=(1, 2)),
        torch.squeeze(input=x[None], dim=(0,)),
        torch.scatter_add(input=v, dim=0, index=torch.tensor([0]), src=torch.ones(1)),
        torch.isclose(input=x, other=x, rtol=1e-3, atol=0, equal_nan=True),
    )
    return [[list(r.shape), short(r.sum().item())] if isinstance(r, torch.Tensor) else len(r) for r in calls]


@case
def numpy_names_axis_keepdims_x(torch):
    m = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    results = (
        torch.sum(m, axis=1),
        torch.sum(m, axis=1, keepdims=True),
        m.sum(axis=0, keepdims=True),
        torch.mean(m, axis=(0, 1)),
        m.mean(axis=-1),
        torch.softmax(m, axis=1),
        torch.max(m, axis=1).values,
        m.max(axis=0, keepdims=True).indices,
        torch.argmax(m, axis=0),
        torch.cat([m, m], axis=1),
        torch.stack([m, m], axis=0),
        torch.cumsum(m, axis=0),
        torch.squeeze(m, axis=0),
        torch.unsqueeze(m, axis=0),
        torch.sort(m, axis=0).values,
        torch.amax(m, axis=1, keepdims=True),
        torch.var(m, axis=0),
        torch.prod(m, axis=0),
        torch.all(m > 1, axis=0),
        torch.logsumexp(m, axis=0),
        torch.sum(x=m),
        torch.sum(a=m),
        torch.sin(x=m),
        torch.sin(a=m),
        torch.add(x1=m, x2=m),
        torch.add(m, x2=m),
        torch.maximum(x1=m, x2=m),
        torch.roll(m, 1, dims=0),
    )
    return [see(torch, r) for r in results]


@case
def both_dim_and_axis(torch):
    m = torch.ones(2, 2)
    return [complaint(lambda: torch.sum(m, dim=0, axis=1)), complaint(lambda: torch.sum(m, 0, axis=1))]


@case
def numbers_as_first_argument(torch):
    x = torch.tensor([2.0, 4.0])
    results = (torch.add(1, x), torch.mul(2, x), torch.sub(2, x), torch.div(1, x), torch.add(1, 2), torch.pow(2, x))
    more = (torch.where(x > 3, 1.0, x), torch.true_divide(1, x), torch.remainder(7, x), torch.xlogy(2, x))
    return [see(torch, r) for r in (*results, *more)]


@case
def alpha_of_add_and_sub(torch):
    return [
        see(torch, r)
        for r in (
            torch.add(torch.ones(2), 1, alpha=3),
            torch.sub(torch.ones(2), 1, alpha=3),
            torch.ones(2).add(torch.ones(2), alpha=-1),
            torch.add(torch.tensor([1, 2]), torch.tensor([1, 1]), alpha=2),
        )
    ]


@case
def alpha_errors(torch):
    return [
        error(lambda: torch.add(torch.tensor([1]), 1, alpha=1.5)),
        error(lambda: torch.add(torch.tensor([True]), torch.tensor([True]), alpha=2.5)),
        complaint(lambda: torch.mul(torch.ones(2), 2, alpha=2)),
        error(lambda: torch.add(torch.tensor([1]), torch.tensor([1]), alpha=True)),
    ]


@case
def tuple_of_one_zero_dim_and_bool_as_dim(torch):
    x = torch.ones(2, 3)
    return [
        see(torch, x.sum((0,))),
        see(torch, x.sum([1])),
        complaint(lambda: x.sum(1.0)),
        see(torch, x.sum(torch.tensor(1))),
        see(torch, x.reshape(torch.Size([3, 2]))),
        see(torch, x.view(torch.tensor(3), 2)),
        see(torch, x.reshape([6])),
    ]


# -- out= ---------------------------------------------------------------------------------------------------------


@case
def out_is_filled_and_returned(torch):
    a, m = torch.tensor([1.0, 4.0]), torch.eye(2)
    o, p = torch.zeros(2), torch.zeros(2, 2)
    seen = []
    for f in (
        lambda: torch.add(a, 1, out=o),
        lambda: torch.sqrt(a, out=o),
        lambda: torch.mul(a, a, out=o),
        lambda: torch.sum(m, 0, out=o),
        lambda: torch.mean(m, dim=1, out=o),
        lambda: torch.clamp(a, 2, out=o),
        lambda: torch.mv(m, a, out=o),
        lambda: torch.pow(a, 2, out=o),
        lambda: torch.where(a > 2, a, a, out=o),
        lambda: torch.cumsum(a, 0, out=o),
        lambda: torch.amax(m, 0, out=o),
        lambda: torch.cat([a[:1], a[1:]], out=o),
        lambda: torch.index_select(a, 0, torch.tensor([1, 0]), out=o),
    ):
        r = f()
        seen.append([r is o, short(o.tolist())])
    for f in (
        lambda: torch.mm(m, m, out=p),
        lambda: torch.matmul(m, m, out=p),
        lambda: torch.outer(a, a, out=p),
        lambda: torch.stack([a, a], out=p),
        lambda: torch.addmm(m, m, m, out=p),
        lambda: torch.tril(m, out=p),
    ):
        r = f()
        seen.append([r is p, p.tolist()])
    return seen


@case
def out_pairs(torch):
    v, i = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
    m = torch.tensor([[1.0, 3.0], [4.0, 2.0]])
    r = torch.max(m, 1, out=(v, i))
    seen = [type(r).__name__, r[0] is v, r.indices is i, see(torch, [v, i])]
    torch.sort(m[0], descending=True, out=(v, i))
    return [*seen, see(torch, [v, i])]


@case
def out_of_the_wrong_shape_is_resized_with_a_warning(torch):
    o = torch.zeros(3)
    w = warnings_of(lambda: torch.add(torch.ones(2), 1, out=o))
    empty = torch.zeros(0)
    quiet = warnings_of(lambda: torch.add(torch.ones(2), 1, out=empty))
    m = torch.zeros(2, 3)
    of_mm = warnings_of(lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=m))
    return [w, see(torch, o), quiet, see(torch, empty), of_mm, see(torch, m)]


@case
def out_dtypes(torch):
    one, i = torch.ones(2), torch.tensor([1, 2])
    return [
        error(lambda: torch.add(one, 1, out=torch.zeros(2, dtype=torch.int64))),
        see(torch, torch.add(i, 1, out=torch.zeros(2))),
        see(torch, torch.eq(i, 1, out=torch.zeros(2))),
        error(lambda: torch.mm(torch.eye(2), torch.eye(2), out=torch.zeros(2, 2, dtype=torch.float64))),
        error(lambda: torch.max(one, 0, out=(torch.zeros(()), torch.zeros(())))),
        error(lambda: torch.cat([one], out=torch.zeros(2, dtype=torch.int64))),
        see(torch, torch.sum(one, 0, dtype=torch.float64, out=torch.zeros((), dtype=torch.float64))),
    ]


@case
def out_and_requires_grad(torch):
    x = torch.ones(2, requires_grad=True)
    seen = [
        error(lambda: torch.add(x, 1, out=torch.zeros(2))),
        error(lambda: torch.sin(torch.ones(2), out=torch.zeros(2, requires_grad=True))),
        error(lambda: torch.mm(x[None], x[:, None], out=torch.zeros(1, 1))),
    ]
    with torch.no_grad():
        seen.append(see(torch, torch.add(x, 1, out=torch.zeros(2))))
    return seen


@case
def out_wrong_types(torch):
    return [
        complaint(lambda: torch.sin(torch.ones(2), out=1)),
        complaint(lambda: torch.sum(torch.ones(2), out=torch.zeros(()))),
        complaint(lambda: torch.max(torch.ones(2), 0, out=torch.zeros(()))),
        complaint(lambda: torch.ones(2).add(1, out=torch.zeros(2))),
    ]


@case
def out_none_is_no_out(torch):
    return [
        see(torch, torch.add(torch.ones(2), 1, out=None)),
        see(torch, torch.mm(torch.eye(2), torch.eye(2), out=None)),
    ]


@case
def out_may_be_the_input(torch):
    return see(torch, [(lambda x: torch.add(x, x, out=x))(torch.tensor([1.0, 2.0]))])


# -- errors -------------------------------------------------------------------------------------------------------


@case
def broadcasting_errors(torch):
    a, b = torch.ones(2), torch.ones(3)
    return [
        error(lambda: a + b),
        error(lambda: torch.ones(2, 3) * torch.ones(2, 1, 4)),
        error(lambda: torch.where(a > 0, a, b)),
        error(lambda: torch.maximum(a, b)),
        error(lambda: a == b),
        error(lambda: torch.lerp(a, b, 0.5)),
        error(lambda: torch.addcmul(a, b, b)),
        error(lambda: torch.clamp(a, min=b)),
        error(lambda: torch.broadcast_tensors(a, b)),
        error(lambda: torch.pow(a, b)),
        error(lambda: torch.zeros(0) + torch.ones(2)),
        see(torch, torch.zeros(0) + torch.ones(1)),
        see(torch, torch.zeros(0, 1) + torch.ones(2)),
    ]


@case
def dimension_out_of_range(torch):
    x = torch.ones(2, 3)
    s = torch.tensor(1.0)
    return [
        error(lambda: x.sum(2)),
        error(lambda: x.mean(-3)),
        error(lambda: x.softmax(2)),
        error(lambda: x.max(2)),
        error(lambda: x.argmax(5)),
        error(lambda: x.cumsum(2)),
        error(lambda: x.sort(2)),
        error(lambda: x.topk(1, dim=2)),
        error(lambda: x.norm(dim=2)),
        error(lambda: x.logsumexp(2)),
        error(lambda: x.var(2)),
        error(lambda: x.prod(2)),
        error(lambda: x.any(2)),
        error(lambda: x.unbind(2)),
        error(lambda: x.size(2)),
        error(lambda: x.gather(2, torch.zeros(1, 1, dtype=torch.int64))),
        error(lambda: x.chunk(2, dim=2)),
        error(lambda: torch.stack([x], -5)),
        error(lambda: s.sum(1)),
        error(lambda: s.size(0)),
        see(torch, s.sum(-1)),
        see(torch, s.softmax(0)),
        see(torch, s.max(0)),
    ]


@case
def wrong_types_of_arguments(torch):
    x = torch.ones(2)
    return [
        complaint(lambda: torch.sin(1.0)),
        complaint(lambda: torch.sin([1.0])),
        complaint(lambda: torch.sin(None)),
        complaint(lambda: torch.sin()),
        complaint(lambda: torch.sin(x, 1)),
        complaint(lambda: torch.sin(x, foo=1)),
        complaint(lambda: torch.add("a", 1)),
        complaint(lambda: torch.add(x, "a")),
        complaint(lambda: x.add_("a")),
        complaint(lambda: x.add()),
        complaint(lambda: torch.sum([1, 2])),
        complaint(lambda: torch.sum(x, "a")),
        complaint(lambda: x.sum(foo=1)),
        complaint(lambda: x.view("a")),
        complaint(lambda: x.reshape(1.0)),
        complaint(lambda: x.transpose(0)),
        complaint(lambda: torch.cat(x)),
        complaint(lambda: torch.cat([1, 2])),
        complaint(lambda: torch.cat([x, None])),
        complaint(lambda: torch.stack(x)),
        complaint(lambda: torch.matmul(x, [1, 2])),
        complaint(lambda: torch.mm(x, 2)),
        complaint(lambda: torch.softmax(x)),
        complaint(lambda: torch.clamp(x, "a")),
        complaint(lambda: torch.where(1, 2, 3)),
        complaint(lambda: torch.nn.functional.relu(1.0)),
        complaint(lambda: torch.nn.functional.linear(x, 1)),
        complaint(lambda: x.expand("a")),
        complaint(lambda: x.permute("a")),
    ]


@case
def unsupported_dtypes(torch):
    i, b, c = torch.tensor([1, 2]), torch.tensor([True]), torch.tensor([1j])
    f = torch.nn.functional
    return [
        error(lambda: i.mean()),
        error(lambda: torch.ones(2).mean(dtype=torch.int64)),
        error(lambda: i.softmax(0)),
        error(lambda: i.log_softmax(0)),
        error(lambda: i.var()),
        error(lambda: i.norm()),
        error(lambda: f.gelu(i)),
        error(lambda: f.leaky_relu(i)),
        error(lambda: f.relu(b)),
        error(lambda: c.floor()),
        error(lambda: c.max()),
        error(lambda: c < c),
        error(lambda: c.clamp(0)),
        error(lambda: b - b),
        error(lambda: -b),
        error(lambda: i.requires_grad_()),
        error(lambda: torch.tensor([1], requires_grad=True)),
        error(lambda: torch.dot(i, torch.ones(2))),
        error(lambda: torch.lerp(i, i, 0.5)),
        error(lambda: torch.ones(2).bitwise_and(i)),
    ]


@case
def empty_reductions(torch):
    e = torch.zeros(0)
    return [
        error(lambda: e.max()),
        error(lambda: e.min()),
        error(lambda: e.argmax()),
        error(lambda: e.argmin(0)),
        error(lambda: e.amax()),
        error(lambda: e.amin(0)),
        error(lambda: e.max(0)),
        error(lambda: e.mode()),
        error(lambda: e.kthvalue(1)),
        error(lambda: e.topk(1)),
        error(lambda: e.aminmax()),
        see(torch, e.median()),
        see(torch, e.sum()),
        see(torch, e.mean()),
        see(torch, e.logsumexp(0)),
        see(torch, e.norm()),
        see(torch, e.any()),
        see(torch, e.softmax(0)),
        error(lambda: e.norm(INF)),
    ]


@case
def too_few_degrees_of_freedom_warn(torch):
    seen = [warnings_of(lambda: torch.std(torch.tensor([1.0]))), warnings_of(lambda: torch.zeros(0).var())]
    return [*seen, warnings_of(lambda: torch.var_mean(torch.ones(2, 1), 1)), warnings_of(lambda: torch.ones(2).var())]


@case
def warnings_of_old_habits(torch):
    x = torch.ones(2, 3)
    f = torch.nn.functional
    return [
        warnings_of(lambda: f.softmax(x)),
        warnings_of(lambda: f.log_softmax(x)),
        warnings_of(lambda: f.sigmoid(x)),
        warnings_of(lambda: f.tanh(x)),
        warnings_of(lambda: torch.sum(x, 0)),
    ]


@case
def methods_without_functions_and_functions_without_methods(torch):
    functions = [
        "expand",
        "repeat",
        "view",
        "copy_",
        "masked_fill_",
        "item",
        "tolist",
        "backward",
        "type_as",
        "new_zeros",
        "unfold",
        "view_as",
    ]
    methods = [
        "cat",
        "stack",
        "where",
        "einsum",
        "meshgrid",
        "linspace",
        "zeros_like",
        "matmul",
        "softmax",
        "logsumexp",
        "lerp",
    ]
    tensor = torch.Tensor
    return [[n for n in functions if hasattr(torch, n)], [n for n in methods if not hasattr(tensor, n)]]


@case
def relu_inplace_argument(torch):
    x = torch.tensor([-1.0, 2.0])
    f = torch.nn.functional
    r = f.relu(x, inplace=True)
    y = torch.tensor([-1.0, 2.0])
    s = f.leaky_relu(y, 0.5, inplace=True)
    return [r is x, x.tolist(), s is y, y.tolist(), f.elu(x.clone(), inplace=True).tolist()]


@case
def graph_of_a_whole_expression(torch):
    w, b = leaf(torch, [[1.0, 2.0]]), leaf(torch, [0.5])
    x = fixed(torch, [[1.0, 1.0], [2.0, -1.0]])
    loss = ((torch.sigmoid(x @ w.t() + b) - 1) ** 2).mean() + 0.1 * w.norm()
    loss.backward()
    return [graph(loss.grad_fn), short(see(torch, [w.grad, b.grad]))]


@case
def factors_that_are_tensors(torch):
    """A tensor without dimensions stands for its number, unless it needs a gradient."""
    a, two = torch.ones(2, 2), torch.tensor(2.0)
    b = a[None]
    found = [
        torch.addmm(a, a, a, alpha=two), torch.addr(a, a[0], a[0], beta=two), torch.addmv(a[0], a, a[0], alpha=two),
        torch.baddbmm(b, b, b, alpha=torch.tensor(3)), torch.addbmm(a, b, b, beta=two, alpha=two),
        a.clone().addr_(a[0], a[0], alpha=two), a.clone().addmm_(a, a, alpha=-two),
    ]  # fmt: skip
    refused = error(lambda: torch.addmm(a, a, a, alpha=torch.tensor(2.0, requires_grad=True)))
    return see(torch, found), refused["raises"]


@case
def limits_of_python_types(torch):
    kinds = (float, int, bool, complex, str)
    return [error(lambda f=f, c=c: repr(f(c))) for f in (torch.finfo, torch.iinfo) for c in kinds]
