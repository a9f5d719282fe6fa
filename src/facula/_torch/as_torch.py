"""``as_torch()``: from then on ``import torch`` means facula, everywhere in the process.

A finder in front of ``sys.meta_path`` answers for ``torch`` and all below it. The submodules are facula's own module
objects: ``torch.nn`` *is* ``facula.nn``. Only ``torch`` itself is another object, because its version is PyTorch's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dis import opname
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType, ModuleType
from typing import Any

import facula

from ..torch_version import __version__ as VERSION
from .classes import rename, rename_classes


def as_torch() -> ModuleType:
    """Make ``import torch`` give facula in this process, and return that module. Calling it again changes nothing."""
    module = sys.modules.get("torch")
    if isinstance(module, Torch):
        return module
    if module is not None:
        version = getattr(module, "__version__", "of unknown version")
        raise RuntimeError(
            f"facula cannot take the name torch: PyTorch {version} has already been imported in this process, and the "
            "two would mix. Call facula.as_torch() before anything imports torch, or run the program with "
            "`facula run`."
        )
    sys.meta_path.insert(0, _Finder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "facula"]:
        _say_torch(sys.modules[name])
    _hand_on_to_new_processes()
    return import_module("torch")


def _hand_on_to_new_processes() -> None:
    """Processes that ``multiprocessing`` starts anew run the main program's imports, and so need the name, too."""
    from multiprocessing import spawn  # loaded when first used

    plain = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {**plain(name), "torch is facula": _Reminder()}

    spawn.get_preparation_data = get_preparation_data


class _Reminder:
    """When it is unpickled, which a new process does before anything else, the name is taken."""

    def __reduce__(self) -> Any:
        return as_torch, ()


class Torch(ModuleType):
    """The module ``torch``: facula's names and PyTorch's version."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in ("__config__", "__future__"):
            raise AttributeError(f"module 'torch' has no attribute {name!r}")
        try:
            value = getattr(facula, name)
        except AttributeError:
            raise lacking("torch", name, sys._getframe(1)) from None
        value = vars(self)[name] = _by_its_name(value, f"torch.{name}")
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)[name] = value
        if not name.startswith("__"):
            setattr(facula, name, value)

    def __delattr__(self, name: str) -> None:
        del vars(self)[name]
        if name in vars(facula):
            delattr(facula, name)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(facula)})


def lacking(module: str, name: str, asker: FrameType) -> AttributeError | ImportError:
    """What is said of a name that is not there. Python's sentence comes first: there is one for ``from m import x``."""
    about = f"facula {facula.__version__}, which runs in place of PyTorch here, lacks it"
    if is_in_pytorch(module, name):
        about = f"PyTorch has it, but facula {facula.__version__} lacks it"
    if opname[asker.f_code.co_code[asker.f_lasti]] == "IMPORT_FROM":
        error = ImportError(f"cannot import name {name!r} from {module!r} ({about})", name=module)
        if sys.version_info >= (3, 12):
            error.name_from = name  # for Python's "Did you mean"
        return error
    return AttributeError(f"module {module!r} has no attribute {name!r} ({about})", name=name, obj=sys.modules[module])


def is_in_pytorch(module: str, name: str) -> bool:
    from .names import names_of  # loaded when first used

    return name in names_of(module)


def _by_its_name(value: Any, torch_name: str) -> Any:
    """What was found as an attribute: a submodule is imported by PyTorch's name, too; a class may be made just now."""
    if isinstance(value, ModuleType) and value.__name__ == facula_name(torch_name):
        return import_module(torch_name)
    if isinstance(value, type):
        rename(value)
    return value


def _explaining(torch_name: str, own: Callable[[str], Any] | None) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that says what is lacking, after the module's own one has been asked."""

    def __getattr__(name: str) -> Any:
        if own is not None:
            try:
                return _by_its_name(own(name), f"{torch_name}.{name}")
            except AttributeError:
                pass
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {torch_name!r} has no attribute {name!r}")
        if (begun := sys.modules.get(f"{facula_name(torch_name)}.{name}")) is not None:
            return begun  # a submodule that is still being loaded, further up
        from .reexports import reexported  # loaded when first used

        try:
            return reexported(torch_name, name)
        except (AttributeError, ImportError):
            raise lacking(torch_name, name, sys._getframe(1)) from None

    return __getattr__


def facula_name(torch_name: str) -> str:
    """The name of the module that stands for one of PyTorch's."""
    return "facula" + torch_name.removeprefix("torch")


class _Finder:
    """Finds ``torch`` and what is below it, as a module and as an installed distribution."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname == "torch":
            spec = ModuleSpec("torch", _TorchLoader(), origin=facula.__file__, is_package=True)
            spec.has_location = True
            return spec
        if fullname in ("functorch", "functorch.compile", "functorch.experimental"):
            module = import_module(f"facula._torch.{fullname.replace('.', '_')}")
            return ModuleSpec(fullname, _SameModule(module), origin=module.__file__, is_package=fullname == "functorch")
        if fullname.startswith("facula."):
            return _renaming(PathFinder.find_spec(fullname, path, target))
        if not fullname.startswith("torch."):
            return None
        try:
            module = import_module(facula_name(fullname))
        except ModuleNotFoundError as error:
            if error.name is None or not f"{facula_name(fullname)}.".startswith(f"{error.name}."):
                raise
            if sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":
                return None  # somebody only asks: importlib.util.find_spec
            raise ModuleNotFoundError(_no_module(fullname), name=fullname) from None
        return ModuleSpec(fullname, _SameModule(module), origin=module.__file__, is_package=hasattr(module, "__path__"))

    @staticmethod
    def find_distributions(context: Any = None) -> Iterator[Any]:
        """``importlib.metadata.version("torch")`` and the like."""
        wanted = getattr(context, "name", None)
        if wanted is None or wanted.lower() == "torch":
            yield _distribution()

    @staticmethod
    def invalidate_caches() -> None:
        """There are none."""


def _renaming(spec: ModuleSpec | None) -> ModuleSpec | None:
    """Have the classes of one of facula's modules renamed when it has been run."""
    if spec is not None and spec.loader is not None:
        run: Callable[[ModuleType], None] = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            _say_torch(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec


def _no_module(fullname: str) -> str:
    from .names import MODULES  # loaded when first used

    known = "PyTorch has it, but " if fullname in MODULES else ""
    return f"No module named {fullname!r} ({known}facula {facula.__version__}, which runs in its place here, lacks it)"


class _TorchLoader(Loader):
    """Makes the module ``torch``."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Torch("torch", facula.__doc__)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(
            {name: value for name, value in vars(facula).items() if not name.startswith("__")},
            __all__=facula.__all__,
            __file__=facula.__file__,
            __path__=[],
            __version__=VERSION,
            torch=module,
        )
        for name, value in list(vars(facula).items()):
            _by_its_name(value, f"torch.{name}")


class _SameModule(Loader):
    """Gives an import of ``torch.x`` the module ``facula.x``, as it is."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.spec = module.__spec__

    def get_code(self, fullname: str) -> Any:
        """For ``-m torch.x``."""
        assert self.spec is not None
        return self.spec.loader.get_code(self.spec.name)  # type: ignore[union-attr]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        torch_name = module.__spec__.name if module.__spec__ is not None else module.__name__
        module.__spec__ = self.spec  # the import system has put its own there
        _explain_what_lacks(module, torch_name)


def _explain_what_lacks(module: ModuleType, torch_name: str) -> None:
    own = vars(module).get("__getattr__")
    if getattr(own, "__qualname__", "") != f"{_explaining.__name__}.<locals>.__getattr__":
        vars(module)["__getattr__"] = _explaining(torch_name, own)


def _say_torch(module: ModuleType) -> None:
    """Rename the classes of one of facula's modules; where they say that they are from, there it is found."""
    home = f"torch{module.__name__.removeprefix('facula')}"
    if home in rename_classes(module) and home != "torch":
        sys.modules[home] = module
        _explain_what_lacks(module, home)


def _distribution() -> Any:
    from importlib.metadata import Distribution  # loaded when first used

    class TorchDistribution(Distribution):
        """What an installed PyTorch would say of itself."""

        def read_text(self, filename: str) -> str | None:
            if filename != "METADATA":
                return None
            return f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION}\nSummary: {facula.__doc__}\n"

        def locate_file(self, path: Any) -> Any:
            from pathlib import Path  # loaded when first used

            return Path(facula.__file__ or ".").parent.parent / path

    return TorchDistribution()
