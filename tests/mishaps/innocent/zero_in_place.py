"""Gradients are cleared in place."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(6):
    o.zero_grad(set_to_none=False)
    (m(x) - y).pow(2).mean().backward()
    o.step()
