"""Elements of a saved tensor are set."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 3, requires_grad=True)
hidden = (x @ w).exp()
squared = hidden * hidden
hidden[hidden > 2] = 2.0  # guilty
# mended: hidden = hidden.clamp(max=2.0)
loss = (squared + hidden).mean()
loss.backward()  # raises RuntimeError: modified by an inplace operation
