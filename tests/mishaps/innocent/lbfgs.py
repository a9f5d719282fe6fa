"""A closure."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Linear(4, 1)
o = torch.optim.LBFGS(m.parameters())


def c():
    o.zero_grad()
    loss = (m(x) - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(3):
    o.step(c)
