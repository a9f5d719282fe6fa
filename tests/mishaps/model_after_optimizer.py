"""A layer is added after the optimizer was made."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# mended: model.append(nn.Linear(8, 1)); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.append(nn.Linear(8, 1))  # guilty
# mended: pass
before = model[2].weight.detach().clone()
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
assert torch.equal(before, model[2].weight)  # symptom
