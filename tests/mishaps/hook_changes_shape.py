"""A hook returns the norm of a gradient."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
h = model(x)
h.register_hook(lambda g: g.norm())  # guilty
# mended: h.register_hook(lambda g: g / g.norm())
h.pow(2).mean().backward()  # raises RuntimeError: hook
