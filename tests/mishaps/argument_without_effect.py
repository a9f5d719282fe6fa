"""func.grad with respect to an argument that the function does not use."""

import facula as torch
from facula.func import grad

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


def energy(w, b):
    return ((x @ w).detach() * b).pow(2).mean()  # guilty
    # mended: return (x @ w * b).pow(2).mean()


gw, gb = grad(energy, argnums=(0, 1))(torch.ones(4, 1), torch.ones(1))
assert not gw.any()  # symptom
