"""The loop that freezes the body freezes the head too."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for name, p in model.named_parameters():
    if "head" not in name:
        # mended: if not name.startswith("2"):
        p.requires_grad_(False)  # guilty
loss = nn.functional.mse_loss(model(x), y)
loss.backward()  # raises RuntimeError: does not require grad
