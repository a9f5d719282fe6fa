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
}
