"""``torch.func.vmap``: dimensions, pytrees, chunks, randomness, custom Functions, refusals."""

from __future__ import annotations

from .cases_func import seen
from .observe import case, error, see


def matrix(torch):
    return torch.arange(6.0).reshape(2, 3)


@case
def dims_in_and_out(torch):
    vmap = torch.func.vmap
    x = matrix(torch)
    return seen(
        torch,
        lambda: vmap(lambda x: x.sum())(x),
        lambda: vmap(lambda x: x * 2, in_dims=1, out_dims=1)(x),
        lambda: vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(x),
        lambda: vmap(lambda x, y: x * y, in_dims=(0, None))(x, x[0]),
        lambda: vmap(lambda x, y: x @ y, in_dims=(0, 1))(x, torch.arange(6.0).reshape(3, 2)),
        lambda: vmap(lambda d: d["a"])({"a": x}),
        lambda: vmap(lambda d: d["a"], in_dims=({"a": 1},))({"a": x}),
        lambda: vmap(lambda x: {"a": x, "b": (x.sum(), x)})(x),
        lambda: vmap(lambda x: (x, x), out_dims=(0, 1))(x),
        lambda: vmap(lambda x: torch.ones(2))(x),
        lambda: vmap(lambda x: torch.ones(2), out_dims=None)(x),
        lambda: vmap(lambda x: x * 2, chunk_size=1)(x),
        lambda: vmap(lambda x: x * 2, chunk_size=5)(x),
        lambda: vmap(lambda x: x * 2)(torch.ones(0, 3)),
        lambda: vmap(vmap(lambda x: x * 2))(x),
        lambda: vmap(vmap(lambda x, y: x * y, in_dims=(None, 0)), in_dims=(0, None))(x[0], x[1]),
        lambda: vmap(lambda x, k: x * k)(x, torch.tensor([2, 3])),
        lambda: vmap(lambda x, k: x * k)(x.int(), torch.tensor([2.0, 3.0], dtype=torch.float64)),
        lambda: torch.vmap(lambda x: x + 1)(x),
    )


@case
def refusals(torch):
    vmap = torch.func.vmap
    x = matrix(torch)

    def f(*args):
        return args[0] if args else 3

    def none(x):
        return None

    return seen(
        torch,
        lambda: vmap(f, in_dims=2)(x),
        lambda: vmap(f, in_dims=(0, 0))(x),
        lambda: vmap(f, in_dims="a")(x),
        lambda: vmap(f, in_dims=0.5)(x),
        lambda: vmap(f)(),
        lambda: vmap(f)(3),
        lambda: vmap(f)(torch.tensor(3.0)),
        lambda: vmap(f)(x, torch.ones(3)),
        lambda: vmap(f, in_dims=(None, None))(x, x),
        lambda: vmap(lambda x: (x, x), out_dims=(0, 1, 2))(x),
        lambda: vmap(f, out_dims=3)(x),
        lambda: vmap(f, out_dims="a")(x),
        lambda: vmap(f, out_dims=None)(x),
        lambda: vmap(f, randomness="x")(x),
        lambda: vmap(f, chunk_size=0)(x),
        lambda: vmap(none)(x),
        lambda: vmap(lambda x: [x, None])(x),
        lambda: vmap(lambda x: torch.rand(3) + x)(x),
        lambda: vmap(lambda x: x.requires_grad_())(x),
    )


@case
def escaped_tensors(torch):
    leaked = []

    def f(x):
        leaked.append(x)
        return x

    torch.func.vmap(f)(matrix(torch))
    return list(leaked[0].shape), error(lambda: leaked[0] * 2)


@case
def inside_it_tensors_look_single(torch):
    seen_inside = []

    def f(x):
        y = x.reshape(-1)
        seen_inside.append([list(x.shape), x.dim(), x.numel(), str(x.dtype), list(y.shape), x.size(-1), len(x)])
        return y.sum()

    torch.func.vmap(f)(torch.arange(12.0).reshape(2, 3, 2))
    return seen_inside


@case
def in_place_inside(torch):
    vmap = torch.func.vmap
    x = matrix(torch)
    c = torch.zeros(3)

    def writes(x):
        y = x.clone()
        y.mul_(2)
        y[0] = 7.0
        y[1:] += x[:2]
        z = torch.zeros_like(x)
        z.copy_(x)
        z[1] = x[2]
        return y, z

    def captured(x):
        c.mul_(x)
        return c

    given = x.clone()
    vmap(lambda x: x.add_(1))(given)
    return seen(torch, lambda: vmap(writes)(x), lambda: vmap(captured)(x), lambda: given)


@case
def operators_of_all_kinds(torch):
    vmap = torch.func.vmap
    x = torch.sin(torch.arange(24.0)).reshape(2, 3, 4)
    i = torch.tensor([[0, 2], [1, 1]])
    m = torch.arange(8.0).reshape(2, 4)
    return seen(
        torch,
        lambda: vmap(lambda x: x.softmax(-1))(x),
        lambda: vmap(lambda x: x.sum(0, keepdim=True))(x),
        lambda: vmap(lambda x: x.max(1))(x),
        lambda: vmap(lambda x: x.sort(0, descending=True)[0])(x),
        lambda: vmap(lambda x: x.transpose(0, 1) @ x)(x),
        lambda: vmap(lambda x: torch.einsum("ij,kj->ik", x, x))(x),
        lambda: vmap(lambda x, i: x[i])(x, i),
        lambda: vmap(lambda x, i: x[:, i])(x, i),
        lambda: vmap(lambda x: x[torch.tensor([0, 2])])(x),
        lambda: vmap(lambda x, i: x.gather(1, i.expand(3, 2)))(x, i),
        lambda: vmap(lambda x, m: torch.where(x > 0, x, m))(x, m),
        lambda: vmap(lambda x: torch.cat([x, x[:1]]))(x),
        lambda: vmap(lambda x: torch.stack([x, x], 1))(x),
        lambda: vmap(lambda x: x.unfold(1, 2, 1))(x),
        lambda: vmap(lambda x: torch.nn.functional.pad(x, (1, 1)))(x),
        lambda: vmap(lambda x: torch.linalg.det(x[:, :3] + torch.eye(3)))(x),
        lambda: vmap(lambda x: torch.linalg.solve(x[:, :3] + torch.eye(3), x[:, 3]))(x),
        lambda: vmap(lambda x: x.expand(2, 3, 4).contiguous())(x),
        lambda: vmap(lambda x: x.norm())(x),
        lambda: vmap(lambda x: x.std(0))(x),
        lambda: vmap(lambda x: x.flatten().unbind()[3])(x),
        lambda: vmap(lambda x: x.mean())(x),
        lambda: vmap(lambda x: torch.nn.functional.layer_norm(x, (4,)))(x),
        lambda: vmap(lambda x: torch.nn.functional.conv1d(x, torch.ones(2, 3, 2)))(x),
        lambda: vmap(lambda x, w: torch.nn.functional.conv1d(x, w.reshape(1, 3, -1)))(x, x),
        lambda: vmap(lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([0, 1, 3])))(x),
        lambda: vmap(lambda x, t: torch.nn.functional.cross_entropy(x[:2], t))(x, i),
        lambda: vmap(lambda i: torch.nn.functional.embedding(i, m.reshape(4, 2)))(i),
        lambda: vmap(lambda x: torch.nn.functional.max_pool1d(x, 2))(x),
    )


def functions(torch):
    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g

    class Generated(Plain):
        generate_vmap_rule = True

        @staticmethod
        def jvp(ctx, t):
            return 2 * ctx.saved_tensors[0] * t

    class Ruled(Plain):
        @staticmethod
        def vmap(info, in_dims, x):
            return Ruled.apply(x) + info.batch_size, in_dims[0]

    class Both(Plain):
        generate_vmap_rule = True

        @staticmethod
        def vmap(info, in_dims, x):
            return x, 0

    return Plain, Old, Generated, Ruled, Both


def trials(torch, f):
    func = torch.func
    x = torch.arange(3.0)
    return seen(
        torch,
        lambda: func.grad(lambda x: f.apply(x).sum())(x),
        lambda: func.vmap(f.apply)(x),
        lambda: func.vmap(func.grad(f.apply))(x),
        lambda: func.grad(lambda x: func.vmap(f.apply)(x).sum())(x),
        lambda: func.jvp(f.apply, (x,), (x,)),
        lambda: func.jacrev(f.apply)(x),
        lambda: func.hessian(lambda x: f.apply(x).sum())(x),
    )


@case
def custom_functions(torch):
    results = []
    for f in functions(torch):
        results.append(trials(torch, f))
    return results


@case
def randomness(torch):
    vmap = torch.func.vmap
    half = torch.tensor([0.5, 0.5])
    found = []
    for how in ("error", "same", "different"):
        for f in (
            lambda x: torch.rand(20),
            lambda x: torch.rand_like(x.expand(20)),
            lambda x: x + torch.randn(20),
            lambda x: torch.nn.functional.dropout(x.expand(40) + 1, 0.5),
            lambda x: x.expand(40).bernoulli(),
            lambda x: torch.randperm(30),
            lambda x: torch.normal(x.expand(9), 1.0),
            lambda x: torch.zeros(9).uniform_(),
            lambda x: torch.zeros_like(x.expand(9)).uniform_(),
            lambda x: torch.bernoulli(torch.ones(40) * 0.5),
        ):
            torch.manual_seed(0)

            def trial(f=f, how=how):
                result = vmap(f, randomness=how)(half)
                return [list(result.shape), bool((result[0] == result[1]).all())]

            found.append(error(trial))
    return found


@case
def memory_of_items(torch):
    vmap = torch.func.vmap
    xs = torch.arange(12.0).view(3, 4)

    def looked_at(x):
        view = x[1:]
        return view.as_strided(view.shape, view.stride(), view.storage_offset())

    def written(x):
        base = x.new_zeros(4)
        base[1:].as_strided((2,), (1,)).copy_(x[:2])
        return base

    return seen(
        torch,
        lambda: vmap(looked_at)(xs),
        lambda: vmap(looked_at)(xs[1:]),
        lambda: vmap(looked_at, in_dims=1)(xs.t().contiguous()),
        lambda: vmap(lambda x: x[::2].as_strided((2,), (1,), 1))(xs * 1),
        lambda: vmap(lambda x: x[1:].as_strided((2,), (1,)))(xs * 1),
        lambda: vmap(written)(xs),
        lambda: torch.func.jvp(vmap(written), (xs,), (xs + 1,)),
        lambda: vmap(torch.func.jacrev(lambda x: written(x) * 2))(xs[:1]),
    )


@case
def no_dimensions(torch):
    """Reductions take an item's all; what moves elements takes none."""
    vmap = torch.func.vmap
    functions = (
        torch.sum, torch.nansum, torch.mean, torch.nanmean, torch.var, torch.std, torch.var_mean, torch.std_mean,
        torch.amax, torch.amin, torch.logsumexp, torch.linalg.vector_norm, torch.all, torch.any,
    )  # fmt: skip
    found = []
    for shape in ((3, 2, 2), (3, 2)):
        xs = torch.arange(12.0)[: 3 * 2 ** (len(shape) - 1)].reshape(shape)
        found += [
            error(lambda: see(torch, vmap(lambda x: f(x, dim=(), keepdim=keep))(xs)))  # noqa: B023
            for f in functions for keep in (False, True)
        ]
        found += [see(torch, vmap(lambda x: x.flip(()))(xs)), see(torch, vmap(lambda x: x.squeeze(()))(xs))]
    xs = torch.arange(12.0).reshape(2, 3, 2, 1)
    return found + seen(
        torch,
        lambda: vmap(vmap(lambda x: x.norm(2, ())))(xs),
        lambda: vmap(lambda x: torch.linalg.vector_norm(x, 3, dim=()), in_dims=1)(xs),
        lambda: torch.func.grad(lambda x: vmap(lambda y: y.std(()))(x).sum())(xs[..., 0]),
        lambda: vmap(torch.func.grad(lambda y: y.logsumexp(()).sum()))(xs[..., 0]),
        lambda: vmap(lambda x: (x.sum(()), x.amax(()), x.all(dim=()), x.flip(())))(xs[0, :, 0, 0]),
        lambda: torch.ones(2).all(dim=()),
        lambda: torch.tensor([0, 2], dtype=torch.uint8).any(dim=(), keepdim=True),
        lambda: torch.tensor([0j, 2j]).any(dim=()),
        lambda: torch.tensor(2.0).any(dim=()),
    )


@case
def jacobians_of_empty_tensors(torch):
    functions = (
        lambda x: x.roll(1), torch.sin, lambda x: x.reshape(3, 0), lambda x: x.softmax(-1), lambda x: x.norm(),
        lambda x: torch.nn.functional.linear(x, torch.ones(2, 3)), lambda x: x.cumsum(0),
    )  # fmt: skip
    empty = torch.zeros(0, 3)
    return [list(jacobian(f)(empty).shape) for f in functions for jacobian in (torch.func.jacrev, torch.func.jacfwd)]
