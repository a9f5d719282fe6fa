"""Functions of sparse tensors as ``gradcheck`` sees them: functions of the values, whose places stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import sparse_coo_tensor
from ..._tensor import Tensor


def of_values(func: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The same function with the values of sparse inputs in their place, and these values."""
    sparse = {i: t.detach() for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.is_sparse and t.requires_grad}
    if not sparse:
        return func, inputs

    def of_the_values(*given: Any) -> Any:
        def whole(t: Any, values: Any) -> Any:
            made = sparse_coo_tensor(t._indices(), values, t.shape, check_invariants=False)
            return made._coalesced_(t.is_coalesced())

        return func(*(whole(sparse[i], t) if i in sparse else t for i, t in enumerate(given)))

    values = {i: t._values().detach().clone().requires_grad_() for i, t in sparse.items()}
    return of_the_values, tuple(values.get(i, t) for i, t in enumerate(inputs))


def refuse_sparse(outputs: tuple[Any, ...]) -> None:
    if any(isinstance(o, Tensor) and o.is_sparse for o in outputs):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of "
            "fn for gradcheck."
        )
