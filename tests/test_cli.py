"""The command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

import facula
from facula.__main__ import main


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"facula {facula.__version__}\n"


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    printed = capsys.readouterr()
    assert "usage: facula" in printed.out
    assert "tour" in printed.out
    assert printed.err == ""


def test_no_command_shows_the_usage_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: facula" in capsys.readouterr().out


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fly"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("facula: unknown command: fly\n")


def test_surplus_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tour", "abroad"]) == 2
    assert "tour takes no arguments" in capsys.readouterr().err


def test_python_dash_m() -> None:
    done = subprocess.run([sys.executable, "-m", "facula", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"facula {facula.__version__}\n")
    done = subprocess.run([sys.executable, "-m", "facula", "fly"], capture_output=True, text=True)
    assert done.returncode == 2
