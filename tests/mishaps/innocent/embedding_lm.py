"""A small language model."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

emb = nn.Embedding(20, 8, padding_idx=0)
lstm = nn.LSTM(8, 8, batch_first=True)
out = nn.Linear(8, 20)
o = torch.optim.AdamW([*emb.parameters(), *lstm.parameters(), *out.parameters()])
ids = torch.randint(0, 20, (4, 7))
best = float("inf")
for _ in range(4):
    logits, _ = lstm(emb(ids[:, :-1]))
    loss = nn.functional.cross_entropy(out(logits).reshape(-1, 20), ids[:, 1:].reshape(-1))
    o.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(out.parameters(), 1.0)
    o.step()
    best = min(best, loss.item())
    acc = (out(logits).argmax(-1) == ids[:, 1:]).float().mean().item()
