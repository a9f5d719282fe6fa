"""acos has an infinite slope at one."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

v = torch.ones(4, requires_grad=True)
cosine = torch.nn.functional.normalize(v, dim=0) @ torch.full((4,), 0.5)
angle = torch.acos(cosine)  # guilty
# mended: angle = torch.acos(0.999 * cosine)
angle.backward()
assert not torch.isfinite(v.grad).all()  # symptom
