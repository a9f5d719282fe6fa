"""Values taken out to be logged."""

import numpy as np

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
log = []
for _ in range(5):
    p = m(x)
    loss = (p - y).pow(2).mean()
    o.zero_grad()
    loss.backward()
    o.step()
    a = p.detach().numpy()
    log.append(np.abs(a - y.numpy()).mean())
    w = m.weight.data.clone()
    s = torch.tensor(log).mean()
print(s)
