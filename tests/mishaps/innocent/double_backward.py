"""A penalty on gradients."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 1))
o = torch.optim.SGD(m.parameters(), lr=0.01)
for _ in range(4):
    z = x.clone().requires_grad_()
    (g,) = torch.autograd.grad(m(z).sum(), z, create_graph=True)
    loss = (g.norm(dim=1) - 1).pow(2).mean() + (m(x) - y).pow(2).mean()
    o.zero_grad()
    loss.backward()
    o.step()
