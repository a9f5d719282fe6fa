"""After the first step the example is no leaf."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
adv = x.clone().requires_grad_()
for _ in range(2):
    loss = nn.functional.mse_loss(model(adv), y)
    loss.backward()
    adv = adv + 0.1 * adv.grad.sign()  # guilty  # raises AttributeError: 'NoneType' object has no attribute 'sign'
    # mended: adv = (adv + 0.1 * adv.grad.sign()).detach().requires_grad_()
