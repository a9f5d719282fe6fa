"""== is no assignment: nothing is frozen."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

body, head = nn.Linear(4, 8), nn.Linear(8, 1)
for p in body.parameters():
    p.requires_grad == False  # noqa: B015, E712  # guilty
    # mended: p.requires_grad = False
optimizer = torch.optim.SGD([p for m in (body, head) for p in m.parameters() if p.requires_grad], lr=0.1)
before = body.weight.detach().clone()
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(head(body(x).tanh()), y).backward()
    optimizer.step()
assert not torch.equal(before, body.weight)  # symptom
