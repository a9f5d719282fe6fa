"""The same, with a loss by hand."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
target = y.squeeze()
# mended: target = y
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    residual = model(x) - target  # guilty
    loss = residual.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert residual.shape == (16, 16)  # symptom
