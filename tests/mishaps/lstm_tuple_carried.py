"""The state of an LSTM goes from batch to batch with its history."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

lstm, head = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.1)
state = None
for batch, target in zip(x.reshape(4, 1, 4, 4), y.reshape(4, 1, 4, 1)):
    out, state = lstm(batch, state)  # guilty
    # mended: out, state = lstm(batch, None if state is None else tuple(s.detach() for s in state))
    loss = nn.functional.mse_loss(head(out), target)
    optimizer.zero_grad()
    loss.backward()  # raises RuntimeError: Trying to backward through the graph a second time
    optimizer.step()
