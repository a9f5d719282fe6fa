"""nll_loss wants logarithms."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

labels = torch.randint(0, 3, (16,))
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    p = model(x).softmax(dim=1)  # guilty
    # mended: p = model(x).log_softmax(dim=1)
    loss = nn.functional.nll_loss(p, labels)
    loss.backward()
    optimizer.step()
assert loss < 0  # symptom
