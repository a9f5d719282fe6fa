"""retain_graph=True hides that the state is never cut: each pass is longer."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 4, requires_grad=True)
h = torch.zeros(16, 4)
for _ in range(6):
    h = torch.tanh(x @ w + h)  # guilty
    # mended: h = torch.tanh(x @ w + h.detach())
    loss = h.pow(2).mean()
    w.grad = None
    loss.backward(retain_graph=True)
assert len([h.grad_fn]) == 1  # symptom
