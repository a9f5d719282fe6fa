"""Small files that would take long to print, to hash or to hold: each is refused at once, in documented words.

Set ``FACULA_FUZZ_SECONDS`` to damage files for longer, ``FACULA_FUZZ_SEED`` to repeat a run.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import struct
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from facula.serialization._save import MAGIC_NUMBER, PROTOCOL_VERSION

from .test_attacks import FOUR, PROTO, archive, load, run, storage, tensor, text, whole

DOCUMENTED = (pickle.UnpicklingError, RuntimeError, EOFError, AssertionError, UnicodeDecodeError)


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """None of these may take long."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def too_late(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(100)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def tower(width: int = 10, height: int = 9, of: bytes = b"l") -> bytes:
    """A list of references to a list of references ...: ``width ** height`` items for who walks through it."""
    program = b"K\x01q\x00"
    for level in range(height):
        program += b"0(" + (b"h" + bytes([level])) * width + of + b"q" + bytes([level + 1])
    return program


HUGE = b"\x8b" + struct.pack("<i", 2000) + b"\x7f" * 2000
"""A whole number of nearly five thousand digits, which Python refuses to print."""


def named(key: bytes = text("0"), location: bytes = text("cpu"), numel: bytes = whole(4)) -> bytes:
    return b"(" + text("storage") + b"ctorch\nFloatStorage\n" + key + location + numel + b"tQ."


@pytest.mark.parametrize("value", [tower(), HUGE], ids=["tower", "huge"])
@pytest.mark.parametrize(
    "program",
    [
        lambda v: named(key=v),
        lambda v: named(location=v),
        lambda v: named(numel=v),
        lambda v: v + b")R.",
        lambda v: b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage() + v + b"))\x89ccollections\nOrderedDict\n)RtR.",
        lambda v: b"ctorch.serialization\n_get_layout\n(" + v + b"tR.",
        lambda v: b"(" + v + b"tQ.",
    ],
    ids=["key", "location", "numel", "function", "offset", "layout", "id"],
)  # fmt: skip
def test_messages_are_short(program: Any, value: bytes) -> None:
    with pytest.raises(DOCUMENTED) as refused:
        run(program(value), _0=FOUR)
    assert len(str(refused.value)) < 3000


@pytest.mark.parametrize("value", [tower(), HUGE], ids=["tower", "huge"])
@pytest.mark.parametrize("at", [1, 4])
def test_messages_about_old_files_are_short(value: bytes, at: int) -> None:
    contents: list[Any] = [MAGIC_NUMBER, PROTOCOL_VERSION, {}, {}, []]
    parts = [pickle.dumps(v, 2) for v in contents]
    parts[at] = PROTO + (b"]" + value + b"a." if at == 4 else value + b".")
    with pytest.raises(DOCUMENTED) as refused:
        load(b"".join(parts))
    assert len(str(refused.value)) < 3000


@pytest.mark.parametrize(
    "ending", [b"}h\x12K\x01s.", b"\x8f(h\x12\x90.", b"(h\x12\x91."], ids=["dict", "set", "frozen"]
)
def test_keys_that_would_take_long_to_hash(ending: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match="nested too deep"):
        run(b"\x80\x04" + tower(3, 18, b"t") + b"0" + ending)


def test_a_tensor_shown_many_times_over_takes_no_memory() -> None:
    """2**40 elements over 16 bytes: as they are, conjugated, and of another dtype."""
    plain = tensor(size=(2**40,), stride=(0,))
    assert run(plain, _0=FOUR).shape == (2**40,)
    bits = b"}" + text("neg") + b"\x88s"
    found = run(plain[:-3] + bits + b"tR.", _0=FOUR)
    assert found.shape == (2**40,) and float(found[5]) == 0.0 and found.untyped_storage().nbytes() < 100
    assert found.is_neg()
    with pytest.raises(DOCUMENTED):
        run(plain[:-3] + bits.replace(text("neg"), text("conj")) + b"tR.", _0=FOUR)
    cast = b"ctorch._utils\n_rebuild_device_tensor_from_cpu_tensor\n(" + plain[:-1] + b"ctorch\nfloat64\n"
    with pytest.raises(DOCUMENTED):
        run(cast + text("cpu") + b"\x89tR.", _0=FOUR)


@pytest.mark.parametrize(
    "call",
    [
        b"c_codecs\nencode\n(" + b"X\x03\x00\x00\x00\xed\xa0\x80" + text("latin1") + b"tR.",
        b"cbuiltins\ncomplex\n(" + HUGE + HUGE + b"tR.",
    ],
    ids=["surrogate", "complex"],
)
def test_calls_that_fail(call: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError):
        run(call)


def test_damaged_files_end_in_documented_errors() -> None:
    """Other files in each run: programs of random instructions, and good ones with random damage."""
    seed = int(os.environ.get("FACULA_FUZZ_SEED", random.SystemRandom().randrange(2**32)))
    chance = random.Random(seed)
    until = time.monotonic() + float(os.environ.get("FACULA_FUZZ_SECONDS", "5"))
    values = [
        b"K\x01", b"N", b"\x88", b"]", b"}", b")", b"(", b"\x8f", HUGE, text("a"), text("storage"), whole(2**62),
        whole(-1), storage(), tensor()[:-1], b"ccollections\nOrderedDict\n", b"ctorch._utils\n_rebuild_tensor_v2\n",
        b"ctorch._utils\n_rebuild_parameter\n", b"ctorch\nSize\n", b"c_codecs\nencode\n", b"cbuiltins\ncomplex\n",
        b"ctorch.serialization\n_get_layout\n", b"ctorch\nfloat32\n", tower(4, 4)[:-1], b"cbuiltins\nbytearray\n",
    ]  # fmt: skip
    actions = [b"t", b"l", b"d", b"R", b"b", b"s", b"u", b"a", b"e", b"Q", b"0", b"2", b"\x81", b"\x85", b"\x86",
               b"\x87", b"q\x01", b"h\x01", b"\x90", b"\x91", b"\x93", b"\x94"]  # fmt: skip
    modules = set(sys.modules)
    count = 0
    while time.monotonic() < until:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(100)  # for each file
        if chance.random() < 0.5:
            program = PROTO + b"".join(chance.choice(values + actions * 2) for _ in range(chance.randint(1, 30))) + b"."
        else:
            changed = bytearray(PROTO + tensor())
            for _ in range(chance.randint(1, 4)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            program = bytes(changed)
        try:
            load(archive(program, _0=FOUR))
        except DOCUMENTED as error:
            assert len(str(error)) < 5000, f"seed {seed}: {program!r}"
        except Exception as error:
            raise AssertionError(f"seed {seed}: {program!r} ends in {type(error).__name__}: {error}") from error
        count += 1
    assert count
    assert {name for name in set(sys.modules) - modules if not name.startswith("facula.")} <= {"ml_dtypes"}
