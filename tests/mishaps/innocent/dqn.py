"""Targets without gradient, actions by argmax, a slow copy."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

q, t = nn.Linear(4, 2), nn.Linear(4, 2)
t.load_state_dict(q.state_dict())
o = torch.optim.Adam(q.parameters())
for _ in range(5):
    a = q(x).argmax(1, keepdim=True)
    qa = q(x).gather(1, a)
    with torch.no_grad():
        target = y + 0.9 * t(x).max(1, keepdim=True).values
    loss = nn.functional.smooth_l1_loss(qa, target)
    o.zero_grad()
    loss.backward()
    o.step()
    with torch.no_grad():
        for p, s in zip(t.parameters(), q.parameters(), strict=True):
            p.mul_(0.9).add_(s, alpha=0.1)
print(loss.item())
