"""Function transforms, as in ``torch.func``: derivatives and batches of functions, nested as one likes."""

from __future__ import annotations

from .gradients import grad, grad_and_value, vjp
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, functionalize, replace_all_batch_norm_modules_, stack_module_state
from .tangents import jvp, linearize
from .vectorize import debug_unwrap, vmap

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "linearize", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip
