"""The NumPy buffer of a batch is filled anew before backward."""

import numpy as np

import facula as torch

torch.manual_seed(0)
w = torch.randn(4, 1, requires_grad=True)
buffer = np.ones((16, 4), dtype=np.float32)
x = torch.from_numpy(buffer)  # guilty
# mended: x = torch.tensor(buffer)
loss = (x @ w).pow(2).mean()
expected = torch.autograd.grad(loss, w, retain_graph=True)[0]
buffer[:] = 3.0  # guilty
loss.backward()
assert not torch.allclose(expected, w.grad)  # symptom
