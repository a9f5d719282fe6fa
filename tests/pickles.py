"""What people pickle, and ``python -m tests.pickles``, which writes it down as this version pickles it.

``data/pickles.zip`` was written so before facula's modules were sorted into folders; ``test_pickles.py`` holds that it
can be read.
"""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import facula as torch

FILE = Path(__file__).parent / "data" / "pickles.zip"


def things() -> dict[str, Any]:
    """The same in every version: nothing random in it."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.BatchNorm1d(3))
    for parameter in model.parameters():
        torch.nn.init.constant_(parameter, 0.5)
    adam = torch.optim.Adam(model.parameters(), lr=0.1)
    model(torch.tensor([[1.0, 2.0], [3.0, -4.0]])).square().sum().backward()
    adam.step()
    base = torch.arange(6.0)
    return {
        "tensor": base.reshape(2, 3).t(),
        "shared": [base, base[2:4]],
        "bfloat16": torch.tensor([1.0, 2.0], dtype=torch.bfloat16),
        "meta": torch.empty(2, 3, device="meta"),
        "leaf": torch.tensor([1.0, 2.0], requires_grad=True),
        "parameter": torch.nn.Parameter(torch.tensor([1.0, 2.0])),
        "size": torch.Size([2, 3]),
        "device": torch.device("cpu"),
        "dtype": [torch.float32, torch.bool, torch.bfloat16],
        "layout": torch.strided,
        "memory_format": torch.channels_last,
        "finfo": torch.finfo(torch.float32),
        "module": model,
        "optimizer": adam,
        "scheduler": torch.optim.lr_scheduler.StepLR(torch.optim.SGD(model.parameters(), lr=0.1), 2),
        "generator": torch.Generator().manual_seed(3),
        "storage": torch.tensor([1.0, 2.0]).untyped_storage(),
        "typed_storage": torch.storage.TypedStorage([1.0, 2.0], dtype=torch.float32),
        "distribution": torch.distributions.Normal(torch.zeros(2), 1.0),
        "return_type": torch.tensor([[1.0, 2.0]]).max(1),
        "dataset": torch.utils.data.TensorDataset(torch.arange(3)),
        "packed": torch.nn.utils.rnn.pack_sequence([torch.ones(2, 1)]),
        "scaler": torch.amp.GradScaler("cpu"),
        "lazy": torch.nn.LazyLinear(2),
    }


def saved(thing: Any) -> bytes:
    file = io.BytesIO()
    torch.save(thing, file)
    return file.getvalue()


if __name__ == "__main__":
    with zipfile.ZipFile(FILE, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, thing in things().items():
            archive.writestr(f"{name}.pickle", pickle.dumps(thing))
            archive.writestr(f"{name}.pt", saved(thing))
