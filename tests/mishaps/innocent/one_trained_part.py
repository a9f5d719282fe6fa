"""A head learns on features of a model that stays as it is, in evaluation mode."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU()).eval()
head = nn.Linear(8, 3)
labels = torch.randint(0, 3, (16,))
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(3):
    with torch.no_grad():
        features = body(x)
    scores = head(features)
    loss = nn.functional.nll_loss(scores.log_softmax(1), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    accuracy = (scores.softmax(1).argmax(1) == labels).float().mean().item()
probabilities = torch.softmax(head(features), 1)
entropy = -(probabilities * probabilities.log()).sum(1).mean()
before = head.weight.detach().clone()
assert torch.equal(before, head.weight)
