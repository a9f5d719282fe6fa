"""The model is made a second time after its optimizer."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


def make():
    return nn.Linear(4, 1)


model = make()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _restart in range(1):
    model = make()  # guilty
    # mended: optimizer.zero_grad()
    for _ in range(2):
        optimizer.zero_grad()
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
