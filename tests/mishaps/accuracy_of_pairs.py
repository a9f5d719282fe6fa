"""An accuracy that compares each with each."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

labels = (y[:, 0] > 0).float()
w = torch.randn(4, 1)
guessed = (x @ w > 0).float()
correct = (guessed == labels).float().mean()  # guilty
# mended: correct = (guessed[:, 0] == labels).float().mean()
