"""A layer is computed with NumPy."""

import numpy as np

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
hidden = x @ w
squashed = torch.from_numpy(np.tanh(hidden.detach().numpy()))  # guilty
# mended: squashed = torch.tanh(hidden)
loss = (squashed - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
