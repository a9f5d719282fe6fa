"""The error is computed by NumPy, and made a leaf."""

import numpy as np

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
error = np.mean((x @ w - y).detach().numpy() ** 2)  # guilty
# mended: error = (x @ w - y).pow(2).mean()
loss = torch.tensor(error, requires_grad=True)
# mended: loss = 1.0 * error
loss.backward()
assert w.grad is None  # symptom
