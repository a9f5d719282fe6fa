"""A feature without variance is standardised before training."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

x[:, 2] = 5.0
x = (x - x.mean(0)) / x.std(0)  # guilty
# mended: x = (x - x.mean(0)) / (x.std(0) + 1e-6)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert torch.isnan(loss)  # symptom
