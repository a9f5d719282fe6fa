"""Features made in inference mode are trained on."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

encoder, head = nn.Linear(4, 2), nn.Linear(2, 1)
with torch.inference_mode():  # guilty
# mended: with torch.no_grad():
    features = encoder(x)
loss = (head(features) - y).pow(2).mean()  # raises RuntimeError: Inference tensors cannot be saved
loss.backward()
