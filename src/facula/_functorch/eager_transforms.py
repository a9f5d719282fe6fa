"""What programs take of ``torch._functorch.eager_transforms``."""

from __future__ import annotations

from typing import Any

from ..func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp
from ..func._arguments import chosen

__all__ = ["functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp"]


def _slice_argnums(args: Any, argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments that are meant by ``argnums``."""
    picked = chosen(args, argnums)[0]
    return (picked,) if as_tuple and isinstance(argnums, int) else picked
