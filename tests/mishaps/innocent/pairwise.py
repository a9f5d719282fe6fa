"""Differences of each with each, on purpose."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

p = x.clone().requires_grad_()
v = torch.randn(10, requires_grad=True)
d = ((v[:, None] - v) ** 2).mean() + torch.cdist(p, p + 1).mean()
d.backward()
