"""A dictionary of metrics sums losses with their graphs."""

from collections import defaultdict

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
metrics = defaultdict(float)
for _ in range(8):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    metrics["loss"] += loss  # guilty
    # mended: metrics["loss"] += loss.item()
assert metrics["loss"].grad_fn is not None  # symptom
