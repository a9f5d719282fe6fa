"""A step by hand gives a name another meaning."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
before = model.weight.detach().clone()
for _ in range(5):
    model.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p = p - 0.1 * p.grad  # guilty
            # mended: p -= 0.1 * p.grad
assert torch.equal(before, model.weight)  # symptom
