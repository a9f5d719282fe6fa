"""What SECURITY.md promises of files, watched by Python's own audit of what a process does."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

import facula
from facula import safetensors

WATCHED = """
import io, pathlib, random, sys
import facula
from facula import safetensors
from tests.test_attacks import FOUR, PROTO, archive, harmful, tensor

folder = pathlib.Path(sys.argv[1])
good = {"a": facula.arange(6.0).reshape(2, 3), "b": facula.nn.Parameter(facula.ones(2)), "c": [1, "x", facula.float32]}
facula.save(good, folder / "good.pt")
facula.save(good, folder / "old.pt", _use_new_zipfile_serialization=False)
safetensors.save_file({"a": good["a"]}, folder / "good.safetensors")
hostile = [archive(PROTO + program, _0=FOUR) for program in harmful(folder / "was here").values()]
hostile += [PROTO + program for program in harmful(folder / "was here").values()]
chance = random.Random(0)
for name in ("good.pt", "old.pt", "good.safetensors"):
    whole = (folder / name).read_bytes()
    for _ in range(100):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 9)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        hostile.append(bytes(damaged[: chance.randrange(len(damaged) + 1)]))
files = []
for i, data in enumerate(hostile):
    files.append(folder / f"{i}.file")
    files[-1].write_bytes(data)

def read(path):
    ended = []
    for reader in (facula.load, lambda p: facula.load(p, mmap=True), lambda p: facula.load(io.BytesIO(p.read_bytes())),
                   safetensors.load_file):
        try:
            reader(path)
            ended.append("returned")
        except Exception as error:
            ended.append("raised")
    return ended

first = [read(folder / name) for name in ("good.pt", "old.pt", "good.safetensors")]
for path in files:  # what facula loads of itself when it is first needed
    read(path)
modules = set(sys.modules)
seen = []

def watch(event, arguments):
    if event == "open" and not any(c in str(arguments[1] or "r") for c in "wax+") and not arguments[2] & 3:
        return  # for reading
    if event.partition(".")[0] in ("open", "os", "shutil", "subprocess", "socket", "import", "exec", "compile", "pty",
                                   "ctypes", "urllib", "tempfile", "marshal", "signal", "pickle"):
        seen.append((event, str(arguments)[:200]))

sys.addaudithook(watch)
outcomes = [read(path) for path in files]
print(sorted({event for event in seen}), sorted(set(sys.modules) - modules), (folder / "was here").exists())
print(first, {end for each in outcomes for end in each})
"""


def test_files_run_import_write_and_send_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    command = [sys.executable, "-W", "ignore", "-c", WATCHED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr
    seen, ended = done.stdout.splitlines()
    assert seen == "[] [] False"
    assert ended.startswith("[['returned', 'returned', 'returned', 'raised'], ['returned',") and "raised" in ended


def test_only_what_is_named_is_called() -> None:
    from .test_attacks import run, text

    called = []

    def mine(word: str) -> str:
        called.append(word)
        return word.upper()

    program = b"c__main__\nmine\n" + text("word") + b"\x85R."
    with facula.serialization.safe_globals([(mine, "__main__.mine")]):
        assert run(program) == "WORD"
    assert called == ["word"]
    with pytest.raises(pickle.UnpicklingError, match=r"__main__\.mine"):
        run(program)
    assert called == ["word"]


def test_reading_takes_little_more_memory_than_the_file(tmp_path: Path) -> None:
    tensors = {"a": facula.zeros(1 << 21), "b": facula.zeros(1 << 20)}
    facula.save(tensors, tmp_path / "model.pt")
    safetensors.save_file(tensors, tmp_path / "model.safetensors")
    for reader, name in ((facula.load, "model.pt"), (safetensors.load_file, "model.safetensors")):
        reader(tmp_path / name)
        tracemalloc.start()
        try:
            kept = reader(tmp_path / name)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        size = (tmp_path / name).stat().st_size
        assert size > 12e6 and peak < 1.1 * size and len(kept) == 2, name


def test_training_opens_no_connection() -> None:
    code = """
import sys
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event) if event.startswith(("socket", "urllib")) else None)
import facula as torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(3, 2)).sum().backward()
optimizer.step()
print(seen)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
