"""``facula run``: a program written for PyTorch, run on facula, as ``python`` itself would run it."""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

import facula

from .as_torch import as_torch

USAGE = """usage: facula run [--explain] [--watch] [-i] program [arguments...]

A program written for PyTorch is run on facula: its `import torch` is answered by facula.

  facula run script.py       a file, or a directory or archive with a __main__.py
  facula run -m module       a module, as in facula run -m pytest or facula run -m IPython
  facula run -c code         a text
  facula run -               what comes in
  facula run                 a prompt, with torch imported; or what comes in, if that is no terminal
  facula run --nproc N ...   N processes, which form a group of torch.distributed

  --explain    an error ends with its explanation
  --watch      look at everything, and tell what went wrong
  -i           a prompt follows, with the program's names
"""


def run(arguments: list[str]) -> int:
    """Run ``script.py ...``, ``-m module ...``, ``-c code ...`` or ``-`` (what comes in) as the main program.

    Before it, ``--explain`` has an error end with its explanation, ``--watch`` all that happens looked at, and ``-i`` a
    prompt follow, as it does if there is no program.
    """
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if "PMI_RANK" in os.environ or "OMPI_COMM_WORLD_RANK" in os.environ:
        from ..distributed.launch import take_place  # loaded when first used

        take_place()
    as_torch()
    wishes = set()
    while arguments and arguments[0] in ("--explain", "--watch", "-i"):
        wishes.add(arguments[0])
        arguments = arguments[1:]
    first, *rest = arguments or ["-"]
    if not arguments and (sys.stdin.isatty() or "-i" in wishes):
        first = ""
    run_it: Callable[[], None]
    if first == "-m":
        sys.argv = ["-m", *rest[1:]]
        first_on_path, run_it = os.getcwd(), lambda: _run_module(rest[0], True)
    elif first == "-c":
        sys.argv = ["-c", *rest[1:]]
        first_on_path, run_it = "", lambda: _run_text(rest[0], "<string>")
    elif first == "-":
        sys.argv = ["-", *rest]
        first_on_path, run_it = "", lambda: _run_text(sys.stdin.read(), "<stdin>")
    elif not first:
        sys.argv = [""]
        first_on_path, run_it = "", lambda: _run_text("import torch", "<stdin>")
        wishes.add("-i")
    elif _is_bundle(first):
        sys.argv = [first, *rest]
        first_on_path, run_it = os.path.abspath(first), lambda: _run_module("__main__", False)
    else:
        path = os.path.abspath(first)
        sys.argv = [first, *rest]
        try:
            with io.open_code(path) as file:
                source = file.read()
        except OSError as error:
            print(f"facula: can't open file {path!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
            return 2
        first_on_path, run_it = os.path.dirname(os.path.realpath(path)), lambda: _run_file(path, source)
    if not sys.flags.safe_path:
        sys.path[0] = first_on_path
    elif _is_bundle(first):
        sys.path.insert(0, first_on_path)
    watcher = _watcher() if "--watch" in wishes else None
    try:
        run_it()
    except SystemExit:
        _tell(watcher, None)
        raise
    except BaseException as error:
        error.__traceback__ = _without_this_file(error.__traceback__)
        _tell_what_pytorch_has(error)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.excepthook = lambda *_: None  # it has been shown; Python now ends as it does after such an error
        _tell(watcher, error if "--explain" in wishes or watcher is not None else None)
        if "-i" in wishes:
            _prompt()
        raise
    _tell(watcher, None)
    if "-i" in wishes:
        _prompt()
    return 0


def _tell_what_pytorch_has(error: BaseException) -> None:
    """An attribute that PyTorch's tensors or scripts have, and facula's lack: say so. Modules say it themselves."""
    if not isinstance(error, AttributeError):
        return
    from .names import OF_SCRIPTS, OF_TENSORS  # loaded when first used

    if isinstance(error.obj, facula.Tensor) and error.name in OF_TENSORS:
        error.add_note(f"(PyTorch has it, but facula {facula.__version__}, which runs in its place here, lacks it)")
    elif callable(error.obj) and error.name in OF_SCRIPTS and "torch.jit" in sys.modules:
        error.add_note(
            f"(facula {facula.__version__} has no TorchScript: torch.jit.script and torch.jit.trace give back what "
            "they are given)"
        )


def _watcher() -> Any:
    from .._explain.watch import watch  # loaded when first used

    return watch(quiet=True).__enter__()


def _tell(watcher: Any, error: BaseException | None) -> None:
    """Say what a watch found, or what is known of an error. An error of autograd has said it already."""
    if watcher is None and error is None:
        return
    from .._explain import ask, errors, watch  # loaded when first used

    if watcher is not None:
        watcher.__exit__(None, None, None)
    if error is None:
        watch.tell(watcher.report)
    elif errors.report_of(error) is None:
        report = ask.of_error(error)
        if report.kind != "error":
            watch.tell(report)


def _is_bundle(path: str) -> bool:
    """A directory or an archive with a ``__main__`` in it."""
    import zipfile  # loaded when first used

    return os.path.isdir(path) or (not path.endswith((".py", ".pyc")) and zipfile.is_zipfile(path))


def _fresh_main() -> ModuleType:
    """A new ``__main__``. The old one, the command's, stays alive: its functions are still running."""
    global _command
    main = ModuleType("__main__")
    vars(main).update(__annotations__={}, __builtins__=builtins)
    _command, sys.modules["__main__"] = sys.modules["__main__"], main
    return main


_command: ModuleType | None = None


def _run_module(name: str, is_named: bool) -> None:
    import runpy  # loaded when first used

    _fresh_main()
    runpy._run_module_as_main(name, is_named)  # type: ignore[attr-defined]


def _run_file(path: str, source: bytes) -> None:
    if path.endswith(".pyc"):
        without_source = SourcelessFileLoader("__main__", path)
        code = without_source.get_code("__main__")
        assert code is not None
        _run_code(code, path, without_source)
    else:
        _run_code(compile(source, path, "exec", dont_inherit=True), path, SourceFileLoader("__main__", path))


def _run_text(source: str, name: str) -> None:
    _run_code(compile(source, name, "exec", dont_inherit=True), None, None)


def _prompt() -> None:
    """Go on by hand, with the names of the program that has run."""
    import code  # loaded when first used
    from contextlib import suppress  # the same

    with suppress(ImportError):
        import readline  # loaded when first used  # noqa: F401
    banner = f"facula {facula.__version__} on Python {sys.version.split()[0]}; torch is facula"
    code.interact(banner, local=vars(sys.modules["__main__"]), exitmsg="")


def _run_code(code: CodeType, path: str | None, loader: Any) -> None:
    main = _fresh_main()
    if path is not None:
        vars(main).update(__file__=path, __cached__=None, __loader__=loader)
    exec(code, vars(main))


def _without_this_file(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback as it is without facula in front."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback
