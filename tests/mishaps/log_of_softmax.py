"""The logarithm of a softmax that underflows."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 3)
labels = torch.randint(0, 3, (16,))
logits = model(1000 * x)
p = torch.softmax(logits, 1)
loss = -torch.log(p[torch.arange(16), labels]).mean()  # guilty
# mended: loss = nn.functional.cross_entropy(logits, labels)
loss.backward()
assert model.weight.grad.isnan().any()  # symptom
