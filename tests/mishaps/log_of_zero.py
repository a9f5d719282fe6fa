"""The logarithm of a probability that is zero."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.ones(4, 1, requires_grad=True)
x[0] = 0.0
p = (x @ w).abs()
entropy = -(p * torch.log(p)).sum()  # guilty
# mended: entropy = -(p * torch.log(p + 1e-8)).sum()
entropy.backward()
assert torch.isnan(entropy)  # symptom
