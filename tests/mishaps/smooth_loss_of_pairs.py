"""smooth_l1_loss of (N, 1) and (N,)."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

y = y.squeeze(1)
# mended: pass
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.smooth_l1_loss(model(x), y)  # guilty
    loss.backward()
    optimizer.step()
assert nn.functional.smooth_l1_loss(model(x), y, reduction="none").shape == (16, 16)  # symptom
