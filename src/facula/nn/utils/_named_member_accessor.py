"""Reading and replacing the tensors of a module by their paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..._tensor import Tensor
from ..modules.module import Module

_MISSING = object()


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Put a tensor in the place of a parameter, a buffer or an attribute; the one that was there."""
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if tensor is not _MISSING and not isinstance(tensor, Tensor) and tensor is not None:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    places: tuple[dict[str, Any], ...] = (module._parameters, module._buffers)
    for place in places:
        if name in place:
            before: Any = place[name]
            if tensor is _MISSING:
                del place[name]
            else:
                place[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


class NamedMemberAccessor:
    """The tensors and submodules of a module by path; submodules are looked up once."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memo: dict[str, Module] = {}

    def get_submodule(self, name: str) -> Module:
        if name not in self.memo:
            self.memo[name] = self.module.get_submodule(name)
        return self.memo[name]

    def _at(self, path: str) -> tuple[Module, str]:
        prefix, _, name = path.rpartition(".")
        return self.get_submodule(prefix), name

    def get_tensor(self, name: str) -> Tensor:
        module, attribute = self._at(name)
        found = getattr(module, attribute, _MISSING)
        if found is _MISSING:
            raise AttributeError(f"{module._get_name()} has no attribute `{attribute}`")
        if not isinstance(found, Tensor):
            raise TypeError(f"{found} is not an instance of torch.Tensor")
        return found

    def swap_tensor(self, name: str, value: Any, *, allow_missing: bool = False) -> Any:
        return swap_tensor(*self._at(name), value, allow_missing)

    def set_tensor(self, name: str, value: Tensor) -> None:
        self.swap_tensor(name, value, allow_missing=True)

    def del_tensor(self, name: str) -> None:
        self.swap_tensor(name, _MISSING)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Tensor]) -> None:
        for name, value in zip(list(names), list(values), strict=True):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Tensor]) -> None:
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        for name in names:
            self.del_tensor(name)

    def swap_tensors(
        self, names: Iterable[str], values: Iterable[Any], *, allow_missing: bool = False
    ) -> list[Any]:
        return [self.swap_tensor(n, v, allow_missing=allow_missing) for n, v in zip(list(names), list(values))]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Any], *, allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Put all the tensors in; those that were there, and the names for which there was none."""
        before: dict[str, Any] = {}
        try:
            for name, tensor in named_tensors.items():
                before[name] = self.swap_tensor(name, tensor, allow_missing=True)
            missing = [name for name, old in before.items() if old is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            self.swap_tensors(before, before.values(), allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """The names that are missing among ``keys``, and those that are none of the module's."""
        given = set(keys)
        known = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(known - given), sorted(given - known)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
