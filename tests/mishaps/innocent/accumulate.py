"""Gradients of four batches are summed on purpose."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
o = torch.optim.Adam(m.parameters())
for i in range(12):
    ((m(x) - y).pow(2).mean() / 4).backward()
    if (i + 1) % 4 == 0:
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        o.step()
        o.zero_grad()
