"""Random numbers: 1M of each kind (100,000 of those that try until they succeed), and small draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .workloads import Workload

DRAWS: dict[str, Workload] = {}


def _drawing(name: str, draw: Callable[[Any], Any], times: int = 1) -> None:
    def ready(torch: Any) -> tuple[Callable[[], Any], int]:
        def step() -> Any:
            torch.manual_seed(0)
            drawn = [draw(torch) for _ in range(times)]
            return drawn[-1]

        return step, times

    DRAWS[name] = ready


_N = 1_000_000
_FEWER = 100_000

_drawing("rand_1M", lambda torch: torch.rand(_N))
_drawing("rand_1M_float64", lambda torch: torch.rand(_N, dtype=torch.float64))
_drawing("uniform_1M", lambda torch: torch.empty(_N).uniform_(-0.3, 0.4))
_drawing("randn_1M", lambda torch: torch.randn(_N))
_drawing("randn_1M_float64", lambda torch: torch.randn(_N, dtype=torch.float64))
_drawing("normal_1M", lambda torch: torch.empty(_N).normal_(0.1, 0.02))
_drawing("randint_1M", lambda torch: torch.randint(1000, (_N,)))
_drawing("randint_1M_long", lambda torch: torch.randint(2**40, (_N,)))
_drawing("randperm_1M", lambda torch: torch.randperm(_N))
_drawing("bernoulli_1M", lambda torch: torch.empty(_N).bernoulli_(0.3))
_drawing("dropout_1M", lambda torch: torch.dropout(torch.ones(_N), 0.5, True))
_drawing("exponential_1M", lambda torch: torch.empty(_N).exponential_())
_drawing("geometric_1M", lambda torch: torch.empty(_N).geometric_(0.3))
_drawing("cauchy_1M", lambda torch: torch.empty(_N).cauchy_())
_drawing("log_normal_1M", lambda torch: torch.empty(_N).log_normal_())
_drawing("multinomial_1000_of_1M", lambda torch: torch.multinomial(torch.ones(_N), 1000))
_drawing("poisson_of_4", lambda torch: torch.poisson(torch.full((_FEWER,), 4.0)))
_drawing("poisson_of_30", lambda torch: torch.poisson(torch.full((_FEWER,), 30.0)))
_drawing("binomial", lambda torch: torch.binomial(torch.full((_FEWER,), 50.0), torch.full((_FEWER,), 0.4)))
_drawing("gamma_of_2.5", lambda torch: torch._standard_gamma(torch.full((_FEWER,), 2.5)))
_drawing("gamma_of_0.5", lambda torch: torch._standard_gamma(torch.full((_FEWER,), 0.5)))
_drawing("small_rand", lambda torch: torch.rand(8), 100)
_drawing("small_randn", lambda torch: torch.randn(8), 100)
_drawing("small_randn_of_100", lambda torch: torch.randn(100), 100)
_drawing("small_randperm", lambda torch: torch.randperm(1000), 20)
