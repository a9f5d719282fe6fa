"""A state that is cut in each iteration."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

cell = nn.GRUCell(4, 8)
head = nn.Linear(8, 1)
o = torch.optim.Adam([*cell.parameters(), *head.parameters()])
h = torch.zeros(16, 8)
for _ in range(8):
    h = cell(x, h.detach())
    loss = (head(h) - y).pow(2).mean()
    o.zero_grad()
    loss.backward()
    o.step()
