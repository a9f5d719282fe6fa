"""A loss is used again after backward() made an adversary of it."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
point = x.clone().requires_grad_()
clean = nn.functional.mse_loss(model(point), y)
clean.backward()  # guilty
# mended: clean.backward(retain_graph=True)
adversary = (point + 0.1 * point.grad.sign()).detach()
optimizer.zero_grad()
loss = clean + nn.functional.mse_loss(model(adversary), y)
loss.backward()  # raises RuntimeError: Trying to backward through the graph a second time
optimizer.step()
