"""Only the decoder learns: the encoder is cut off."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for _ in range(3):
    code = encoder(x).detach()  # guilty
    # mended: code = encoder(x)
    loss = (decoder(code + 1) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert encoder.weight.grad is None  # symptom
