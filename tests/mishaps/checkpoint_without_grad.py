"""A checkpointed layer whose inputs need no gradient."""

import facula as torch
from facula import nn
from facula.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


first, second = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    h = checkpoint(first, x, use_reentrant=True)  # guilty
    # mended: h = checkpoint(first, x, use_reentrant=False)
    loss = nn.functional.mse_loss(second(h.relu()), y)
    loss.backward()
    optimizer.step()
assert first.weight.grad is None  # symptom
