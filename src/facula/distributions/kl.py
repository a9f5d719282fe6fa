"""``torch.distributions.kl``: Kullback-Leibler divergences. The formulas register themselves when they are loaded."""

from __future__ import annotations

from . import _kl_formulas as _kl_formulas
from . import _kl_within as _kl_within
from ._kl_registry import _KL_MEMOIZE as _KL_MEMOIZE
from ._kl_registry import _KL_REGISTRY as _KL_REGISTRY
from ._kl_registry import kl_divergence, register_kl
from ._kl_within import _kl_expfamily_expfamily as _kl_expfamily_expfamily

__all__ = ["kl_divergence", "register_kl"]
