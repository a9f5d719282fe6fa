"""Checkpoints: PyTorch's files open here, and files from here open there. Also safetensors, pickles and copies."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import io
import json
import pickle
import struct
import sys
import warnings
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula
from facula import nn, safetensors, serialization

DATA = Path(__file__).parent / "data"
with_oracle = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11), reason="the oracle is not installed"
)
DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128",
]  # fmt: skip


def saved(library: Any, value: Any, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    library.save(value, file, **options)
    file.seek(0)
    return file


def through(value: Any, **options: Any) -> Any:
    return facula.load(saved(facula, value), **options)


def values_of(t: Any) -> Any:
    t = t.detach().resolve_conj().resolve_neg()
    return t.double().tolist() if str(t.dtype) == "torch.bfloat16" else t.tolist()


# ---- files that PyTorch wrote


@pytest.mark.parametrize("name", ["everything.pt", "everything_legacy.pt"])
def test_a_file_of_pytorchs_opens_here(name: str) -> None:
    found = facula.load(DATA / name)
    assert found["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["transposed"].tolist() == [[1, 4], [2, 5]] and found["transposed"].stride() == (1, 3)
    assert type(found["parameter"]) is nn.Parameter and found["parameter"].requires_grad
    assert found["marked"].tag == "marked" and type(found["marked"]) is nn.Parameter
    assert found["noted"].note == [1, "two"]
    assert found["expanded"].shape == (3, 4) and found["expanded"].stride() == (0, 0)
    assert found["scalar"].item() == 5 and found["empty"].shape == (0, 3)
    assert found["leaf"].requires_grad and found["leaf"].is_leaf
    assert found["conjugate"].tolist() == [1 - 2j] and found["negative"].tolist() == [-2]
    assert found["conjugate"].is_conj() and found["negative"].is_neg()
    assert found["meta"].is_meta and found["meta"].shape == (2, 3)
    assert type(found["size"]) is facula.Size and found["size"] == (2, 3)
    assert found["dtype"] is facula.bfloat16 and found["device"] == facula.device("cpu")
    assert found["layout"] is facula.strided
    assert found["plain"] == OrderedDict(
        a=1, b=(2.5, None, True), c=[b"bytes", bytearray(b"x"), 3j, {1, 2}, -5, 2**70]
    )
    for d in DTYPES:
        t = found["dtypes"][d]
        assert t.dtype is getattr(facula, d) and values_of(t) == [0, 1, 1]


@pytest.mark.parametrize("name", ["everything.pt", "everything_legacy.pt"])
def test_what_shared_memory_in_a_file_shares_it_here(name: str) -> None:
    found = facula.load(DATA / name)
    found["x"][0, 1] = 77
    assert found["transposed"][0, 0].item() == 77 and found["parameter"][0, 1].item() == 77
    assert found["x"].untyped_storage() == found["transposed"].untyped_storage()


def test_a_model_of_pytorchs_opens_and_runs_here() -> None:
    model = facula.load(DATA / "model.pt", weights_only=False).eval()
    assert [type(m) for m in model] == [nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Linear]
    x = facula.tensor([[1.0, -1.0]])
    by_hand = model.last(model.norm(model.first(x)).relu())
    assert facula.equal(model(x), by_hand) and model.first.weight.requires_grad
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL torch\.nn\.modules\.container\.Sequential was not"):
        facula.load(DATA / "model.pt")
    allowed = [nn.Sequential, nn.Linear, nn.BatchNorm1d, nn.ReLU]
    with serialization.safe_globals(allowed):
        assert facula.equal(facula.load(DATA / "model.pt").eval()(x), model(x))


@pytest.mark.parametrize("name", ["SGD", "Adam", "LBFGS"])
def test_a_training_of_pytorchs_goes_on_here(name: str) -> None:
    found = facula.load(DATA / "training.pt")[name]
    model = nn.Linear(2, 1)
    model.load_state_dict(found["model"])
    x = facula.linspace(-1, 1, 8).view(4, 2)
    assert facula.allclose(model.eval()(x), found["output"])
    kind = getattr(facula.optim, name, None)
    if kind is not None:
        kind(model.parameters(), lr=0.1).load_state_dict(found["optimizer"])
    assert found["model"]._metadata[""] == {"version": 1}


def test_newer_protocols_open_here() -> None:
    assert facula.load(DATA / "protocol5.pt")["f32"].tolist() == [0, 1, 2]
    for protocol in (2, 3, 4, 5):
        file = saved(facula, {"a": facula.arange(3), "s": {1}, "f": b"x"}, pickle_protocol=protocol)
        found = facula.load(file)
        assert found["a"].tolist() == [0, 1, 2] and found["s"] == {1} and found["f"] == b"x"


# ---- with PyTorch itself


def everything(torch: Any) -> dict[str, Any]:
    x = torch.arange(6.0).view(2, 3)
    marked = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    marked.tag = "t"
    noted = torch.ones(2)
    noted.note = {"a": [1]}
    return {
        "x": x, "transposed": x.t()[1:], "flipped": x.flip(0), "parameter": torch.nn.Parameter(x), "marked": marked,
        "noted": noted, "expanded": torch.ones(1).expand(3, 4), "scalar": torch.tensor(5), "empty": torch.empty(0, 3),
        "leaf": torch.tensor([1.5], requires_grad=True), "result": torch.tensor([2.0], requires_grad=True) * 3,
        "conjugate": torch.tensor([1 + 2j]).conj(), "negative": torch.tensor([1 + 2j, 3j]).conj().imag[1:],
        "both": torch._neg_view(torch.tensor([[1 + 2j, 3j]]).mH), "every second": torch.arange(10)[1::2], "buffer":
        torch.nn.Buffer(torch.ones(2)), **{d: torch.tensor([[0], [1]]).to(getattr(torch, d)) for d in DTYPES},
    }  # fmt: skip


def describe(t: Any) -> Any:
    return (
        type(t).__name__, values_of(t), str(t.dtype), t.stride(), t.storage_offset(), t.requires_grad, t.is_leaf,
        t.is_conj(), t.is_neg(),
        {k: v for k, v in t.__dict__.items() if k != "_is_param"},
    )  # fmt: skip


@with_oracle
@pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("here", [True, False], ids=["from here", "from there"])
def test_every_tensor_goes_both_ways(here: bool, new: bool) -> None:
    import torch

    source, target = (facula, torch) if here else (torch, facula)
    given = everything(source)
    if not new:  # as PyTorch cannot read what it writes there itself
        given = {name: t for name, t in given.items() if name not in ("uint16", "uint32", "uint64")}
    found = target.load(saved(source, given, _use_new_zipfile_serialization=new))
    assert list(found) == list(given)
    for name, t in found.items():
        expected = describe(given[name].detach().requires_grad_() if name == "result" else given[name])
        assert describe(t) == expected, name
    found["x"][0, 1] = 77
    assert found["transposed"][0, 0].item() == 77 and found["parameter"][0, 1].item() == 77


@with_oracle
def test_models_written_here_open_in_pytorch() -> None:
    import torch

    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.GELU(), nn.Flatten(), nn.Linear(8, 3)).eval()
    x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(2, 1, 4, 4)
    found = torch.load(saved(facula, model), weights_only=False)
    assert type(found) is torch.nn.Sequential
    np.testing.assert_allclose(
        found(torch.from_numpy(x)).detach(), model(facula.from_numpy(x)).detach().numpy(), rtol=1e-5, atol=1e-6
    )
    state = torch.load(saved(facula, model.state_dict()))
    assert state._metadata["1"] == {"version": 2}
    found.load_state_dict(state)


MODULES: dict[str, tuple[Any, ...]] = {
    "LSTM": (2, 3), "GRUCell": (2, 3), "MultiheadAttention": (4, 2), "TransformerEncoderLayer": (4, 2),
    "LazyLinear": (3,), "Embedding": (4, 3), "GroupNorm": (1, 2), "ParameterList": ([],), "CrossEntropyLoss": (),
    "ConvTranspose2d": (2, 2, 1), "AdaptiveLogSoftmaxWithLoss": (4, 6, [2]), "Upsample": (None, 2),
}  # fmt: skip


@with_oracle
@pytest.mark.parametrize("name", list(MODULES))
def test_modules_go_both_ways(name: str) -> None:
    import torch

    for source, target in ((facula, torch), (torch, facula)):
        given = getattr(source.nn, name)(*MODULES[name])
        found = target.load(saved(source, given), weights_only=False)
        assert type(found) is getattr(target.nn, name) and repr(found) == repr(given)
        assert list(found.state_dict()) == list(given.state_dict())
        if name == "LSTM":
            x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 1, 2)
            outs = [m(library.from_numpy(x))[0].detach() for m, library in ((given, source), (found, target))]
            np.testing.assert_allclose(outs[0].numpy(), outs[1].numpy(), rtol=1e-5, atol=1e-6)


@with_oracle
def test_optimizers_written_here_open_in_pytorch() -> None:
    import torch

    model, theirs = nn.Linear(2, 1), torch.nn.Linear(2, 1)
    optimizer = facula.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(facula.ones(1, 2)).sum().backward()
    optimizer.step()
    found = torch.load(saved(facula, {"optimizer": optimizer.state_dict(), "model": model.state_dict()}))
    theirs.load_state_dict(found["model"])
    torch.optim.SGD(theirs.parameters(), lr=0.1, momentum=0.9).load_state_dict(found["optimizer"])
    assert found["optimizer"]["state"][0]["momentum_buffer"].tolist() == [[1, 1]]


@with_oracle
def test_storages_go_both_ways() -> None:
    import torch

    for source, target in ((facula, torch), (torch, facula)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # TypedStorage is deprecated
            typed, untyped = source.FloatStorage([1, 2]), source.UntypedStorage([1, 2, 3])
            found = target.load(saved(source, [typed, untyped]))
            assert [s.tolist() for s in found] == [[1, 2], [1, 2, 3]]
        assert [type(s) for s in found] == [target.TypedStorage] * 2


@with_oracle
def test_the_same_names_need_leave() -> None:
    import torch

    for value in (np.float64(3), np.arange(3), Path("x"), frozenset([1]), slice(1, 2), Counter("aab")):
        file = saved(torch, value)
        outcomes = []
        for library in (torch, facula):
            file.seek(0)
            try:
                outcomes.append(str(library.load(file)))
            except pickle.UnpicklingError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]


# ---- arguments of save and load


def test_paths_and_open_files(tmp_path: Path) -> None:
    x = facula.arange(3.0)
    facula.save(x, tmp_path / "a.b.pt")
    facula.save(x, str(tmp_path / "c"))
    with open(tmp_path / "d", "wb") as file:
        facula.save(x, file)
    for name, folder in (("a.b.pt", "a.b"), ("c", "c"), ("d", "archive")):
        assert facula.equal(facula.load(tmp_path / name), x)
        with zipfile.ZipFile(tmp_path / name) as archive:
            assert archive.testzip() is None
            assert f"{folder}/data.pkl" in archive.namelist() and archive.read(f"{folder}/byteorder") == b"little"
            assert all(entry.compress_type == 0 for entry in archive.infolist())
    with open(tmp_path / "c", "rb") as opened:
        assert facula.equal(facula.load(opened), x)


def test_records_are_aligned(tmp_path: Path) -> None:
    facula.save([facula.arange(n) for n in (3, 5, 8)], tmp_path / "x")
    from facula.serialization._archive import Reader

    with open(tmp_path / "x", "rb") as file:
        archive = Reader(file)
        assert [archive.begin(f"data/{i}") % 64 for i in range(3)] == [0, 0, 0]


def test_a_stream_that_can_only_write() -> None:
    class Pipe:
        def __init__(self) -> None:
            self.parts: list[bytes] = []

        def write(self, data: Any) -> None:
            self.parts.append(bytes(data))

    pipe = Pipe()
    facula.save({"x": facula.ones(2, 2)}, pipe)
    assert facula.load(io.BytesIO(b"".join(pipe.parts)))["x"].tolist() == [[1, 1], [1, 1]]


def test_mmap(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    facula.save({"x": facula.arange(4.0), "e": facula.empty(0)}, path)
    before = path.read_bytes()
    found = facula.load(path, mmap=True)
    assert found["x"].tolist() == [0, 1, 2, 3]
    found["x"].add_(1)
    assert path.read_bytes() == before and found["x"].tolist() == [1, 2, 3, 4]
    import mmap

    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        facula.load(path, mmap=True)["x"].add_(1)
    assert facula.load(path, mmap=True)["x"].tolist() == [1, 2, 3, 4] and path.read_bytes() != before
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        facula.load(io.BytesIO(before), mmap=True)


@pytest.mark.parametrize("location", ["meta", facula.device("meta"), {"cpu": "meta"}])
def test_map_location_to_meta(location: Any) -> None:
    found = through([facula.ones(2, 3), facula.nn.Parameter(facula.ones(1))], map_location=location)
    assert found[0].is_meta and found[0].shape == (2, 3) and type(found[1]) is nn.Parameter and found[1].is_meta


def test_map_location_as_a_function() -> None:
    seen: list[Any] = []

    def keep(storage: Any, location: str) -> Any:
        seen.append((type(storage), location, storage.nbytes()))
        return storage if len(seen) == 1 else None

    assert through([facula.ones(2), facula.ones(3)], map_location=keep)[1].tolist() == [1, 1, 1]
    assert seen == [(facula.UntypedStorage, "cpu", 8), (facula.UntypedStorage, "cpu", 12)]
    with pytest.raises(TypeError, match=r"TypedStorage\.__init__ received an invalid combination of arguments"):
        through(facula.ones(1), map_location=lambda storage, location: 3)
    for location in ("cpu", facula.device("cpu"), {"cuda:0": "cpu"}, None):
        assert through(facula.ones(1), map_location=location).tolist() == [1]
    with pytest.raises(RuntimeError, match=r"Attempting to deserialize object on a CUDA device but torch.cuda"):
        through(facula.ones(1), map_location="cuda:0")
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location of torch.storage.UntypedStorage"):
        through(facula.ones(1), map_location="elsewhere")


def test_files_of_the_other_byte_order() -> None:
    file = saved(facula, {d: facula.tensor([1, 2]).to(getattr(facula, d)) for d in DTYPES if d != "bool"})
    with zipfile.ZipFile(file) as archive:
        records = {name: archive.read(name) for name in archive.namelist()}
    program = records["archive/data.pkl"]
    turned = io.BytesIO()
    sizes = [getattr(facula, d) for d in DTYPES if d != "bool"]
    with zipfile.ZipFile(turned, "w") as archive:
        for name, data in records.items():
            if name.startswith("archive/data/"):
                d = sizes[int(name.rpartition("/")[2])]
                step = d.itemsize // 2 if d.is_complex else d.itemsize
                if d in (facula.uint16, facula.uint32, facula.uint64):
                    step = 1  # PyTorch writes these as bytes, without a word on what they are
                data = np.frombuffer(data, np.uint8).reshape(-1, step)[:, ::-1].tobytes()
            archive.writestr(name, b"big" if name.endswith("byteorder") else data)
    assert b"FloatStorage" in program
    turned.seek(0)
    for d, t in facula.load(turned).items():
        assert values_of(t) == [1, 2], d


def test_saving_the_same_memory_as_two_types() -> None:
    x = facula.arange(4.0)
    with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data as diff"):
        saved(facula, [x, x.view(facula.int32)])


def test_wrong_arguments() -> None:
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object with a 'write'"):
        facula.save(1, 3)
    with pytest.raises(RuntimeError, match="Parent directory /nonexistent/a does not exist"):
        facula.save(1, "/nonexistent/a/b")
    with pytest.raises(AttributeError, match=r"'int' object has no attribute 'seek'\. You can only torch\.load from a"):
        facula.load(3)
    with pytest.raises(FileNotFoundError):
        facula.load("/nonexistent/x")
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        facula.load(saved(facula, 1), weights_only=True, pickle_module=pickle)
    assert facula.load(saved(facula, [1]), pickle_module=pickle) == [1]
    with pytest.raises(TypeError, match=r"Unpickler.*'foo'|'foo'.*Unpickler"):
        facula.load(saved(facula, 1), weights_only=False, foo=3)


class Thing:
    def __init__(self, x: Any) -> None:
        self.x = x


def test_objects_of_ones_own() -> None:
    file = saved(facula, Thing(facula.ones(1)))
    name = f"{__name__}.Thing"
    with pytest.raises(pickle.UnpicklingError, match=rf"add_safe_globals\(\[{name}\]\)"):
        facula.load(file)
    file.seek(0)
    assert facula.load(file, weights_only=False).x.tolist() == [1]
    assert serialization.get_unsafe_globals_in_checkpoint(file.seek(0) or file) == [name]
    with serialization.safe_globals([Thing]):
        file.seek(0)
        assert facula.load(file).x.tolist() == [1]
        assert serialization.get_safe_globals() == [Thing]
    assert serialization.get_safe_globals() == []
    serialization.add_safe_globals([(Thing, "elsewhere.Thing")])
    try:
        with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
            facula.load(file.seek(0) or file)
    finally:
        serialization.clear_safe_globals()
    wrong = pytest.raises(TypeError, match="Expected second item in tuple to be str of callable full path")
    with wrong, serialization.safe_globals([(Thing, 3)]):
        facula.load(file.seek(0) or file)


class Marked(facula.Tensor):
    pass


def test_subclasses_of_tensor() -> None:
    file = saved(facula, facula.ones(2).as_subclass(Marked))
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
        facula.load(file)
    with serialization.safe_globals([Marked]):
        assert type(facula.load(file.seek(0) or file)) is Marked


def test_numpy_values_need_leave() -> None:
    for value in (np.float64(3), np.arange(3.0)):
        file = saved(facula, value)
        with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL numpy\._core\.multiarray"):
            facula.load(file)
        multiarray: Any = importlib.import_module("numpy._core.multiarray")
        leave = [multiarray.scalar, multiarray._reconstruct, np.ndarray, np.dtype, np.dtypes.Float64DType]
        with serialization.safe_globals(leave):
            assert np.array_equal(facula.load(file.seek(0) or file), value)


def test_hooks_are_not_written() -> None:
    t = facula.ones(1, requires_grad=True)
    t.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="on tensor will not be serialized"):
        assert facula.load(saved(facula, t)).requires_grad


# ---- settings


def test_settings() -> None:
    assert serialization.get_crc32_options() and serialization.get_default_load_endianness() is None
    serialization.set_crc32_options(False)
    try:
        assert through(facula.arange(3)).tolist() == [0, 1, 2]
    finally:
        serialization.set_crc32_options(True)
    with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
        serialization.set_default_load_endianness(3)
    with pytest.raises(ValueError, match="Invalid argument in function set_default_mmap_options"):
        serialization.set_default_mmap_options(7)
    assert serialization.location_tag(facula.UntypedStorage(1)) == "cpu"
    assert repr(serialization.StorageType("FloatStorage")) == "StorageType(dtype=torch.float32)"


# ---- storages


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages() -> None:
    x = facula.arange(4.0)
    s = x.untyped_storage()
    assert s.nbytes() == 16 and s.data_ptr() == x.data_ptr() and s == x[1:].untyped_storage()
    s.copy_(facula.ones(4).untyped_storage())
    assert x.tolist() == [1, 1, 1, 1]
    with pytest.raises(RuntimeError, match="size does not match, self was 16 bytes but src was 12 bytes"):
        s.copy_(facula.ones(3).untyped_storage())
    with pytest.raises(TypeError, match=r"can't index a torch.UntypedStorage with str"):
        s["a"]
    with pytest.raises(IndexError, match="index 100 out of range for storage of size 16"):
        s[100]
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        s.resize_(0)
    own = facula.UntypedStorage(2).fill_(7).resize_(4)
    assert own.tolist() == [7, 7, 0, 0] and own[1:3].tolist() == [7, 0]
    typed = facula.FloatStorage([1, 2])
    assert isinstance(typed, facula.FloatStorage) and typed.double().tolist() == [1, 2]  # type: ignore[attr-defined]
    assert typed.pickle_storage_type() == "FloatStorage" and typed.type() == "torch.FloatStorage"
    assert copy.deepcopy(typed).tolist() == [1, 2] and pickle.loads(pickle.dumps(typed)).tolist() == [1, 2]
    assert facula.FloatStorage.from_buffer(b"\0\0\x80?", byte_order="little").tolist() == [1]
    assert facula.UntypedStorage(2, device="meta").device.type == "meta"


# ---- pickles and copies


@pytest.mark.parametrize("protocol", [None, 2, 5])
def test_copies_keep_what_is_shared(protocol: int | None) -> None:
    x = facula.arange(6.0).view(2, 3)
    given = [x, x.t()[1:], x, x[0].expand(2, 3)]
    found = copy.deepcopy(given) if protocol is None else pickle.loads(pickle.dumps(given, protocol))
    assert found[0] is found[2]
    found[0][0, 1] = 77
    assert found[1][0, 0].item() == 77 and found[3][1, 1].item() == 77 and x[0, 1].item() == 1


def test_copy_shares_with_its_source() -> None:
    x = facula.arange(3.0)
    y = copy.copy(x)
    y[0] = 9
    assert x[0].item() == 9


# ---- safetensors


def test_safetensors_go_through_files(tmp_path: Path) -> None:
    given = {d: facula.tensor([[0, 1, 1]]).to(getattr(facula, d)) for d in DTYPES if d != "complex128"}
    given.update(empty=facula.empty(0, 3), scalar=facula.tensor(2.5))
    safetensors.save_file(given, tmp_path / "x.safetensors", metadata={"format": "pt"})
    for found in (safetensors.load_file(tmp_path / "x.safetensors"), safetensors.load(safetensors.save(given))):
        assert found.keys() == given.keys()
        for name, t in found.items():
            assert t.dtype is given[name].dtype and t.shape == given[name].shape and facula.equal(t, given[name])
    with safetensors.safe_open(tmp_path / "x.safetensors", framework="pt", device="cpu") as file:
        assert file.metadata() == {"format": "pt"} and file.get_tensor("scalar").item() == 2.5
        assert file.get_slice("int64")[:, 1:].tolist() == [[1, 1]] and file.get_slice("int64").get_shape() == [1, 3]
        with pytest.raises(safetensors.SafetensorError, match="File does not contain tensor nothing"):
            file.get_tensor("nothing")


def test_safetensors_bytes_are_as_the_format_says() -> None:
    data = safetensors.save({"b": facula.tensor([1.0]), "a": facula.tensor([True])}, {"k": "v"})
    length = struct.unpack("<Q", data[:8])[0]
    assert length % 8 == 0
    assert json.loads(data[8 : 8 + length]) == {
        "__metadata__": {"k": "v"},
        "b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        "a": {"dtype": "BOOL", "shape": [1], "data_offsets": [4, 5]},
    }
    assert data[8 + length :] == struct.pack("<f?", 1.0, True)


def test_safetensors_refuse_what_they_cannot_hold() -> None:
    x = facula.ones(2, 3)
    with pytest.raises(ValueError, match="non contiguous tensor: `a`"):
        safetensors.save({"a": x.t()})
    with pytest.raises(RuntimeError, match="Some tensors share memory"):
        safetensors.save({"a": x, "b": x.view(-1)})
    with pytest.raises(safetensors.SafetensorError, match="complex128"):
        safetensors.save({"a": x.to(facula.complex128)})
    with pytest.raises(ValueError, match="Expected a dict"):
        safetensors.save([x])  # type: ignore[arg-type]


def test_safetensors_of_models(tmp_path: Path) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Linear(2, 2)
            self.b = nn.Linear(2, 2)
            self.b.weight = self.a.weight

    one, other = Tied(), Tied()
    safetensors.save_model(one, str(tmp_path / "m"))
    assert safetensors.load_model(other, tmp_path / "m") == (set(), [])
    assert facula.equal(other.b.weight, one.a.weight) and facula.equal(other.b.bias, one.b.bias)  # type: ignore[arg-type]


def test_records_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    facula.save({"a": facula.arange(3.0)}, path)
    reader = facula.PyTorchFileReader(str(path))
    assert reader.has_record("data.pkl") and not reader.has_record("zz") and "data/0" in reader.get_all_records()
    assert reader.get_record("version") == b"3\n" and reader.get_record_size("data/0") == 12
    storage = reader.get_storage_from_record("data/0", 3, facula.float32).untyped_storage()
    assert facula.tensor([], dtype=facula.float32).set_(storage, 0, (3,)).tolist() == [0.0, 1.0, 2.0]
    with path.open("rb") as file:
        file.seek(reader.get_record_offset("data/0") + 4)
        assert file.read(4) == b"\x00\x00\x80\x3f"
        assert facula.PyTorchFileReader(file).get_record("byteorder") == b"little"
    with pytest.raises(RuntimeError, match="zz"):
        reader.get_record("zz")
    with pytest.raises(RuntimeError, match="open file failed because of errno 2 on fopen: No such file or directory"):
        facula.PyTorchFileReader(str(tmp_path / "none"))
    with pytest.raises(AttributeError, match="'int' object has no attribute 'tell'"):
        facula.PyTorchFileReader(3)
