"""A hook makes the gradient infinite."""

import facula as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.register_hook(lambda g: g / (g - g))  # guilty
# mended: y.register_hook(lambda g: g / (g - g + 1))
y.sum().backward()
assert not torch.isfinite(x.grad).any()  # symptom
