"""An optimizer is given a tensor that was scaled after it was made."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True) * 0.1  # guilty
# mended: w = (torch.randn(4, 1) * 0.1).requires_grad_()
optimizer = torch.optim.Adam([w])  # raises ValueError: can't optimize a non-leaf Tensor
loss = (x @ w - y).pow(2).mean()
loss.backward()
optimizer.step()
