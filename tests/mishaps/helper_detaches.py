"""A helper that looks harmless detaches."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


def normalised(t):
    mean = t.mean(0)
    return (t - mean).clone().detach()  # guilty
    # mended: return t - mean


model = nn.Linear(4, 1)
loss = normalised(model(x)).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
