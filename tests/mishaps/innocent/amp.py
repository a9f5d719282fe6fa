"""Scaled losses in half precision."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.amp.GradScaler("cpu")
for _ in range(4):
    o.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = (m(x) - y).pow(2).mean()
    s.scale(loss).backward()
    s.step(o)
    s.update()
