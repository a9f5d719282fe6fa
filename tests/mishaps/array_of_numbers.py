"""Losses become an array of numbers, and a tensor again."""

import numpy as np

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
losses = [(x[i] @ w - y[i]).pow(2).sum() for i in range(4)]
numbers = np.array([each.item() for each in losses])  # guilty
# mended: numbers = torch.stack(losses)
loss = torch.tensor(numbers).mean()
# mended: loss = numbers.mean()
loss.backward()  # raises RuntimeError: does not require grad
