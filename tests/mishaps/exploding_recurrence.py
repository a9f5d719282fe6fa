"""A recurrent weight of norm greater than one, fifty times."""

import facula as torch

torch.manual_seed(0)
w = (3 * torch.eye(4)).requires_grad_()
h = torch.ones(1, 4)
for _ in range(50):
    h = h @ w  # guilty
    # mended: h = h @ (w / 3)
loss = h.sum()
loss.backward()
assert w.grad.norm() > 1e20  # symptom
