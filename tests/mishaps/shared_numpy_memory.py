"""A detour by NumPy without any computation."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
hidden = x @ w
same = torch.from_numpy(hidden.detach().numpy())  # guilty
# mended: same = hidden
loss = (same - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
