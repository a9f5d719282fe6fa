"""A causal mask of minus infinity."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

att = nn.MultiheadAttention(8, 2, batch_first=True)
e = nn.Linear(4, 8)
o = torch.optim.Adam([*att.parameters(), *e.parameters()])
mask = torch.triu(torch.full((16, 16), float("-inf")), 1)
for _ in range(3):
    h = e(x)[None]
    out, _ = att(h, h, h, attn_mask=mask)
    o.zero_grad()
    out.pow(2).mean().backward()
    o.step()
