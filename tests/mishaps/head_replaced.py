"""The last layer is replaced after the optimizer was made."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
# mended: model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
model[2] = nn.Linear(8, 1)  # guilty
# mended: pass
before = model[2].weight.detach().clone()
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
assert torch.equal(before, model[2].weight)  # symptom
