"""A row minus a column, in a loss by hand."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
target = y.reshape(-1)
# mended: target = y
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    error = target - model(x)  # guilty
    loss = error.abs().mean()
    loss.backward()
    optimizer.step()
assert error.shape == (16, 16)  # symptom
