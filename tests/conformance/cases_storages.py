"""Storages: tensors made from them, copies that share them, those that have no memory."""

from __future__ import annotations

import copy
import tempfile
import warnings
import weakref

from .observe import case, error, name_of, see


def quiet(fn):
    """What a function gives, without the warnings of storages that know their dtype."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


@case
def tensors_of_storages(torch):
    def look():
        s = torch.arange(4.0).storage()
        made = [
            torch.tensor(s), torch.tensor(s, dtype=torch.float32), torch.tensor(s.untyped(), dtype=torch.float32),
            torch.as_tensor(s), torch.FloatTensor(s), torch.Tensor(s.untyped()), torch.ones(1).new(s),
            torch.tensor([]).set_(s), torch.tensor([], dtype=torch.float64).set_(s.untyped()),
        ]  # fmt: skip
        return see(torch, made)

    return quiet(look)


@case
def storages_of_other_dtypes_are_refused(torch):
    def look():
        s = torch.arange(4.0).storage()
        return [
            error(lambda: torch.tensor(s, dtype=torch.float64)), error(lambda: torch.DoubleTensor(s)),
            error(lambda: torch.tensor([], dtype=torch.int16).set_(s)),
            error(lambda: torch.tensor([], dtype=torch.float64).set_(s, 0, (2,))),
            error(lambda: torch.ones(1, dtype=torch.float64).new(s)),
        ]  # fmt: skip

    return quiet(look)


@case
def copies_of_tensors_and_storages_share_memory(torch):
    def look():
        a, b = torch.arange(4.0), torch.arange(3.0)
        made = copy.deepcopy([a, [a.storage(), b.storage()], b, a.view(2, 2), a.untyped_storage()])
        made[0].add_(1)
        return [made[1][0].tolist(), made[1][1].tolist(), see(torch, made[3]), made[4].data_ptr() == made[0].data_ptr()]

    return quiet(look)


@case
def storages_without_memory(torch):
    def look():
        m = torch.TypedStorage([1, 2, 3, 4], device="meta", dtype=torch.int32)
        u, of_tensor = torch.UntypedStorage(4, device="meta"), torch.ones(3, device="meta").storage()
        full = torch.TypedStorage([1, 2, 3, 4], dtype=torch.int32)
        told = [str(m.device), m.nbytes(), m.size(), m.data_ptr(), str(of_tensor), str(u.clone())]
        calls = (
            lambda: m[0], m.tolist, m.cpu, m.share_memory_, lambda: full.copy_(m), lambda: of_tensor[0],
            of_tensor.tolist, lambda: u[0], u.tolist, u.cpu, lambda: u[1:],
        )  # fmt: skip
        told.append([error(f) for f in calls])
        m.resize_(10)
        m[0] = 3
        u.resize_(8)
        return [*told, m.size(), str(m.fill_(1)), u.nbytes(), full.tolist()]

    return quiet(look)


@case
def classes_of_storages(torch):
    names = torch.storage._dtype_to_storage_type_map()
    dtypes = (torch.float32, torch.bool, torch.complex64, torch.bfloat16)
    return [[names[d], str(torch.ones(2, dtype=d).storage_type())] for d in dtypes]


@case
def tensors_of_one_memory_have_one_storage(torch):
    t = torch.ones(4)
    s, weak = t.untyped_storage(), weakref.WeakKeyDictionary()
    weak[s] = 1
    others = (t[1:], t.view(2, 2), t.detach(), t.clone())
    return [
        *(other.untyped_storage() is s for other in others), t.untyped_storage() in weak,
        torch.ones(1).untyped_storage() is torch.ones(1).untyped_storage(),
    ]  # fmt: skip


@case
def storages_on_meta_have_no_elements(torch):
    def look():
        made = [torch.UntypedStorage(n, device="meta") for n in (0, 4)]
        made += [torch.TypedStorage(n, device="meta", dtype=torch.int16) for n in (0, 4)]
        made.append(torch.UntypedStorage([1, 2, 3], device="meta"))
        return [[str(s.device), s.nbytes(), error(lambda s=s: s[9])] for s in made]

    return quiet(look)


@case
def storages_of_files(torch):
    def look():
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/numbers"
            mapped = torch.from_file(path, shared=True, size=4)
            mapped.fill_(2)
            copied = torch.from_file(path, size=4)
            names = [t.untyped_storage().filename for t in (mapped, mapped[1:], copied, torch.ones(1))]
            return [name and name.endswith("/numbers") for name in names] + [copied.tolist()]

    return quiet(look)


@case
def tensors_keep_their_history_on_the_way_to_meta(torch):
    x = torch.ones(2, 3, requires_grad=True)
    ways = {
        "to": x.to("meta"), "cast": x.to("meta", torch.complex64),
        "like another": x.to(torch.ones(2, device="meta")),
        "type": x.type_as(torch.ones(2, device="meta")),
        "integers": x.to("meta", torch.int64), "0-d": x[0, 0].to("meta"),
    }  # fmt: skip
    with torch.no_grad():
        ways["no grad"] = x.to("meta")
    ways["product"] = x.to("meta") @ torch.ones(3, 2, device="meta")
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
        ways["tangent"] = torch.autograd.forward_ad.unpack_dual(dual.to("meta")).tangent
    ways["items"] = torch.vmap(lambda row: row.to("meta").sum())(x.detach())
    return see(torch, ways), error(ways["to"].sum().backward), name_of(ways["to"].grad_fn)


@case
def tensors_without_data_lie_in_memory_as_others_would(torch):
    x = torch.ones(2, 3, 4, 5)
    channels_last = x.to(memory_format=torch.channels_last)
    orders = (x.permute(1, 3, 0, 2), channels_last, x[:, ::2], x[:1, :1].expand(3, 3, 4, 5), x[:1].transpose(0, 2))
    moves = (lambda t: t.to("meta"), lambda t: t.to("meta", torch.float64))
    found = [[torch.zeros_like(t, device="meta").stride(), *[move(t).stride() for move in moves]] for t in orders]
    for t in [each.to("meta") for each in orders]:
        results = (t.clone(), t.double(), t * 2, t + t, t.exp(), -t, torch.relu(t), t + t[:1], torch.rand_like(t),
                   t.contiguous(), t.to(memory_format=torch.channels_last))  # fmt: skip
        found.append([r.stride() for r in results])
    found.append(torch.empty(2, 3, 4, 5, device="meta", memory_format=torch.channels_last).stride())
    found.append(torch.ones_like(x, device="meta", memory_format=torch.channels_last).stride())
    found.append(torch.ones_like(channels_last, device="meta", memory_format=torch.contiguous_format).stride())
    return found


@case
def devices_by_name(torch):
    made = (torch.device(device="cpu"), torch.device(device=torch.device("meta")), torch.device(device="cpu:0"))
    refused = (
        lambda: torch.device("cpu", device="cpu"), lambda: torch.device(device="cpu", index=0),
        lambda: torch.device(device="nope"),
    )  # fmt: skip
    return [str(d) for d in made], [error(f) for f in refused]


@case
def storages_have_a_base(torch):
    storage = torch.ones(2).untyped_storage()
    return [isinstance(x, torch.StorageBase) for x in (storage, torch.ones(2))], torch._guards.active_fake_mode()


@case
def storage_is_of_the_default_dtype(torch):
    def look():
        found = []
        before = torch.get_default_dtype()
        try:
            for d in (torch.float64, torch.float16, torch.bfloat16, before):
                torch.set_default_dtype(d)
                found.append((torch.Storage.__name__, str(torch.Storage(3).dtype), str(torch.Storage([1, 2]).dtype)))
                found.append(isinstance(torch.ones(1).storage(), torch.Storage))
        finally:
            torch.set_default_dtype(before)
        return found

    return quiet(look)
