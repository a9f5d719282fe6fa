"""A penalty is computed once and used in each iteration."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
penalty = w.pow(2).sum()  # guilty
# mended: penalty = 0.0
for _ in range(2):
    loss = (x @ w - y).pow(2).mean() + 0.1 * penalty
    loss.backward()  # raises RuntimeError: backward through the graph a second time
