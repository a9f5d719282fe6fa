"""The branch that where does not take still has a gradient."""

import facula as torch

x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
safe = x > 0
inverse = 1 / x  # guilty
# mended: inverse = 1 / torch.where(safe, x, 1.0)
y = torch.where(safe, inverse, 0.0)  # guilty
y.sum().backward()
assert torch.isnan(x.grad).any()  # symptom
