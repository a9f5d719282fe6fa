"""A second encoder follows the first, in training mode and without gradients."""

import copy

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


query = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
key = copy.deepcopy(query)
for p in key.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(query.parameters(), lr=0.1)
for _ in range(3):
    q = nn.functional.normalize(query(x), dim=1)
    with torch.no_grad():
        for a, b in zip(query.parameters(), key.parameters()):
            b.data = 0.99 * b.data + 0.01 * a.data
        k = nn.functional.normalize(key(x + 0.1), dim=1)
    loss = nn.functional.cross_entropy(q @ k.T, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
