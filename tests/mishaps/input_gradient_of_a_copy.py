"""The gradient is looked for at the wrong tensor."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
image = x.clone().requires_grad_()
scaled = image / image.abs().max()  # guilty
# mended: scaled = (image / image.abs().max()).detach().requires_grad_()
model(scaled).sum().backward()
saliency = scaled.grad.abs()  # raises AttributeError: 'NoneType' object has no attribute 'abs'
