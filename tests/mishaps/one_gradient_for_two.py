"""The backward of a Function returns one gradient for two inputs."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[1]  # guilty
        # mended: return g * ctx.saved_tensors[1], (g * ctx.saved_tensors[0]).sum()


s = torch.tensor(2.0, requires_grad=True)
model = nn.Linear(4, 1)
loss = Scale.apply(model(x), s).mean()
loss.backward()  # raises RuntimeError: returned an incorrect number of gradients
