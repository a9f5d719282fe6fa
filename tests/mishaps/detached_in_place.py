"""An activation is detached in place, to be kept."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
kept = []
for _ in range(3):
    optimizer.zero_grad()
    code = encoder(x)
    kept.append(code.detach_())  # guilty
    # mended: kept.append(code.detach())
    loss = (decoder(code) - x).pow(2).mean()
    loss.backward()
    optimizer.step()
assert encoder.weight.grad is None  # symptom
