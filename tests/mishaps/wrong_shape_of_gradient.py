"""A Function returns a gradient that was summed."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, b):
        return x + b

    @staticmethod
    def backward(ctx, g):
        return g.sum(0), g.sum(0)  # guilty
        # mended: return g, g.sum(0)


b = torch.zeros(4, requires_grad=True)
h = x.clone().requires_grad_()
Shift.apply(h, b).pow(2).sum().backward()  # raises RuntimeError: invalid gradient
