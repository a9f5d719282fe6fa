"""Modules made of modules."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .module import Module, indented


class _Numbered(Module):
    """Children named "0", "1", ...: what Sequential and ModuleList share."""

    _modules: dict[str, Module]  # type: ignore[assignment]

    def _set_all(self, modules: Iterable[Module]) -> None:
        self._modules = {str(i): m for i, m in enumerate(modules)}

    def _key(self, index: Any) -> str:
        """The name of the child at a place, which may be negative."""
        i = operator.index(index)
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of range")
        return list(self._modules)[i % n]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        doomed = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        self._set_all(m for name, m in self._modules.items() if name not in doomed)

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove a module and give it back."""
        found = self[key]  # type: ignore[index]
        del self[key]
        return found

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class Sequential(_Numbered):
    """Modules that each take the output of the one before."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(list(other))

    def __mul__(self, times: Any) -> Sequential:
        return Sequential(*self._times(times))

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> Sequential:
        self._set_all(self._times(times))
        return self

    def _times(self, times: Any) -> list[Module]:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return list(self) * times

    def insert(self, index: int, module: Module) -> Sequential:
        """Add a module before the one at a place."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index + n if index < 0 else index, module)
        self._set_all(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add several modules at the end."""
        for module in list(sequential):
            self.append(module)
        return self


class ModuleList(_Numbered):
    """A list of modules that are children of this one. It cannot be called."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[self._key(index)]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Add a module before the one at a place."""
        modules = list(self)
        modules.insert(index, module)
        self._set_all(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        """Equal neighbours are printed once, with their number."""
        runs: list[list[Any]] = []
        for i, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [
            f"({a}): {indented(text)}" if a == b else f"({a}-{b}): {b - a + 1} x {indented(text)}"
            for a, b, text in runs
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules that are children of this one. It cannot be called."""

    _modules: dict[str, Module]  # type: ignore[assignment]

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        self._modules.clear()

    def pop(self, key: str) -> Module:
        return self._modules.pop(key)

    def keys(self) -> Any:
        return self._modules.keys()

    def items(self) -> Any:
        return self._modules.items()

    def values(self) -> Any:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add all modules of a mapping or of pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            for key, module in modules.items():
                self[key] = module
            return
        for i, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{i} should be Iterable; is{type(pair).__name__}"
                )
            parts: list[Any] = list(pair)
            if len(parts) != 2:
                raise ValueError(f"ModuleDict update sequence element #{i} has length {len(parts)}; 2 is required")
            self[parts[0]] = parts[1]
