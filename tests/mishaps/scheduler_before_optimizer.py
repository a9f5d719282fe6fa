"""The schedule steps first."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for _ in range(3):
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    schedule.step()  # guilty
    # mended: optimizer.step()
    optimizer.step()
    # mended: schedule.step()
