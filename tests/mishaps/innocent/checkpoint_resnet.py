"""A checkpoint, and losses kept without history."""

import facula as torch
from facula import nn
from facula.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m1, m2 = nn.Linear(4, 8), nn.Linear(8, 1)
bn = nn.BatchNorm1d(8)
o = torch.optim.SGD([*m1.parameters(), *m2.parameters(), *bn.parameters()], lr=0.1)
for _ in range(4):
    h = checkpoint(lambda t: torch.relu(bn(m1(t))), x, use_reentrant=False)
    o.zero_grad()
    (m2(nn.functional.dropout(h)) - y).pow(2).mean().backward()
    o.step()
losses = []
for _ in range(8):
    loss = (m2(torch.relu(m1(x))) - y).pow(2).mean()
    o.zero_grad()
    loss.backward()
    o.step()
    losses.append(loss.detach())
