"""Two passes through one graph."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

t, a, b = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
o = torch.optim.SGD([*t.parameters(), *a.parameters(), *b.parameters()], lr=0.1)
for _ in range(6):
    h = torch.tanh(t(x))
    o.zero_grad()
    (a(h) - y).pow(2).mean().backward(retain_graph=True)
    (b(h) + y).pow(2).mean().backward()
    o.step()
