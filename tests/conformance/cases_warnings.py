"""What PyTorch warns of, and what not."""

from __future__ import annotations

import warnings

from .observe import case


def _said_always(torch, *calls):
    """What each call warns of, with warnings that are given once given each time."""
    told, always = [], torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        for call in calls:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                call()
            told.append([f"{w.category.__name__}: {str(w.message).partition(' (Triggered')[0]}" for w in seen])
    finally:
        torch.set_warn_always(always)
    return told


@case
def imaginary_parts_that_are_lost_are_warned_of(torch):
    c, r = torch.ones(2, dtype=torch.complex64), torch.ones(2)
    array = c.numpy()

    def backward():
        p = r.clone().requires_grad_()
        (p.to(torch.complex64) * c).sum().abs().backward()

    return _said_always(
        torch,
        c.float, c.half, c.int, c.bool, c.cdouble, lambda: c.to(torch.float32), lambda: c.to(torch.int64),
        lambda: c.type_as(r), lambda: c[0].double(), lambda: r.clone().copy_(c), lambda: r.clone().fill_(c[0]),
        lambda: r.clone().__setitem__(0, c[0]), lambda: torch.as_tensor(array, dtype=torch.float32),
        lambda: torch.tensor(array, dtype=torch.float32), lambda: r.new_tensor(c),
        lambda: c.sum(dtype=torch.float32), lambda: c.mean(dtype=torch.float32), lambda: c.prod(dtype=torch.float32),
        lambda: c.cumsum(0, dtype=torch.float32), lambda: c.real, lambda: c.abs(), lambda: c[:0].float(),
        lambda: torch.ones(2, dtype=torch.complex64, device="meta").float(), backward,
    )  # fmt: skip


@case
def what_is_deprecated_is_warned_of(torch):
    u, r = torch.tensor([1, 0], dtype=torch.uint8), torch.ones(2)
    default = torch.get_default_dtype()
    try:
        return _said_always(
            torch,
            lambda: torch.where(u, 1.0, 2.0), lambda: torch.where(u, r, r), lambda: torch.where(u),
            lambda: torch.meshgrid(r, r), lambda: torch.meshgrid(r, r, indexing="ij"),
            lambda: float(torch.ones(1, requires_grad=True)), lambda: r.new_tensor(r), lambda: torch.tensor(r),
            lambda: torch.set_default_tensor_type(torch.FloatTensor), lambda: r[u],
        )  # fmt: skip
    finally:
        torch.set_default_dtype(default)
