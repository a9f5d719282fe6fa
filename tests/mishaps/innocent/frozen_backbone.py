"""A part is frozen, and the optimizer holds all."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for p in m[0].parameters():
    p.requires_grad = False
o = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(4):
    o.zero_grad()
    (m(x) - y).pow(2).mean().backward()
    o.step()
