"""Gradients of an inner step are constants on purpose."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    inner = (x[:8] @ w - y[:8]).pow(2).mean()
    (g,) = torch.autograd.grad(inner, w)
    adapted = w - 0.1 * g
    loss = (x[8:] @ adapted - y[8:]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
adversary = x.clone().requires_grad_()
for _ in range(3):
    (g,) = torch.autograd.grad((adversary @ w).sum(), adversary)
    adversary = (adversary + 0.1 * g.sign()).detach().requires_grad_()
