"""A bias that no input can overcome."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 1))
with torch.no_grad():
    model[0].bias.fill_(-100.0)
    # mended: model[0].bias.fill_(0.1)
loss = (model(x) - y).pow(2).mean()  # guilty
loss.backward()
assert not model[0].weight.grad.any()  # symptom
