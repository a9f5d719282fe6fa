"""The mean over an empty selection."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
out = x @ w
chosen = out[out > 1e9]
# mended: chosen = out[out > -1e9]
loss = chosen.mean()  # guilty
loss.backward()
assert torch.isnan(loss)  # symptom
