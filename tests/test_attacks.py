"""Files made by hand to do harm: each is refused with an error, runs nothing that it names, and gets no memory."""

from __future__ import annotations

import io
import pickle
import random
import struct
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula
from facula import safetensors

PROTO = b"\x80\x02"
FOUR = np.arange(4, dtype=np.float32).tobytes()


@pytest.fixture(autouse=True)
def limits() -> Iterator[None]:
    """Whoever takes more than 2 GB of address space beyond what is in use gets a MemoryError."""
    if sys.platform != "linux":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**31, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def archive(program: bytes, compression: int = zipfile.ZIP_STORED, /, **storages: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        file.writestr("archive/data.pkl", program)
        file.writestr("archive/version", "3\n")
        file.writestr("archive/byteorder", sys.byteorder)
        for key, data in storages.items():
            file.writestr(f"archive/data/{key.removeprefix('_')}", data)
    return out.getvalue()


def load(data: bytes, **options: Any) -> Any:
    return facula.load(io.BytesIO(data), **options)


def run(program: bytes, **storages: bytes) -> Any:
    return load(archive(PROTO + program, **storages))


def whole(n: int) -> bytes:
    return b"\x8a\x10" + n.to_bytes(16, "little", signed=True)


def text(s: str) -> bytes:
    return b"X" + struct.pack("<I", len(s.encode())) + s.encode()


def storage(key: str = "0", numel: int = 4, kind: bytes = b"ctorch\nFloatStorage\n") -> bytes:
    return b"(" + text("storage") + kind + text(key) + text("cpu") + whole(numel) + b"tQ"


def tensor(
    numel: int = 4, offset: int = 0, size: tuple[int, ...] = (4,), stride: tuple[int, ...] = (1,),
    grad: bytes = b"\x89", kind: bytes = b"ctorch\nFloatStorage\n",
) -> bytes:  # fmt: skip
    sizes, strides = (b"(" + b"".join(map(whole, n)) + b"t" for n in (size, stride))
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage(numel=numel, kind=kind) + whole(offset) + sizes + strides
        + grad + b"ccollections\nOrderedDict\n)RtR."
    )  # fmt: skip


def test_the_tools_make_good_files_too() -> None:
    assert run(tensor(), _0=FOUR).tolist() == [0, 1, 2, 3]
    assert run(tensor(offset=1, size=(2, 2), stride=(1, 1)), _0=FOUR).tolist() == [[1, 2], [2, 3]]


# ---- programs that want to run something


def harmful(target: Path) -> dict[str, bytes]:
    command = text(f"touch {target}")
    code = text(f"open({str(target)!r}, 'w')")
    return {
        "REDUCE os.system": b"cos\nsystem\n" + command + b"\x85R.",
        "REDUCE posix.system": b"cposix\nsystem\n" + command + b"\x85R.",
        "REDUCE nt.system": b"cnt\nsystem\n" + command + b"\x85R.",
        "REDUCE eval": b"c__builtin__\neval\n" + code + b"\x85R.",
        "REDUCE exec": b"cbuiltins\nexec\n" + code + b"\x85R.",
        "REDUCE getattr": b"cbuiltins\ngetattr\nctorch\nTensor\n" + text("__class__") + b"\x86R.",
        "REDUCE import": b"cbuiltins\n__import__\n" + text("antigravity") + b"\x85R.",
        "REDUCE subprocess": b"csubprocess\nPopen\n(" + text("touch") + text(str(target)) + b"l\x85R.",
        "STACK_GLOBAL": text("os") + text("system") + b"\x93" + command + b"\x85R.",
        "STACK_GLOBAL below": text("os.path") + text("os.system") + b"\x93" + command + b"\x85R.",
        "STACK_GLOBAL not str": b"K\x01K\x02\x93.",
        "dotted name": b"ctorch\nos.system\n" + command + b"\x85R.",
        "dotted allowed name": b"ctorch\nTensor.__init__\n)R.",
        "INST": b"(" + command + b"ios\nsystem\n.",
        "OBJ": b"(cos\nsystem\n" + command + b"o.",
        "NEWOBJ": b"cos\nsystem\n" + command + b"\x85\x81.",
        "NEWOBJ of a class that is known": b"csubprocess\nPopen\n" + command + b"\x85\x81.",
        "NEWOBJ_EX": b"csubprocess\nPopen\n" + command + b"\x85}\x92.",
        "NEWOBJ Tensor": b"ctorch\nTensor\n" + whole(10**12) + b"\x85\x81.",
        "REDUCE Tensor": b"ctorch\nTensor\n" + whole(10**12) + b"\x85R.",
        "REDUCE storage": b"ctorch.storage\nUntypedStorage\n" + whole(10**12) + b"\x85R.",
        "BUILD of a function": b"ctorch._utils\n_rebuild_tensor_v2\n}b.",
        "BUILD of a class": b"ctorch\nTensor\n}" + text("__reduce__") + b"Nsb.",
        "BUILD of a list": b"]}" + text("x") + b"Nsb.",
        "BUILD of a dict with code": b"}}" + text("__class__") + b"Nsb.",
        "BUILD of an OrderedDict with no dict": b"ccollections\nOrderedDict\n)R]b.",
        "call of a tensor": tensor()[:-1] + b")R.",
        "call of a dtype": b"ctorch\nfloat32\n)R.",
        "call of a string": text("x") + b")R.",
        "function within": b"ctorch._tensor\n_rebuild_from_type_v2\n(cbuiltins\nbytearray\nctorch\nTensor\n"
        + whole(10**12) + b"\x85}tR.",
        "class within": b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nccollections\n"
        b"OrderedDict\n)}tR.",
        "codec": b"c_codecs\nencode\n" + text("x") + text("punycode") + b"\x86R.",
        "EXT": b"\x82\x01.",
        "PERSID": b"Pos.system\n.",
        "storage of any type": storage(kind=b"ccollections\nOrderedDict\n") + b".",
        "a number for a storage": b"K\x03Q.",
        "a string for a storage": text("a") + b"Q.",
        "a tuple of anything": b"(K\x01K\x02tQ.",
        "facula by its own name": b"cfacula._device\ndevice\n" + text("cpu") + b"\x85R.",
    }  # fmt: skip


@pytest.mark.parametrize("name", list(harmful(Path("x"))))
def test_no_code_runs(name: str, tmp_path: Path) -> None:
    target = tmp_path / "was here"
    with pytest.raises((pickle.UnpicklingError, RuntimeError, AssertionError)) as caught:
        run(harmful(target)[name], _0=FOUR)
    assert not target.exists()
    assert str(caught.value)
    with pytest.raises((pickle.UnpicklingError, RuntimeError, AssertionError)):
        facula.load(io.BytesIO(PROTO + harmful(target)[name]))  # the form without a container
    assert not target.exists()


def test_a_module_is_not_even_imported() -> None:
    sys.modules.pop("antigravity", None)
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL antigravity\.fly was not an allowed global"):
        run(b"cantigravity\nfly\n)R.")
    assert "antigravity" not in sys.modules


def test_the_words_are_pytorchs() -> None:
    with pytest.raises(pickle.UnpicklingError) as caught:
        run(b"cposix\nsystem\n" + text("ls") + b"\x85R.")
    message = str(caught.value)
    assert message.startswith("Weights only load failed. In PyTorch 2.6, we changed the default value")
    assert "\n\n\nTrying to load unsupported GLOBAL posix.system whose module posix is blocked.\n\nCheck the" in message
    with pytest.raises(pickle.UnpicklingError, match="WeightsUnpickler error: \n\nUnsupported operand 105"):
        run(b"i__main__\nC\n.")


def test_attributes_go_past_descriptors() -> None:
    """A file cannot reach a tensor's inner parts by calling them attributes."""
    state = b"}(" + text("_array") + b"N" + text("data") + b"K\x01u"
    program = (
        b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nctorch\nTensor\n("
        + storage() + b"K\x00K\x04\x85K\x01\x85\x89Nt" + state + b"tR."
    )  # fmt: skip
    found = run(program, _0=FOUR)
    assert (found + 1).tolist() == [1, 2, 3, 4]


# ---- programs that want memory or time


@pytest.mark.parametrize(
    "program",
    [
        b"cbuiltins\nbytearray\n" + whole(10**12) + b"\x85R.",
        b"X" + struct.pack("<I", 2**32 - 1) + b"short.",
        b"\x8d" + struct.pack("<Q", 2**63) + b"short.",
        b"\x8b" + struct.pack("<i", 2**31 - 1) + b"\x01.",
        b"\x8b" + struct.pack("<i", -5) + b"\x01.",
        b"B" + struct.pack("<I", 2**32 - 1) + b"short.",
        b"\x8e" + struct.pack("<Q", 2**62) + b"short.",
        b"\x96" + struct.pack("<Q", 2**62) + b"short.",
        b"T" + struct.pack("<i", -1) + b"short.",
        b"c" + b"x" * 10_000,
    ],
)
def test_announced_lengths_are_not_believed(program: bytes) -> None:
    with pytest.raises((pickle.UnpicklingError, EOFError)):
        run(program)


def test_a_far_place_in_the_memo_costs_nothing() -> None:
    assert run(b"K\x01r\xff\xff\xff\x7f0j\xff\xff\xff\x7f.") == 1


def test_a_tree_of_shared_lists_stays_small() -> None:
    """Each list holds the one before ten times: 10**40 leaves, told in 40 lists."""
    program = b"]q\x00"
    for i in range(40):
        program += b"](" + b"h" + bytes([i]) + (b"h" + bytes([i])) * 9 + b"eq" + bytes([i + 1])
    found = run(b"(" + program + b"t.")
    assert len(found[-1]) == 10 and found[-1][0] is found[-1][9]


@pytest.mark.parametrize("depth", [100_000])
@pytest.mark.parametrize(("open_", "close"), [(b"]", b"a"), (b"", b"\x85"), (b"}K\x01", b"s"), (b"(", b"t")])
def test_deep_nesting(depth: int, open_: bytes, close: bytes) -> None:
    found: Any = run(open_ * depth + b"N" + close * depth + b".")
    levels = 0
    while found is not None:
        found = found[1] if isinstance(found, dict) else found[0]
        levels += 1
    assert levels == depth


def test_a_deep_key_is_refused() -> None:
    """Hashing it would go down without looking at the depth."""
    with pytest.raises(pickle.UnpicklingError, match="nested too deep"):
        run(b"}N" + b"\x85" * 100_000 + b"K\x01s.")
    with pytest.raises(pickle.UnpicklingError, match="nested too deep"):
        run(b"\x8f(N" + b"\x85" * 100_000 + b"\x90.")


@pytest.mark.parametrize(
    "program",
    [
        b"", b"K", b"Kx", b".", b"0.", b"t.", b"\x85.", b"h\x05.", b"q\x00.", b"R.", b"b.", b"\x81.", b"Q.", b"u.",
        b"s.", b"a.", b"e.", b"}(K\x01u.", b"}]K\x01s.", b"K\x01(e.", b"K\x01K\x02\x86R.", b"\xff.", b"cos.",
        b"K\x01K\x01K\x01s.",
        b"X\x02\x00\x00\x00\xff\xfe.", b"]]\x90.",
    ],
)  # fmt: skip
def test_nonsense(program: bytes) -> None:
    with pytest.raises((pickle.UnpicklingError, EOFError, UnicodeDecodeError)):
        run(program)


@pytest.mark.parametrize("program", [b"\x80\x09N.", b"\x80"])
def test_unknown_protocols(program: bytes) -> None:
    with pytest.raises((pickle.UnpicklingError, EOFError)):
        load(archive(program))


# ---- tensors that reach where they may not


@pytest.mark.parametrize(
    ("described", "message"),
    [
        (tensor(numel=8), r"record size \(16 bytes\) does not match expected size \(32 bytes"),
        (tensor(numel=2, size=(2,)), r"record size \(16 bytes\) does not match expected size \(8 bytes"),
        (tensor(numel=2**62), "does not match expected size"),
        (tensor(numel=-4), "a storage's key, location and size are wrong"),
        (tensor(kind=b"ctorch\nDoubleStorage\n"), "does not match expected size"),
        (tensor(offset=-1), "Tensor: invalid storage offset -1"),
        (tensor(offset=1), "are out of bounds for storage of size 16"),
        (tensor(offset=2**62, size=(1,)), "are out of bounds for storage of size 16"),
        (tensor(size=(5,)), "are out of bounds for storage of size 16"),
        (tensor(stride=(2,)), "are out of bounds for storage of size 16"),
        (tensor(stride=(-1,)), r"Storage size calculation overflowed with sizes=\[4\] and strides=\[-1\]"),
        (tensor(stride=(2**62,)), "are out of bounds"),
        (tensor(size=(-1,)), "negative dimension -1"),
        (tensor(size=(2**40, 2**40), stride=(0, 0)), "numel: integer multiplication overflow"),
        (tensor(size=(2**62,), stride=(0,)), "facula cannot hold a tensor"),
        (tensor(size=(1,) * 100, stride=(1,) * 100), "facula cannot hold a tensor"),
        (tensor(size=(2, 2)), r"unequal size length \(2\) and stride length \(1\)"),
        (tensor(kind=b"ctorch\nIntStorage\n", grad=b"\x88"), "only Tensors of floating point and complex dtype"),
    ],
)
def test_tensors_stay_within_their_storage(described: bytes, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        run(described, _0=FOUR)


def test_a_storage_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed locating file data/0: file not found"):
        run(tensor())


def test_a_storage_by_the_name_of_another_record() -> None:
    for key in ("../version", "../data.pkl", "/etc/passwd", "..\\x", ""):
        with pytest.raises(RuntimeError, match="failed locating file"):
            run(b"(" + text("storage") + b"ctorch\nByteStorage\n" + text(key) + text("cpu") + whole(2) + b"tQ.")


# ---- containers that lie


def good() -> bytearray:
    return bytearray(archive(PROTO + tensor(), _0=FOUR))


def entry(data: bytearray, name: str) -> int:
    """Where the directory tells of a record."""
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        length = struct.unpack("<H", data[at + 28 : at + 30])[0]
        if data[at + 46 : at + 46 + length].decode() == name:
            return at
        at = data.find(b"PK\x01\x02", at + 4)
    raise KeyError(name)


@pytest.mark.parametrize("every", [1, 7])
def test_truncated_files(every: int) -> None:
    data = bytes(good())
    for length in range(0, len(data), every):
        with pytest.raises((RuntimeError, EOFError, pickle.UnpicklingError)):
            load(data[:length])


def test_truncated_legacy_files() -> None:
    file = io.BytesIO()
    facula.save({"a": facula.arange(3.0)}, file, _use_new_zipfile_serialization=False)
    data = file.getvalue()
    for length in range(len(data)):
        with pytest.raises((RuntimeError, EOFError, pickle.UnpicklingError)):
            load(data[:length])


def test_legacy_files_that_announce_too_much() -> None:
    heads: list[Any] = [0x1950A86A20F9469CFC6C, 1001, {}]
    start = b"".join(pickle.dumps(v, 2) for v in heads)
    name = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + whole(2**40) + b"NtQ."
    with pytest.raises(RuntimeError, match="unexpected EOF"):
        load(start + PROTO + name + pickle.dumps(["0"], 2) + struct.pack("<q", 2**40))
    small = name.replace(whole(2**40), whole(4))
    for count in (5, -1, 2**62):
        with pytest.raises(RuntimeError, match=r"storage has wrong byte size|unexpected EOF"):
            load(start + PROTO + small + pickle.dumps(["0"], 2) + struct.pack("<q", count) + FOUR)
    with pytest.raises(RuntimeError, match="not those that its tensors need"):
        load(start + PROTO + small + pickle.dumps(["1"], 2) + struct.pack("<q", 4) + FOUR)
    with pytest.raises(RuntimeError, match="Invalid magic number"):
        load(pickle.dumps(5, 2))


def test_a_wrong_checksum() -> None:
    data = good()
    data[data.find(FOUR) + 5] ^= 1
    with pytest.raises(RuntimeError, match="failed reading file data/0: CRC-32 check failed"):
        load(bytes(data))


def test_a_zip_bomb() -> None:
    zeros = bytes(50_000_000)
    data = archive(PROTO + tensor(numel=12_500_000), zipfile.ZIP_DEFLATED, _0=zeros)
    assert len(data) < 100_000
    with pytest.raises(RuntimeError, match="it is compressed, which records of checkpoints never are"):
        load(data)


@pytest.mark.parametrize("field", [20, 24], ids=["packed", "unpacked"])
@pytest.mark.parametrize("size", [0, 8, 15, 17, 10_000, 2**31, 2**32 - 2, 2**32 - 1])
def test_sizes_that_lie(field: int, size: int) -> None:
    data = good()
    at = entry(data, "archive/data/0")
    data[at + field : at + field + 4] = struct.pack("<I", size)
    with pytest.raises(RuntimeError):
        load(bytes(data))
    data[at + 20 : at + 28] = struct.pack("<II", size, size)
    with pytest.raises(RuntimeError):
        load(bytes(data))


def test_offsets_that_lie() -> None:
    data = good()
    at = entry(data, "archive/data/0")
    for offset in (0, 1, 10, len(data) - 1, len(data), 2**31, 2**32 - 2, 2**32 - 1):
        data[at + 42 : at + 46] = struct.pack("<I", offset)
        with pytest.raises(RuntimeError):
            load(bytes(data))


def test_records_that_overlap() -> None:
    data = good()
    first, second = entry(data, "archive/data.pkl"), entry(data, "archive/version")
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    with pytest.raises(RuntimeError, match="overlap"):
        load(bytes(data))


def test_two_records_of_one_name() -> None:
    out = io.BytesIO(archive(PROTO + tensor(), _0=FOUR))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(out, "a") as file:
        file.writestr("archive/data/0", bytes(16))
    with pytest.raises(RuntimeError, match="it has two records of the name archive/data/0"):
        load(out.getvalue())


@pytest.mark.parametrize("name", ["archive/../../etc/x", "/etc/passwd", "archive/a\\..\\b", "archive/..", "../x/y"])
def test_names_that_climb(name: str) -> None:
    out = io.BytesIO(archive(PROTO + tensor(), _0=FOUR))
    with zipfile.ZipFile(out, "a") as file:
        file.writestr(name, b"x")
    with pytest.raises(RuntimeError, match="invalid filename"):
        load(out.getvalue())


def test_two_folders_and_none() -> None:
    out = io.BytesIO(archive(PROTO + tensor(), _0=FOUR))
    with zipfile.ZipFile(out, "a") as file:
        file.writestr("other/data.pkl", PROTO + b"N.")
    with pytest.raises(RuntimeError, match="its records are in several folders"):
        load(out.getvalue())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("data.pkl", PROTO + b"N.")
    with pytest.raises(RuntimeError, match=r"file in archive is not in a subdirectory: data\.pkl"):
        load(out.getvalue())


def test_the_two_names_of_a_record_differ() -> None:
    data = good()
    at = data.find(b"archive/data/0")
    data[at : at + 14] = b"archive/data/1"
    with pytest.raises(RuntimeError, match="its two names differ"):
        load(bytes(data))


def test_directories_that_lie() -> None:
    for field, form in ((8, "<H"), (10, "<H"), (12, "<I"), (16, "<I"), (4, "<H")):
        for value in (1, 7, 2**15, 2**16 - 1, 2**31, 2**32 - 1):
            if form == "<H" and value >= 2**16:
                continue
            data = good()
            at = data.rfind(b"PK\x05\x06") + field
            if struct.unpack_from(form, data, at)[0] == value:
                continue
            struct.pack_into(form, data, at, value)
            with pytest.raises((RuntimeError, EOFError)):
                load(bytes(data))


def test_versions_and_byte_orders() -> None:
    for name, value, message in (
        ("version", "99", "maximum supported version for reading is 10"),
        ("version", "x", "Couldn't parse the version"),
        ("byteorder", "middle", "Unknown endianness type: middle"),
    ):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for record, content in {"data.pkl": "N.", "version": "3", "byteorder": "little", name: value}.items():
                file.writestr(f"a/{record}", content)
        with pytest.raises((RuntimeError, ValueError), match=message):
            load(out.getvalue())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a/data.pkl", "N.")
    with pytest.raises(RuntimeError, match=r'Expected hasRecord\("version"\) to be true'):
        load(out.getvalue())


def test_torchscript_is_not_run() -> None:
    out = io.BytesIO(archive(PROTO + b"N."))
    with zipfile.ZipFile(out, "a") as file:
        file.writestr("archive/constants.pkl", PROTO + b"N.")
    with pytest.raises(RuntimeError, match="Cannot use ``weights_only=True`` with TorchScript archives"):
        load(out.getvalue())


CLEAR_ERRORS = (RuntimeError, EOFError, pickle.UnpicklingError, UnicodeDecodeError, AssertionError, ValueError)


def test_random_damage_never_runs_anything() -> None:
    """Any byte may be wrong: the result is a value or a clear error, and no module is loaded for it."""
    modules = set(sys.modules)
    chance = random.Random(0)
    original = good()
    for _ in range(1500):
        data = bytearray(original)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            load(bytes(data))
        except CLEAR_ERRORS as error:
            assert str(error)
    program = PROTO + tensor()
    for _ in range(3000):
        changed = bytearray(program)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        try:
            load(archive(bytes(changed), _0=FOUR))
        except CLEAR_ERRORS as error:
            assert str(error)
    assert set(sys.modules) - modules <= {"ml_dtypes"}


# ---- safetensors


def packed(header: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "HeaderTooSmall"),
        (b"\x01\x02", "HeaderTooSmall"),
        (packed(b"{}", length=2**63), "HeaderTooLarge"),
        (packed(b"{}", length=50), "InvalidHeaderLength"),
        (packed(b"[]"), "InvalidHeaderStart"),
        (packed(b"{"), "InvalidHeaderDeserialization"),
        (packed(b'{"a":' + b"[" * 100_000), "InvalidHeaderDeserialization"),
        (packed(b'{"\xff":1}'), "not UTF-8"),
        (packed(b"{}", b"x"), "MetadataIncompleteBuffer"),
        (packed(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', FOUR[:7]), "MetadataIncompleteBuffer"),
        (packed(b'{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,8]}}', FOUR[:8]), "TensorInvalidInfo"),
        (packed(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', FOUR[:8]), "InvalidOffset"),
        (packed(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}}', FOUR[:8]), "TensorInvalidInfo"),
        (packed(b'{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', FOUR[:4]), "invalid numbers"),
        (packed(b'{"a":{"dtype":"F32","shape":[true],"data_offsets":[0,4]}}', FOUR[:4]), "invalid numbers"),
        (packed(b'{"a":{"dtype":"F32","shape":[1e0],"data_offsets":[0,4]}}', FOUR[:4]), "invalid numbers"),
        (packed(b'{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}'), "TensorInvalidInfo"),
        (packed(b'{"a":{"dtype":"F32","shape":[9999999999999],"data_offsets":[0,39999999999996]}}'), "Incomplete"),
        (packed(b'{"a":{"dtype":"X9","shape":[1],"data_offsets":[0,4]}}', FOUR[:4]), "no dtype"),
        (packed(b'{"a":{"dtype":[],"shape":[1],"data_offsets":[0,4]}}', FOUR[:4]), "no dtype"),
        (packed(b'{"a":{"dtype":"F32","shape":[0,4611686018427387904,4],"data_offsets":[0,0]}}'), "cannot hold"),
        (packed(b'{"a":{"dtype":"F32","shape":[1%s],"data_offsets":[0,4]}}' % (b",1" * 64), FOUR[:4]), "cannot hold"),
        (packed(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],'
                b'"data_offsets":[0,1]}}', b"x"), "a name is used twice"),
        (packed(b'{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],'
                b'"data_offsets":[1,3]}}', b"xyz"), "InvalidOffset"),
        (packed(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":1}}', b"x"), "wrong fields"),
        (packed(b'{"__metadata__":{"a":1}}'), "metadata must be a dict of strings"),
        (packed(b'{"a":NaN}'), "NaN is no JSON"),
    ],
)  # fmt: skip
def test_safetensors_that_lie(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(safetensors.SafetensorError, match=message):
        safetensors.load(data)
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(safetensors.SafetensorError, match=message):
        safetensors.load_file(path)
