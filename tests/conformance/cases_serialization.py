"""``save`` and ``load`` by themselves: what comes back, what is refused and in which words; storages."""

from __future__ import annotations

import collections
import copy
import functools
import io
import pickle
import struct
import sys
import tempfile
import warnings
import zipfile

import numpy as np

from .observe import case, error, see, warned

FOUR = np.arange(4, dtype=np.float32).tobytes()


def through(torch, value, **options):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


def forged(program, *, version="3\n", byteorder=sys.byteorder, **records):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("archive/data.pkl", b"\x80\x02" + program)
        if version is not None:
            file.writestr("archive/version", version)
        file.writestr("archive/byteorder", byteorder)
        for key, data in records.items():
            file.writestr(f"archive/{key.replace('__', '/')}", data)
    out.seek(0)
    return out


def whole(n):
    return b"\x8a\x08" + struct.pack("<q", n)


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def tensor(numel=4, offset=0, size=(4,), stride=(1,)):
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + whole(numel) + b"tQ"
    shape = b"".join(b"(" + b"".join(map(whole, n)) + b"t" for n in (size, stride))
    hooks = b"ccollections\nOrderedDict\n)R"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + whole(offset) + shape + b"\x89" + hooks + b"tR."


@case
def tensors_come_back(torch):
    x = torch.arange(6.0).view(2, 3)
    noted = torch.ones(1)
    noted.note = [1, "two"]
    given = {
        "x": x, "t": x.t()[1:], "p": torch.nn.Parameter(x), "e": torch.ones(1).expand(2, 3), "n": torch.empty(0, 3),
        "leaf": torch.ones(1, requires_grad=True), "result": torch.ones(1, requires_grad=True) * 2,
        "c": torch.tensor([1 + 2j]).conj(), "m": torch.empty(2, 3, device="meta"), "noted": noted,
    }  # fmt: skip
    found = through(torch, given)
    before = [[see(torch, t), list(t.stride()), t.storage_offset(), type(t).__name__] for t in found.values()]
    found["x"][0, 1] = 77
    return [before, see(torch, [found["t"], found["p"], found["noted"].note])]


@case
def other_values_come_back(torch):
    model = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.BatchNorm1d(2))
    found = through(torch, [
        torch.Size([2, 3]), torch.bfloat16, torch.device("cpu"), torch.strided, collections.OrderedDict(a=1),
        (1, 2.5, "x", b"ab", None, True, 1j, -5, 2**80), {1, 2}, bytearray(b"x"), collections.Counter("aab"), {},
    ])  # fmt: skip
    state = through(torch, model.state_dict())
    texts = [str(dict(v) if isinstance(v, collections.OrderedDict) else v) for v in found]
    return [[type(v).__name__ for v in found], texts, list(state), dict(state._metadata)]


@case
def optimizer_states_come_back(torch):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    p.sum().backward()
    optimizer.step()
    found = through(torch, optimizer.state_dict())
    return [see(torch, found["state"][0]), found["param_groups"][0]["params"], found["param_groups"][0]["lr"]]


class Mine:
    def __init__(self):
        self.x = 1


@case
def names_that_need_leave(torch):
    values = [Mine(), np.float64(3), np.arange(3), np.dtype("f4"), frozenset([1]), slice(1, 2), print, int,
              collections.defaultdict(list), torch.nn.Linear(1, 1)]  # fmt: skip
    return [error(lambda v=v: through(torch, v)) for v in values]


@case
def leave_that_is_given(torch):
    s = torch.serialization
    multiarray = np._core.multiarray
    leave = [multiarray.scalar, multiarray._reconstruct, np.ndarray, np.dtype, np.dtypes.Float64DType]
    with s.safe_globals([Mine]):
        mine = through(torch, Mine())
    with s.safe_globals(leave):
        numbers = [float(through(torch, np.float64(3))), through(torch, np.arange(3.0)).tolist()]
    with s.safe_globals([(Mine, "elsewhere.Mine")]):
        other = error(lambda: through(torch, Mine()))

    def wrong(item):
        with s.safe_globals([item]):
            through(torch, Mine())

    file = io.BytesIO()
    torch.save([Mine(), np.float64(3)], file)
    file.seek(0)
    return [
        vars(mine), numbers, other, error(lambda: wrong((Mine, 3))), error(lambda: wrong((Mine,))),
        sorted(s.get_unsafe_globals_in_checkpoint(file)),
    ]  # fmt: skip


@case
def programs_that_are_refused(torch):
    programs = [
        b"cposix\nsystem\n" + text("ls") + b"\x85R.", b"csys\nexit\n.", b"cbuiltins\neval\n.", b"cfoo\nbar\n.",
        b"ctorch\nfoo\n.", b"i__main__\nC\n.", b"]}b.", b"ctorch._utils\n_rebuild_tensor_v2\n}b.",
        text("a") + b"Q.", b"}Q.", b"(K\x01K\x02tQ.", b"K\x03Q.",
    ]  # fmt: skip
    return [error(lambda p=p: torch.load(forged(p)) and None) for p in programs]


@case
def tensors_that_are_refused(torch):
    programs = [
        tensor(numel=8), tensor(numel=2, size=(2,)), tensor(offset=-1), tensor(stride=(-1,)),
        tensor(size=(2**40, 2**40), stride=(0, 0)), tensor(size=(2, 2)),
    ]  # fmt: skip
    return [
        see(torch, torch.load(forged(tensor(), data__0=FOUR))),
        [error(lambda p=p: torch.load(forged(p, data__0=FOUR))) for p in programs],
        error(lambda: torch.load(forged(tensor()))),
    ]


@case
def files_that_are_refused(torch):
    file = io.BytesIO()
    torch.save(torch.ones(3), file)
    data = file.getvalue()
    pieces = [b"PK\x03\x04hello world", *(data[:n] for n in (10, 100, len(data) // 2, len(data) - 30))]
    return [
        [error(lambda p=p: torch.load(io.BytesIO(p))) for p in pieces],
        error(lambda: torch.load(forged(b"N.", version=None))),
        error(lambda: torch.load(forged(b"N.", byteorder="middle"))),
        error(lambda: torch.load(io.BytesIO(pickle.dumps([1, 2], 2)), weights_only=False)),
        error(lambda: torch.load(io.BytesIO(pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1000, 2)))),
    ]


@case
def wrong_arguments(torch):
    class Half:
        def read(self):
            return b""

    return [error(f) for f in (
        lambda: torch.load(3), lambda: torch.save(1, 3), lambda: torch.save(1, "/nonexistent/a/b"),
        lambda: torch.load("/nonexistent/x"), lambda: through(torch, 1, weights_only=True, pickle_module=pickle),
        lambda: through(torch, 1, pickle_module=pickle), lambda: through(torch, 1, mmap=True),
        lambda: torch.load(Half()),
        lambda: torch.serialization.set_default_mmap_options(7),
        lambda: torch.serialization.set_default_load_endianness(3), lambda: torch.serialization.location_tag(3),
    )]  # fmt: skip


@case
def map_location(torch):
    seen = []

    def keep(storage, location):
        seen.append([type(storage).__name__, location, storage.nbytes()])
        return storage if len(seen) == 1 else None

    found = []
    for where in ("cpu", "meta", torch.device("meta"), {"cpu": "meta"}, {"x": "y"}, keep, None):
        a, b = through(torch, [torch.ones(2), torch.nn.Parameter(torch.ones(3))], map_location=where)
        found.append([str(a.device), str(b.device), type(b).__name__, list(b.shape)])
    wrong = [
        error(lambda w=w: through(torch, torch.ones(2), map_location=w))
        for w in ("cuda", "cuda:1", "foo", lambda s, l: 3, 3)
    ]
    return [found, seen, wrong]


@case
def the_same_memory_as_two_types(torch):
    x = torch.arange(4.0)
    return error(lambda: through(torch, [x, x.view(torch.int32)]))


@case
def hooks_stay_behind(torch):
    t = torch.ones(1, requires_grad=True)

    @torch.utils.hooks.unserializable_hook
    def quiet(g):
        return g

    t.register_hook(quiet)
    found = [warned(lambda: through(torch, t))]
    t.register_hook(len)
    return [*found, warned(lambda: through(torch, t))]


@case
def settings(torch):
    s = torch.serialization
    return [
        s.get_crc32_options(), s.get_default_mmap_options(), s.get_default_load_endianness(),
        [m.name for m in s.LoadEndianness], s.location_tag(torch.UntypedStorage(2)),
        s.location_tag(torch.UntypedStorage(2, device="meta")), str(s.StorageType("FloatStorage")),
        s.DEFAULT_PROTOCOL, s.MAGIC_NUMBER, s.PROTOCOL_VERSION,
    ]  # fmt: skip


# ---- storages


def without_warnings(fn):
    """PyTorch says once in a process that TypedStorage is deprecated, at whatever is first."""

    @functools.wraps(fn)
    def run(torch):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(torch)

    return run


@case
@without_warnings
def untyped_storages(torch):
    x = torch.arange(4.0)
    s = x.untyped_storage()
    s.copy_(torch.ones(4).untyped_storage())
    s[0] = 1
    own = torch.UntypedStorage([1, 2, 3])
    return [
        s.nbytes(), len(s), s.size(), s.element_size(), s.tolist(), s[2], s[1:3].tolist(), list(own),
        own.clone().tolist(),
        s.data_ptr() == x.data_ptr(), s == x[1:].untyped_storage(), s == own, s.is_shared(), s.is_pinned(), s.is_cuda,
        s.type(), str(s.device), s.cpu() is s, s.untyped() is s, own.float().tolist(), repr(own), s.filename,
        own.fill_(7).tolist(), own.resize_(2).tolist(), torch.UntypedStorage(3).nbytes(),
        torch.UntypedStorage().nbytes(),
        str(torch.UntypedStorage(2, device="meta").device), copy.deepcopy(own).tolist(), torch.is_storage(own),
        torch.UntypedStorage.from_buffer(b"abcd", dtype=torch.uint8).tolist(),
        see(torch, x.clone().set_(torch.ones(3).untyped_storage(), 1, (2,), (1,))),
    ]  # fmt: skip


@case
def wrong_storages(torch):
    s = torch.arange(4.0).untyped_storage()
    from_numpy = torch.from_numpy(np.ones(3, np.float32)).untyped_storage()
    return [error(f) for f in (
        lambda: s.copy_(torch.ones(3).untyped_storage()), lambda: s["a"], lambda: s[100], lambda: from_numpy.resize_(3),
    )]  # fmt: skip


@case
@without_warnings
def typed_storages(torch):
    t = torch.arange(3.0).storage()
    made = torch.FloatStorage([1, 2, 3])
    return [
        t.tolist(), t[1], len(t), t.nbytes(), t.element_size(), str(t.dtype), t.type(), t.pickle_storage_type(),
        t.double().tolist(), str(t.long().dtype), repr(made), isinstance(made, torch.FloatStorage),
        isinstance(made, torch.DoubleStorage), made.fill_(2).tolist(), made.copy_(t).tolist(), type(made).__name__,
        torch.TypedStorage([1, 2], dtype=torch.float64).tolist(), len(torch.TypedStorage()),
        torch.FloatStorage.from_buffer(b"\0\0\x80?", byte_order="little").tolist(),
        torch.FloatStorage.from_buffer(b"?\x80\0\0", byte_order="big").tolist(),
        error(lambda: t[1:3]), error(lambda: t[9]), copy.deepcopy(t).tolist(),
        [s.tolist() for s in through(torch, [t])],
        torch.is_storage(t), t.untyped().nbytes(),
    ]  # fmt: skip


@case
def pickles_and_copies_keep_what_is_shared(torch):
    x = torch.arange(6.0).view(2, 3)
    found = []
    for make in (copy.deepcopy, lambda v: through(torch, v)):
        a, b, c, d = make([x, x.t()[1:], x, x[0].expand(2, 3)])
        a[0, 1] = 77
        found.append([a is c, see(torch, [b, d])])
    for protocol in (2, 5):  # PyTorch does not keep what is shared here
        a, b, c, d = pickle.loads(pickle.dumps([x, x.t()[1:], x, x[0].expand(2, 3)], protocol))
        found.append([a is c, see(torch, [a, b, d]), list(b.stride()), list(d.stride())])
    y = copy.copy(x)
    y[0, 0] = 9
    return [found, see(torch, x)]


@case
def subclasses_keep_what_is_in_slots(torch):
    import copy
    import io

    class Wrapper(torch.Tensor):
        __slots__ = ["elem", "unset"]

        @staticmethod
        def __new__(cls, elem):
            made = torch.Tensor._make_subclass(cls, elem.to("meta"), elem.requires_grad)
            made.elem = elem
            return made

        def clone(self):
            return type(self)(self.elem.clone())

    Wrapper.__qualname__ = "Wrapper"
    t = Wrapper(torch.tensor([1.0, 2.0]))
    t.label = "a"
    globals()["Wrapper"] = Wrapper
    try:
        file = io.BytesIO()
        torch.save(t, file)
        file.seek(0)
        with torch.serialization.safe_globals([Wrapper]):
            read = torch.load(file)
        copied = copy.deepcopy(t)
    finally:
        del globals()["Wrapper"]
    return [
        (type(u).__name__, u.elem.tolist(), u.elem is t.elem, u.label, hasattr(u, "unset"), str(u.device))
        for u in (read, copied)
    ]


@case
def subclasses_tell_their_own_state(torch):
    import io

    class Telling(torch.Tensor):
        def __getstate__(self):
            return "told", self.__dict__

        def __setstate__(self, state):
            self.read = state

    Telling.__qualname__ = "Telling"
    t = torch.ones(2).as_subclass(Telling)
    t.label = "a"
    globals()["Telling"] = Telling
    try:
        file = io.BytesIO()
        torch.save(t, file)
        file.seek(0)
        with torch.serialization.safe_globals([Telling]):
            read = torch.load(file)
    finally:
        del globals()["Telling"]
    return type(read).__name__, read.read


@case
def bytes_are_skipped_by_save_and_load(torch):
    file, old = io.BytesIO(), io.BytesIO()
    with torch.serialization.skip_data(materialize_fake_tensors=True):
        torch.save({"a": torch.arange(1.0, 5.0), "b": 3}, file)
        refused = error(lambda: torch.save(torch.ones(2), old, _use_new_zipfile_serialization=False))
    file.seek(0)
    sizes = {i.filename: i.file_size for i in zipfile.ZipFile(file).infolist() if "/data/" in i.filename}
    file.seek(0)
    read = torch.load(file)
    whole = io.BytesIO()
    torch.save(torch.arange(6.0).reshape(2, 3), whole)
    whole.seek(0)
    with torch.serialization.skip_data():
        unfilled = torch.load(whole)
    whole.seek(0)
    return refused, sizes, see(torch, read["a"]), read["b"], list(unfilled.shape), see(torch, torch.load(whole))


@case
def files_without_container_end_where_the_next_begins(torch):
    found = []
    for weights_only in (True, False):
        with tempfile.TemporaryFile() as disk:
            for stream in (io.BytesIO(), disk):
                pickle.dump("before", stream)
                for saved in ({"a": torch.arange(3.0), "b": [torch.ones(2)]}, torch.zeros(0), [1, 2]):
                    torch.save(saved, stream, _use_new_zipfile_serialization=False)
                pickle.dump("after", stream)
                stream.seek(0)
                found.append(pickle.load(stream))
                loaded = [torch.load(stream, weights_only=weights_only) for _ in range(3)]
                found += [loaded[0]["a"].tolist(), loaded[1].tolist(), loaded[2], pickle.load(stream)]
    return found


@case
def a_module_in_a_file_names_no_more_than_its_classes(torch):
    file = io.BytesIO()
    torch.save(torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU()), file)
    file.seek(0)
    named = torch.serialization.get_unsafe_globals_in_checkpoint(file)
    layers = [torch.nn.Sequential, torch.nn.Linear, torch.nn.ReLU]
    file.seek(0)
    with torch.serialization.safe_globals(layers):
        return [sorted(named), str(torch.load(file, weights_only=True))]


@case
def storages_without_bytes_are_saved_as_any_dtypes(torch):
    def look():
        found = []
        for empty in (torch.tensor([]), torch.empty(0, 3, dtype=torch.int16)):
            other = torch.TypedStorage(wrap_storage=empty.untyped_storage(), dtype=torch.complex64)
            loaded = [through(torch, [x, other]) for x in (empty, empty.storage(), torch.empty(0))]
            found.append([[(str(x.dtype), len(x)) for x in pair] for pair in loaded])
        x = torch.ones(3)
        other = torch.TypedStorage(wrap_storage=x.untyped_storage(), dtype=torch.int16)
        return found, error(lambda: through(torch, [x, other])), error(lambda: through(torch, [x[3:], other]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return look()
