"""``autograd.Function``s that random programs may use, as text: of both styles, with ``vmap`` and ``jvp``, in place."""

from __future__ import annotations

SOURCES = {
    "Cube": """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x
""",
    "Product": """
class Product(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y = inputs
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        gx = (g * y).sum_to_size(x.shape) if ctx.needs_input_grad[0] else None
        return gx, (g * x).sum_to_size(y.shape) if ctx.needs_input_grad[1] else None

    @staticmethod
    def jvp(ctx, tx, ty):
        x, y = ctx.saved_tensors
        return tx * y + x * ty
""",
    "Sine": """
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return torch.sin(x) * scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])
        ctx.scale = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos() * ctx.scale, None

    @staticmethod
    def jvp(ctx, t, _):
        return t * ctx.saved_tensors[0].cos() * ctx.scale

    @staticmethod
    def vmap(info, in_dims, x, scale):
        return Sine.apply(x, scale), in_dims[0]
""",
    "DoubleInPlace": """
class DoubleInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2
""",
    "Halves": """
class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        top = x * x
        sign = (x > 0)
        ctx.mark_non_differentiable(sign)
        ctx.save_for_backward(x)
        return top, x * 0.5, sign

    @staticmethod
    def backward(ctx, g, h, _):
        (x,) = ctx.saved_tensors
        return g * 2 * x + h * 0.5
""",
    "Unsaved": """
class Unsaved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        y = x.exp()
        ctx.save_for_backward(y)
        return y, x.clone()

    @staticmethod
    def backward(ctx, g, h):
        (y,) = ctx.saved_tensors
        if g is None:
            return h
        return g * y if h is None else g * y + h
""",
    "Once": """
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / x.cosh() ** 2
""",
    "SumAndDifference": """
class SumAndDifference(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y, x - y, None

    @staticmethod
    def backward(ctx, g, h, _):
        return (g + h).sum_to_size(ctx.shapes[0]), (g - h).sum_to_size(ctx.shapes[1])
""",
    "SwapInPlace": """
class SwapInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        kept = y.clone()
        y.mul_(x)
        ctx.mark_dirty(y)
        ctx.save_for_backward(x.clone(), kept)
        return y, x * 2

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + 2 * h, g * x
""",
    "Part": """
class Part(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.size = x.shape
        return x[:1]

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g, g.new_zeros(ctx.size[0] - 1, *ctx.size[1:])])
""",
    "Same": """
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 0.5
""",
    "Kept": """
class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            ctx.out = inner.sin() * inner
        ctx.inner = inner
        return ctx.out.detach().clone()

    @staticmethod
    def backward(ctx, g):
        return torch.autograd.grad(ctx.out, ctx.inner, g, retain_graph=True)[0]
""",
    "Some": """
class Some(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale=2, flag=None):
        ctx.save_for_backward(x, None, y)
        ctx.scale = scale
        same = x.detach() * 1.0
        ctx.mark_non_differentiable(same)
        return x * scale, "text", same, y.clone()

    @staticmethod
    def backward(ctx, g, t, n, h):
        x, none, y = ctx.saved_tensors
        assert none is None and t is None
        gx = g * ctx.scale if ctx.needs_input_grad[0] else None
        return gx, (h + n.sum() * 0 if ctx.needs_input_grad[1] else None), None, None
""",
    "Wrong": """
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, how):
        ctx.how = how
        ctx.save_for_backward(x)
        if how == 0:
            raise ValueError("forward")
        return x * 2

    @staticmethod
    def backward(ctx, g):
        how = ctx.how
        if how == 1:
            raise ValueError("backward")
        if how == 2:
            return g
        if how == 3:
            return g, None, None
        if how == 4:
            return g[None], None
        if how == 5:
            return g.sum(), None
        if how == 6:
            return g.to(torch.float32), None
        if how == 7:
            return g, g
        if how == 8:
            return 1, None
        if how == 9:
            return None, None
        if how == 10:
            return g.detach(), None
        if how == 11:
            return [g, None]
        if how == 12:
            return Cube.apply(g), None
        with torch.enable_grad():
            (x,) = ctx.saved_tensors
            y = x.detach().requires_grad_()
            (y * y).sum().backward()
        return g * y.grad, None
""",
    "Dirty": """
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(1)
        y.mul_(2)
        ctx.mark_dirty(x, y)
        return y, x, x * y

    @staticmethod
    def backward(ctx, g, h, k):
        return h + k, g * 2 - k
""",
    "Forgotten": """
class Forgotten(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2
""",
    "Viewed": """
class Viewed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.view(-1), x, x.view_as(x)

    @staticmethod
    def backward(ctx, g, h, k):
        (x,) = ctx.saved_tensors
        return g.view(x.shape) + 2 * h + 3 * k
""",
    "Exp": """
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.set_materialize_grads(False)
        return y, y * 2

    @staticmethod
    def backward(ctx, g, h):
        (y,) = ctx.saved_tensors
        (again,) = ctx.saved_tensors
        total = None
        for part, factor in ((g, 1), (h, 2)):
            if part is not None:
                total = part * again * factor if total is None else total + part * y * factor
        return total
""",
    "Whole": """
class Whole(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.round().long()
        ctx.mark_non_differentiable(y)
        return y, x.to(torch.float32)

    @staticmethod
    def backward(ctx, g, h):
        return h.double()
""",
    "Straight": """
class Straight(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x.sign(), y

    @staticmethod
    def setup_context(ctx, inputs, outputs):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs, *outputs)

    @staticmethod
    def backward(ctx, g, h):
        return g, None if h is None else h * 2
""",
    "layer": """
def layer(kind, x, n, log):
    nn = torch.nn
    torch.manual_seed(3)
    if kind == "Linear":
        return nn.Linear(n, 2, dtype=x.dtype)(x)
    if kind == "LayerNorm":
        return nn.LayerNorm(n, dtype=x.dtype)(x)
    if kind == "Shared":
        m = nn.Linear(n, n, dtype=x.dtype)
        y = m(m(x).tanh())
        log.append(torch.autograd.grad(y.sum(), [m.weight, m.bias], retain_graph=True))
        return y
    m = nn.Sequential(nn.Linear(n, 3, dtype=x.dtype), nn.Tanh(), nn.Linear(3, 2, dtype=x.dtype))
    if kind == "Hooked":
        m[0].register_forward_pre_hook(lambda m, args: (args[0] * 2,))
        m[1].register_forward_hook(lambda m, args, out: out + 1)
        m[0].register_full_backward_hook(lambda m, gi, go: log.append((gi, go)))
        m.register_full_backward_hook(lambda m, gi, go: tuple(None if g is None else g * 3 for g in gi))
        m[2].register_full_backward_pre_hook(lambda m, go: tuple(g * 0.5 for g in go))
        m[2].weight.register_hook(lambda g: log.append(g))
        m[0].bias.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.clone()))
    return m(x)
""",
}
