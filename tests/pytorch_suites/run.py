"""Tests of a file, one after another, in processes that may die or hang."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .outcomes import Outcome

TIME_TO_LOAD, TIME_TO_END = 300, 5


class Unanswered(Exception):
    """A process died or took too long."""


class Process:
    """A worker, asked line by line."""

    def __init__(self, library: str, directory: Path, file: str, time_to_load: float) -> None:
        command = [sys.executable, "-m", "tests.pytorch_suites.worker", library, str(directory.resolve()), file]
        self.folder = tempfile.TemporaryDirectory(prefix="suite-")  # what tests write to where they are
        self.process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder.name,
            env=environment(library),
        )
        assert self.process.stdin is not None and self.process.stdout is not None and self.process.stderr is not None
        self.questions, self.answers, self.complaining = self.process.stdin, self.process.stdout, self.process.stderr
        self.selector = selectors.DefaultSelector()
        for stream in (self.answers, self.complaining):
            self.selector.register(stream, selectors.EVENT_READ)
        self.complaints = b""
        self.rest = b""
        self.tests: list[str] = self.answer(time_to_load)

    def ask(self, test: str, limit: float) -> Outcome:
        with suppress(BrokenPipeError):  # there will be no answer
            self.questions.write(f"{test}\n".encode())
        result, why = self.answer(limit)
        return result, why

    def answer(self, limit: float) -> Any:
        """The next line; ``Unanswered`` with ``hang`` or ``died`` if none comes."""
        end = time.monotonic() + limit
        while b"\n" not in self.rest:
            ready = self.selector.select(max(end - time.monotonic(), 0))
            if not ready:
                self.process.kill()
                self.end()
                raise Unanswered("hang", f"no answer within {limit:g} s")
            for key, _ in ready:
                read = os.read(key.fd, 1 << 16)
                if key.fileobj is self.complaining:
                    self.complaints = (self.complaints + read)[-4096:]
                    if not read:
                        self.selector.unregister(key.fileobj)
                elif read:
                    self.rest += read
                else:
                    self.end()
                    said = self.complaints.decode(errors="replace").strip().splitlines()
                    raise Unanswered("died", f"status {self.process.returncode}: {said[-1] if said else ''}")
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def end(self) -> None:
        """Let it end by itself if it is about to."""
        self.questions.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(TIME_TO_END)
        self.process.kill()
        self.process.wait()
        for resource in (self.answers, self.complaining, self.selector):
            resource.close()
        self.folder.cleanup()


def environment(library: str) -> dict[str, str]:
    """Where processes find this package; and with facula, that ``torch`` is facula in them and in those they start."""
    root = Path(__file__).parents[2]
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    if library == "facula":
        paths = [str(Path(__file__).parent / "torch_is_facula"), str(root / "src"), *paths]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def run(
    library: str,
    directory: Path,
    file: str,
    choose: Callable[[list[str]], Iterable[str]],
    limit: float = 60,
    tell: Callable[[str, Outcome], None] = lambda test, outcome: None,
) -> list[str]:
    """Ask for the outcomes of the tests that are chosen of the file's tests, which are returned."""
    process: Process | None = Process(library, directory, file, TIME_TO_LOAD)
    assert process is not None
    tests = process.tests
    for test in choose(tests):
        if process is None:
            process = Process(library, directory, file, TIME_TO_LOAD)
        if test not in process.tests:
            tell(test, ("fail", "it is not there"))
            continue
        try:
            tell(test, process.ask(test, limit))
        except Unanswered as error:
            process = None
            tell(test, (error.args[0], error.args[1]))
    if process is not None:
        process.end()
    return tests
