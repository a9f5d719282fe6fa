"""A Function that has no backward."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):  # guilty
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backwards(ctx, g):  # guilty
        # mended: def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


model = nn.Linear(4, 1)
Square.apply(model(x)).mean().backward()  # raises NotImplementedError: implement
