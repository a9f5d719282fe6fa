"""A state whose names all begin otherwise is loaded, not strictly."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
saved = {"module." + name: torch.zeros_like(value) for name, value in model.state_dict().items()}
# mended: saved = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
model.load_state_dict(saved, strict=False)  # guilty
loss = nn.functional.mse_loss(model(x), y)
assert model[0].weight.any()  # symptom
