"""Several predictions with dropout tell how sure a model is."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
model.train()
with torch.no_grad():
    spread = torch.stack([model(x) for _ in range(5)]).std(0)
model.eval()
with torch.no_grad():
    noisy = nn.functional.dropout(model(x), 0.1, training=True)
