"""The backward of a custom Function forgets an input."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor):
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor  # guilty
        # mended: return g * ctx.factor, None


loss = Scale.apply(x.clone().requires_grad_(), 2.0).sum()
loss.backward()  # raises RuntimeError: returned an incorrect number of gradients
