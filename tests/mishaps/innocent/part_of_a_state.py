"""Some of a state is taken from elsewhere, the rest stays."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
nn.functional.mse_loss(model(x), y).backward()
optimizer.step()
known = {"0.weight": torch.zeros(8, 4), "0.bias": torch.zeros(8)}
state = model.state_dict()
state.update(known)
model.load_state_dict(state)
best = {name: value.clone() for name, value in model.state_dict().items()}
optimizer.step()
model.load_state_dict(best)
other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
other.load_state_dict(model.state_dict())
