"""The weights before a step are kept without a copy."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
before = model.weight.data  # guilty
# mended: before = model.weight.data.clone()
optimizer.zero_grad()
nn.functional.mse_loss(model(x), y).backward()
optimizer.step()
print("changed:", (model.weight - before).abs().max())
assert torch.equal(before, model.weight)  # symptom
