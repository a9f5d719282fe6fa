"""A penalty on gradients that are constants."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters())
for _ in range(3):
    point = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(critic(point).sum(), point)  # guilty
    # mended: (slope,) = torch.autograd.grad(critic(point).sum(), point, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(x).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert not penalty.requires_grad  # symptom
