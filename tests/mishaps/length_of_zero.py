"""A length by hand has no slope at zero."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.zeros(3, requires_grad=True)
# mended: w = torch.full((3,), 0.1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
length = (w**2).sum() ** 0.5  # guilty
# mended: length = ((w**2).sum() + 1e-12) ** 0.5
loss = (length - 1) ** 2
loss.backward()
optimizer.step()
assert w.isnan().all()  # symptom
