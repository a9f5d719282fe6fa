"""Gradients are set to None between backward and step."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.detach().clone()
for _ in range(3):
    nn.functional.mse_loss(model(x), y).backward()
    for p in model.parameters():
        p.grad = None  # guilty
        # mended: pass
    optimizer.step()  # guilty
    # mended: optimizer.step(); optimizer.zero_grad()
assert torch.equal(before, model.weight)  # symptom
