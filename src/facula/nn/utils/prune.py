"""Pruning: parameters multiplied by masks before each call."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import facula

from ..._tensor import Tensor
from ..modules.module import Module
from ._tensor_hooks import hooks_for, take_away


class BasePruningMethod(ABC):
    """Chooses what is pruned; as a hook, recomputes the pruned tensor before each call."""

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for ``t``, within what ``default_mask`` has left."""

    def apply_mask(self, module: Module) -> Tensor:
        """The original tensor times the mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original, mask = (getattr(module, self._tensor_name + end) for end in ("_orig", "_mask"))
        return _masked(original, mask)

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a parameter (further)."""
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        found = hooks_for(module, BasePruningMethod, name, "_tensor_name")
        if len(found) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        if found:
            [(key, old)] = found.items()
            container = PruningContainer(old)
            container.add_pruning_method(method)
            method = container
            del module._forward_pre_hooks[key]
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {original.shape}"
            )
        if not found:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            default_mask = facula.ones_like(original)
        else:
            default_mask = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(importance_scores, default_mask=default_mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not found:
                module.register_parameter(name, module._parameters.pop(name + "_orig"))
            raise
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """A pruned copy of a tensor, without a module."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        start = facula.ones_like(t) if default_mask is None else default_mask
        pruned: Tensor = t * self.compute_mask(importance_scores, default_mask=start)
        return pruned

    def remove(self, module: Module) -> None:
        """Make the pruned tensor the parameter."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        parameter: Any = module._parameters.pop(f"{name}_orig")
        mask: Any = module._buffers.pop(f"{name}_mask")
        parameter.data = _masked(parameter.data, mask)
        module.__dict__.pop(name, None)
        module.register_parameter(name, parameter)


class PruningContainer(BasePruningMethod):
    """Several methods, one after another."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1 and not isinstance(args[0], Iterable):
            self._tensor_name = args[0]._tensor_name
            self.add_pruning_method(args[0])
        elif len(args) == 1 and isinstance(args[0], PruningContainer):
            self._tensor_name = args[0]._tensor_name
            for method in args[0]:
                self.add_pruning_method(method)
        else:
            methods = args[0] if len(args) == 1 else args
            for method in methods:
                self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        if method is not None:
            if not isinstance(method, BasePruningMethod):
                raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
            if method._tensor_name != self._tensor_name:
                raise ValueError(
                    "Can only add pruning methods acting on the parameter named "
                    f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
                )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the newest method, on what the others have left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            left: Any = mask == 1
        elif kind == "structured":
            dim = method.dim
            dim = dim + t.dim() if dim < 0 else dim
            keeps = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
            left = [slice(None)] * t.dim()
            left[dim] = keeps
            left = tuple(left)
        elif kind == "global":
            left = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        combined = mask.clone()
        combined[left] = method.compute_mask(t[left], default_mask=mask[left]).to(dtype=mask.dtype)
        return combined


class Identity(BasePruningMethod):
    """Prunes nothing, but makes mask and hook."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name)


class _Amount(BasePruningMethod):
    """Methods that prune so many units, or such a part of them."""

    def __init__(self, amount: int | float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _count(self, n: int) -> int:
        count = _compute_nparams_toprune(self.amount, n)
        _validate_pruning_amount(count, n)
        return count


class RandomUnstructured(_Amount):
    """Prunes elements at random."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[facula.rand_like(t).view(-1).topk(k=count).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Module, name: str, amount: int | float) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Amount):
    """Prunes the elements with the smallest absolute values."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[t.abs().view(-1).topk(k=count, largest=False).indices] = 0
        return mask

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: int | float, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(_Amount):
    """Methods that prune whole slices along ``dim``."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: int | float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _keeping(self, t: Tensor, default_mask: Tensor, kept: Tensor) -> Tensor:
        """The mask with ones only in the slices that are kept."""
        mask = facula.zeros_like(t)
        where: list[Any] = [slice(None)] * t.dim()
        where[self.dim] = kept
        mask[tuple(where)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes slices at random."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        n = t.shape[self.dim]
        count = self._count(n)
        if not count:
            return default_mask
        drawn = facula.rand(n)
        return self._keeping(t, default_mask, drawn >= drawn.kthvalue(k=count + 1).values if count < n else drawn > 1)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: int | float, dim: int = -1
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the slices with the smallest norms."""

    def __init__(self, amount: int | float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        slices = t.shape[self.dim]
        count = self._count(slices)
        if not count:
            return default_mask
        largest = _compute_norm(t, self.n, self.dim).topk(k=slices - count, largest=True).indices
        return self._keeping(t, default_mask, largest)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: int | float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError("default_mask must have the same shape as self.mask")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


# ---- as functions


def identity(module: Module, name: str) -> Module:
    """Mask and hook, without pruning."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: int | float) -> Module:
    """Prune elements at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: int | float, importance_scores: Tensor | None = None
) -> Module:
    """Prune the elements with the smallest absolute values (of the scores)."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: int | float, dim: int) -> Module:
    """Prune slices at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: int | float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prune the slices with the smallest norms (of the scores)."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune by a given mask."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters as if they were one."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs: list[Any] = list(parameters)
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    values = facula.cat([scores.get(pair, getattr(*pair)).flatten() for pair in pairs])
    masks = facula.cat([getattr(m, name + "_mask", facula.ones_like(getattr(m, name))).flatten() for m, name in pairs])
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    final = container.compute_mask(values, masks)
    start = 0
    for module, name in pairs:
        param = getattr(module, name)
        custom_from_mask(module, name, mask=final[start : start + param.numel()].view_as(param))
        start += param.numel()


def remove(module: Module, name: str) -> Module:
    """Make the pruned tensor the parameter."""
    complaint = f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    take_away(module, BasePruningMethod, name, complaint, "_tensor_name")
    return module


def is_pruned(module: Module) -> bool:
    """Whether something is pruned here or below."""
    return any(
        isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values()
    )


# ---- arithmetic and checks


def _masked(original: Tensor, mask: Tensor) -> Tensor:
    return mask.to(dtype=original.dtype) * original


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    number: Any = amount
    if number < 0 if isinstance(amount, numbers.Integral) else not 0.0 <= number <= 1.0:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _validate_structured_pruning(t: Tensor) -> None:
    if len(t.shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {len(t.shape)} dims"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    dim = dim + t.dim() if dim < 0 else dim
    return t.norm(p=n, dim=[d for d in range(t.dim()) if d != dim])


__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured",
    "PruningContainer", "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured",
    "identity", "is_pruned", "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip
