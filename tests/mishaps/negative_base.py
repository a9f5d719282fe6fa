"""A fractional power of a negative number."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

gamma = torch.tensor(0.5, requires_grad=True)
corrected = x**gamma  # guilty
# mended: corrected = x.abs() ** gamma
loss = corrected.mean()
loss.backward()
assert torch.isnan(gamma.grad)  # symptom
