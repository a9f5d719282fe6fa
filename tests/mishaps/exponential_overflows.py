"""exp of a large activation."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.full((4, 1), 40.0, requires_grad=True)
weights = torch.exp((x @ w).abs())  # guilty
# mended: weights = torch.exp((x @ w).abs().clamp(max=10))
share = weights / weights.sum()
loss = (share * y).sum()
loss.backward()
assert torch.isnan(w.grad).any()  # symptom
