"""The gradient of an input is asked for after it was used."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
pass
# mended: x.requires_grad_()
out = model(x).sum()  # guilty
x.requires_grad_()  # guilty
# mended: pass
out.backward()
g = x.grad.abs()  # raises AttributeError: 'NoneType' object has no attribute 'abs'
