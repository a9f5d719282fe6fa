"""torch.tensor(list of losses) copies values."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
losses = [(x[i] @ w - y[i]).pow(2).sum() for i in range(4)]
loss = torch.tensor(losses).mean()  # guilty
# mended: loss = torch.stack(losses).mean()
loss.backward()  # raises RuntimeError: does not require grad
