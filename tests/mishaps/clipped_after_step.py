"""Gradients are clipped after they have been used."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = (100 * model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    # mended: nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # guilty
    # mended: optimizer.step()
assert loss > 1e6  # symptom
