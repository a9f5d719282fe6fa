"""The backward of a custom Function returns a transposed gradient."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (g @ b.T).T, a.T @ g  # guilty
        # mended: return g @ b.T, a.T @ g


w = torch.randn(4, 2, requires_grad=True)
loss = Product.apply(x.clone().requires_grad_(), w).sum()
loss.backward()  # raises RuntimeError: returned an invalid gradient
