"""States are written into a buffer that is read again."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 4, requires_grad=True)
states = torch.zeros(5, 16, 4)
# mended: states = [x]
states[0] = x
# mended: pass
for t in range(4):
    states[t + 1] = torch.tanh(states[t] @ w)  # guilty
    # mended: states.append(torch.tanh(states[t] @ w))
loss = states[4].mean()
loss.backward()  # raises RuntimeError: modified by an inplace operation
