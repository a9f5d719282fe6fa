"""Modules of settings that may be set, to no effect."""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Any

_UNSET: Any = object()


class Options(ModuleType):
    """Settings by name. Others than those that are known may be set, too, and are then known."""

    _known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._known:
            raise AttributeError(f"{self.__name__.replace('facula', 'torch', 1)}.{name} does not exist")
        return self._known[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or isinstance(value, ModuleType):
            super().__setattr__(name, value)
        else:
            self._known[name] = value

    def __delattr__(self, name: str) -> None:
        if name in self._known:
            del self._known[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        return sorted([*self._known, "patch"])


class patched(contextlib.ContextDecorator):
    """Other settings of a module for a while."""

    def __init__(self, module: Any, changes: dict[str, Any]) -> None:
        self.module = module
        self.changes = changes

    def __enter__(self) -> None:
        self.before = {name: self._found(name) for name in self.changes}
        self._set(self.changes)

    def __exit__(self, *exc: object) -> None:
        self._set(self.before)

    def __call__(self, func: Any) -> Any:
        """A function with these settings; a class of tests (``unittest``) has them from its first test to its last."""
        return self._tests(func) if isinstance(func, type) and hasattr(func, "setUpClass") else super().__call__(func)

    def _tests(self, cls: Any) -> Any:
        def above(own: Any) -> Any:
            return super(decorated, own)

        def set_up_class(own: Any) -> None:
            self.__enter__()
            try:
                above(own).setUpClass()
            except BaseException:
                self.__exit__()
                raise

        def tear_down_class(own: Any) -> None:
            try:
                above(own).tearDownClass()
            finally:
                self.__exit__()

        members = {"setUpClass": classmethod(set_up_class), "tearDownClass": classmethod(tear_down_class)}
        named = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        decorated: Any = type(cls)(cls.__name__, (cls,), {**members, **named})
        return decorated

    def _found(self, name: str) -> Any:
        """A setting as it is; of those to no effect that nobody has set yet, none."""
        return getattr(self.module, name, _UNSET) if isinstance(self.module, Options) else getattr(self.module, name)

    def _set(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if value is _UNSET:
                delattr(self.module, name)
            else:
                setattr(self.module, name, value)


def changes(named: Any, value: Any, more: dict[str, Any]) -> dict[str, Any]:
    """What ``patch`` is given, as a dict."""
    return {**({named: value} if isinstance(named, str) else dict(named or {})), **more}
