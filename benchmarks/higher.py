"""Derivatives of derivatives, and derivatives sample by sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .data import classes, draw, settled
from .workloads import Workload

HIGHER: dict[str, Workload] = {}


def higher(fn: Workload) -> Workload:
    HIGHER[fn.__name__] = fn
    return fn


@higher
def hvp_of_tiny_mlp(torch: Any) -> tuple[Callable[[], Any], int]:
    """Hessian times a vector, by the gradient of the gradient: batch 16, 10-32-2, mean squared error."""
    nn = torch.nn
    net = settled(torch, nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 2)))
    parameters = list(net.parameters())
    vectors = [draw(torch, *p.shape, seed=3 + number) for number, p in enumerate(parameters)]
    x, y = draw(torch, 16, 10), draw(torch, 16, 2, seed=2)

    def step() -> Any:
        gradients = torch.autograd.grad(nn.functional.mse_loss(net(x), y), parameters, create_graph=True)
        return torch.autograd.grad(gradients, parameters, vectors)[0]

    return step, 1


def _rosenbrock(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@higher
def hessian_of_rosenbrock(torch: Any) -> tuple[Callable[[], Any], int]:
    """In 20 dimensions, by ``autograd.functional.hessian``."""
    x = draw(torch, 20)
    return lambda: torch.autograd.functional.hessian(_rosenbrock, x), 1


@higher
def hessian_of_rosenbrock_by_func(torch: Any) -> tuple[Callable[[], Any], int]:
    """The same by ``func.hessian``: forward over reverse mode, all directions at once."""
    x = draw(torch, 20)
    hessian = torch.func.hessian(_rosenbrock)
    return lambda: hessian(x), 1


@higher
def wgan_gp_step(torch: Any) -> tuple[Callable[[], Any], int]:
    """A step of a Wasserstein critic with gradient penalty and one of its generator: batch 64, width 64, Adam."""
    nn = torch.nn
    generator = settled(torch, nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32)))
    layers = nn.Linear(32, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)
    critic = settled(torch, nn.Sequential(*layers))
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-5, betas=(0.0, 0.9))
    of_critic = torch.optim.Adam(critic.parameters(), lr=1e-5, betas=(0.0, 0.9))
    real, noise = draw(torch, 64, 32), draw(torch, 64, 16, seed=2)
    share = torch.sigmoid(draw(torch, 64, 1, seed=3))

    def step() -> Any:
        fake = generator(noise).detach()
        between = (share * real + (1 - share) * fake).requires_grad_()
        of_critic.zero_grad()
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        loss.backward()
        of_critic.step()

        of_generator.zero_grad()
        (-critic(generator(noise)).mean()).backward()
        of_generator.step()
        return loss

    return step, 1


@higher
def per_sample_gradients(torch: Any) -> tuple[Callable[[], Any], int]:
    """Of a 32-64-10 network with cross-entropy, 256 samples: ``vmap`` of ``grad``."""
    nn, func = torch.nn, torch.func
    net = settled(torch, nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 10)))
    parameters = {name: p.detach() for name, p in net.named_parameters()}
    x, y = draw(torch, 256, 32), classes(torch, 256, below=10)

    def loss(parameters: Any, x: Any, y: Any) -> Any:
        found = func.functional_call(net, parameters, (x.unsqueeze(0),))
        return nn.functional.cross_entropy(found, y.unsqueeze(0))

    gradients = func.vmap(func.grad(loss), in_dims=(None, 0, 0))
    return lambda: gradients(parameters, x, y)["0.weight"], 1
