"""A step inside a step, and gradients for each sample."""

import facula as torch
from facula import nn
from facula.func import functional_call, grad, vmap

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(3):
    params = dict(m.named_parameters())
    loss = (functional_call(m, params, (x,)) - y).pow(2).mean()
    g = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    new = {k: p - 0.1 * d for (k, p), d in zip(params.items(), g, strict=True)}
    l2 = (functional_call(m, new, (x,)) - y).pow(2).mean()
    o.zero_grad()
    l2.backward()
    o.step()
per = vmap(grad(lambda p, a, b: (functional_call(m, p, (a,)) - b).pow(2).sum()), (None, 0, 0))(
    {k: v.detach() for k, v in m.named_parameters()}, x, y
)
