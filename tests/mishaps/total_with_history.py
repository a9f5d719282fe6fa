"""The total of an epoch keeps all graphs."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def epoch():
    total = 0.0
    for _ in range(8):
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = total + loss  # guilty
        # mended: total = total + loss.item()
    return float(total)


epoch()
