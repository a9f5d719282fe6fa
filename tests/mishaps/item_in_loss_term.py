"""A term of the loss is a number."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model, prior = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*model.parameters(), *prior.parameters()])
for _ in range(3):
    optimizer.zero_grad()
    penalty = prior(x).pow(2).mean()
    loss = nn.functional.mse_loss(model(x), y) + penalty.item()  # guilty
    # mended: loss = nn.functional.mse_loss(model(x), y) + penalty
    loss.backward()
    optimizer.step()
assert prior.weight.grad is None  # symptom
