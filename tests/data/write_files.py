"""Writes the small files beside it with PyTorch: ``python tests/data/write_files.py`` (needs torch==2.13.0).

They are what the tests of checkpoints read on machines without PyTorch.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent


def everything() -> dict[str, object]:
    x = torch.arange(6.0).view(2, 3)
    marked = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    marked.tag = "marked"
    noted = torch.tensor([3.0])
    noted.note = [1, "two"]
    dtypes = (
        "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
    )
    return {
        "x": x, "transposed": x.t()[1:], "parameter": torch.nn.Parameter(x), "marked": marked, "noted": noted,
        "expanded": torch.ones(1).expand(3, 4), "scalar": torch.tensor(5), "empty": torch.empty(0, 3),
        "leaf": torch.tensor([1.5], requires_grad=True), "conjugate": torch.tensor([1 + 2j]).conj(),
        "negative": torch.tensor([1 + 2j]).conj().imag, "meta": torch.empty(2, 3, device="meta"),
        "size": x.shape, "dtype": torch.bfloat16, "device": torch.device("cpu"), "layout": torch.strided,
        "plain": OrderedDict(a=1, b=(2.5, None, True), c=[b"bytes", bytearray(b"x"), 3j, {1, 2}, -5, 2**70]),
        "dtypes": {name: torch.tensor([0, 1, 1]).to(getattr(torch, name)) for name in dtypes.split()},
    }  # fmt: skip


def model() -> torch.nn.Module:
    made = torch.nn.Sequential(
        OrderedDict(
            first=torch.nn.Linear(2, 3), norm=torch.nn.BatchNorm1d(3), act=torch.nn.ReLU(), last=torch.nn.Linear(3, 1)
        )
    )
    with torch.no_grad():
        for p in made.parameters():
            p.copy_(torch.arange(float(p.numel())).view_as(p).sin())
    return made


def training() -> dict[str, object]:
    torch.manual_seed(0)
    found: dict[str, object] = {}
    settings: dict[str, dict[str, Any]] = {"SGD": {"momentum": 0.9}, "Adam": {}, "LBFGS": {"history_size": 2}}
    for name, options in settings.items():
        m = torch.nn.Linear(2, 1)
        optimizer = getattr(torch.optim, name)(m.parameters(), lr=0.1, **options)
        x = torch.linspace(-1, 1, 8).view(4, 2)

        def closure(m: torch.nn.Module = m, o: torch.optim.Optimizer = optimizer, x: torch.Tensor = x) -> torch.Tensor:
            o.zero_grad()
            loss: torch.Tensor = m(x).square().mean()
            loss.backward()
            return loss

        optimizer.step(closure)
        found[name] = {"model": m.state_dict(), "optimizer": optimizer.state_dict(), "output": m.eval()(x).detach()}
    return found


def generator_state() -> torch.Tensor:
    generator = torch.Generator().manual_seed(5)
    torch.rand(1000, generator=generator)
    torch.randn(3, generator=generator)
    return generator.get_state()


if __name__ == "__main__":
    generator_state().numpy().tofile(HERE / "generator_state.bin")
    torch.save(everything(), HERE / "everything.pt")
    torch.save(everything(), HERE / "everything_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(training(), HERE / "training.pt")
    torch.save(model(), HERE / "model.pt")
    torch.save({"f32": torch.arange(3.0), "i64": torch.arange(2)}, HERE / "protocol5.pt", pickle_protocol=5)
