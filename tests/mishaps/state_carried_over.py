"""The hidden state leads back to the last iteration."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 4, requires_grad=True)
u = torch.randn(4, 4, requires_grad=True)
h = torch.zeros(16, 4)
for _ in range(3):
    h = torch.tanh(x @ w + h @ u)  # guilty
    # mended: h = torch.tanh(x @ w + h.detach() @ u)
    loss = h.pow(2).mean()
    loss.backward()  # raises RuntimeError: backward through the graph a second time
