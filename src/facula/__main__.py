"""The command ``facula``, also ``python -m facula``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import facula

USAGE = """\
usage: facula [--version] [--help] <command>

commands:
  run script.py [args...]    run a program that imports torch on facula; also run -m module [args...]
      --explain              before the script: an error ends with its explanation
      --watch                before the script: look at everything, and tell what went wrong
      --nproc N              before the script: N processes, which form a group of torch.distributed
  explore [-o graph.html] [--loss NAME] [--backward N] script.py [args...]
                             run a program and write a page that shows the graph of its last backward call, or of
                             the variable NAME, or of its Nth backward call
  torchrun [options...] script.py    the same, by the options of PyTorch's launcher
  ops [name...]              the families of operators, or all that is declared of an operator
  native build|status|remove|test    the library of C kernels for this machine
  native build LEVEL [DIRECTORY]     the same for all processors of a level, such as x86-64-v3
  kernel install|remove      a Jupyter kernel in whose notebooks `import torch` is facula
  doctor                     what is installed, what is missing, what would make it faster
  tour                       a guided tour of the library in the terminal (under 3 seconds)

options:
  --version    print the version; with -v, whether the native library is in use
  --help       print this help

In a program: import facula as torch
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 if what it asks for is not there, or 2 if the command line is wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0 if given else 2
    if given[0] in ("-V", "--version"):
        print(f"facula {facula.__version__}")
        if given[1:] == ["-v"]:
            from .native import command  # loaded when first used

            print(f"native library: {command.line()}")
        return 0
    if given[0] == "tour":
        if len(given) > 1:
            return complain(f"tour takes no arguments, but got: {' '.join(given[1:])}")
        from . import tour  # loaded when first used

        return printing(tour.run)
    if given[0] == "doctor":
        if len(given) > 1:
            return complain(f"doctor takes no arguments, but got: {' '.join(given[1:])}")
        from . import _doctor  # loaded when first used

        return printing(_doctor.run)
    if given[0] == "ops":
        if unknown := [name for name in given[1:] if name.startswith("-")]:
            return complain(f"ops takes names of operators, not {unknown[0]}")
        from . import _operators  # loaded when first used

        return printing(lambda: _operators.run(given[1:]))
    if given[0] == "native":
        from .native import command  # loaded when first used

        if len(given) < 2 or given[1] not in command.ACTIONS or len(given) > (4 if given[1] == "build" else 2):
            return complain(f"native takes one of {', '.join(command.ACTIONS)}")
        return printing(lambda: command.run(given[1:]))
    if given[0] == "explore":
        from .show import command as exploring  # loaded when first used

        return exploring.run(given[1:])
    if given[0] == "run":
        rest = [each for each in given[1:4] if each not in ("--explain", "--watch", "-i")] + given[4:]
        if rest[:1] in (["-m"], ["-c"]) and len(rest) == 1:
            return complain("run needs a script, or -m and a module, or -c and code")
        if given[1:] and given[1].startswith("--nproc"):
            from .distributed import launch  # loaded when first used

            return launch.run(given[1:])
        from ._torch import run  # loaded when first used

        return run.run(given[1:])
    if given[0] == "kernel":
        from ._torch import kernel  # loaded when first used

        return kernel.run(given[1:])
    if given[0] == "torchrun":
        from .distributed import launch  # loaded when first used

        return launch.torchrun(given[1:])
    return complain(f"unknown command: {given[0]}")


def printing(command: Callable[[], int | None]) -> int:
    """Run a command whose reader (head, less) may go before it ends: that is not our failure."""
    try:
        return command() or 0
    except BrokenPipeError:  # stdout points elsewhere from here on, so that closing it is silent
        sys.stdout = open("/dev/null", "w") if sys.platform != "win32" else open("NUL", "w")  # noqa: SIM115
        return 0


def complain(message: str) -> int:
    print(f"facula: {message}\n\n{USAGE}", end="", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
