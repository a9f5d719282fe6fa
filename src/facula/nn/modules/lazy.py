"""Modules whose parameters get their shapes from the first input."""

from __future__ import annotations

import itertools
from typing import Any

from ...autograd.grad_mode import no_grad
from ...overrides import asked_of_classes
from ..parameter import is_lazy

__all__ = ["LazyModuleMixin", "is_lazy"]


class LazyModuleMixin:
    """Calls ``initialize_parameters`` with the first input, then becomes a ``cls_to_become``."""

    cls_to_become: type[Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        vars(self).update(
            _load_hook=module._register_load_state_dict_pre_hook(self._lazy_load_hook),
            _initialize_hook=module.register_forward_pre_hook(self._infer_parameters, with_kwargs=True),
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Tensors without a shape are saved as they are: they cannot be detached."""
        module: Any = self
        for name, value in module._saved_tensors().items():
            destination[prefix + name] = value if keep_vars or is_lazy(value) else asked_of_classes("detach", value)

    def _lazy_load_hook(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Take the shapes of a state that is about to be loaded."""
        module: Any = self
        for name, value in itertools.chain(module._parameters.items(), module._buffers.items()):
            key = prefix + name
            if key in state_dict and value is not None:
                given = state_dict[key]
                if is_lazy(value) and not is_lazy(given):
                    value.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Override to ``materialize`` the parameters according to the input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _give_shapes(self, **shapes: tuple[int, ...]) -> None:
        """Give tensors that wait for it their shapes, and first values."""
        module: Any = self
        with no_grad():
            for name, shape in shapes.items():
                if is_lazy(waiting := getattr(self, name)):
                    waiting.materialize(shape)
            module.reset_parameters()

    def has_uninitialized_params(self) -> bool:
        """Whether some parameter or buffer has no shape yet."""
        module: Any = self
        return any(is_lazy(t) for t in itertools.chain(module._parameters.values(), module._buffers.values()))

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")  # type: ignore[attr-defined]
        for handle in ("_initialize_hook", "_load_hook"):
            vars(module).pop(handle).remove()
        module.__class__ = module.cls_to_become or type(module)

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to "
            "correctly initialize the modules"
        )
