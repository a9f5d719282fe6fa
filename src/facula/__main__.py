"""The command ``facula``, also ``python -m facula``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

USAGE = """\
usage: facula [--version] [--help] <command>

commands:
  run script.py [args...]    run a program that imports torch on facula; also run -m module [args...]
  tour                       a guided tour of the library in the terminal (under 3 seconds)

options:
  --version    print the version
  --help       print this help

In a program: import facula as torch
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 if the command line is wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0 if given else 2
    if given[0] in ("-V", "--version"):
        from . import __version__

        print(f"facula {__version__}")
        return 0
    if given[0] == "tour":
        if len(given) > 1:
            return complain(f"tour takes no arguments, but got: {' '.join(given[1:])}")
        from . import tour

        try:
            tour.run()
        except BrokenPipeError:
            # The reader (head, less) has gone: not our failure. Point stdout elsewhere, so that closing it is silent.
            sys.stdout = open("/dev/null", "w") if sys.platform != "win32" else open("NUL", "w")  # noqa: SIM115
        return 0
    if given[0] == "run":
        if len(given) == 1 or (given[1] in ("-m", "-c") and len(given) == 2):
            return complain("run needs a script, or -m and a module, or -c and code")
        from ._torch import run

        return run.run(given[1:])
    return complain(f"unknown command: {given[0]}")


def complain(message: str) -> int:
    print(f"facula: {message}\n\n{USAGE}", end="", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
