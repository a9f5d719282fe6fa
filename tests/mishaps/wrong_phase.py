"""Gradients are on in a phase that is spelled otherwise."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for phase in ("Train", "Val"):
    with torch.set_grad_enabled(phase == "train"):  # guilty
        # mended: with torch.set_grad_enabled(phase == "Train"):
        loss = nn.functional.mse_loss(model(x), y)
    if phase == "Train":
        optimizer.zero_grad()
        loss.backward()  # raises RuntimeError: does not require grad
        optimizer.step()
