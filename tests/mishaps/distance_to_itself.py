"""The square root has no finite slope at zero."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

points = x.clone().requires_grad_()
squared = ((points[:, None] - points[None, :]) ** 2).sum(-1)
distance = squared.sqrt()  # guilty
# mended: distance = (squared + 1e-12).sqrt()
distance.mean().backward()
assert torch.isnan(points.grad).any()  # symptom
