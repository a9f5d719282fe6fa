"""Write the samples that are replayed where there is no PyTorch: ``python -m tests.operator_database.record``.

Needs the oracle, ``pip install torch==2.13.0 expecttest``. For each entry of the database some small samples go through
PyTorch alone, and what was seen goes into golden.json.xz (see ``golden``). The samples are made from seeds that depend
on the names of entries only, so that the file is the same whenever it is written.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

from . import golden
from .answers import quiet, why_no_oracle

MOST_ELEMENTS = 40
"""Of a sample's tensors together. A few operators have larger samples only: of these, the smallest one is taken."""
TOO_MANY_ELEMENTS = 1500
SAMPLES = {"main": 4, "float32": 1, "complex128": 1}
"""How many samples of each dtype; ``main`` is float64 for most operators, and has second gradients."""


def record() -> dict[str, Any]:
    """All that the file has, by entry."""
    from .entries import ENTRIES

    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        found = dict(pool.imap_unordered(_record, sorted(ENTRIES)))
    return {name: samples for name, samples in found.items() if samples}


def _record(name: str) -> tuple[str, list[Any]]:
    import torch

    from .entries import ENTRIES

    torch.set_num_threads(1)
    entry = ENTRIES[name]
    samples = []
    for kind, most in SAMPLES.items():
        d = entry.main_dtype() if kind == "main" else getattr(torch, kind)
        if d in entry.dtypes() and (kind == "main" or d is not entry.main_dtype()):
            samples += _record_entry(torch, entry, d, most, kind == "main")
    entry.made.clear()
    return name, samples


def _record_entry(torch: Any, entry: Any, d: Any, most: int, second: bool) -> list[Any]:
    by_size: list[tuple[int, Any, list[Any]]] = []
    for sample in entry.samples(d, 60, entry.info.supports_autograd):
        call = [[sample.input, *sample.args], sample.kwargs]
        size = sum(t.numel() for t in golden.tensors_in(torch, call))
        if size > TOO_MANY_ELEMENTS:
            continue
        try:
            written = [golden.written(torch, part) for part in call]
        except golden.Unwritable:
            continue
        by_size.append((size, sample, written))
    small = [s for s in by_size if s[0] <= MOST_ELEMENTS] or sorted(by_size, key=lambda s: s[0])[:1]
    chosen = small[:: max(1, len(small) // most)][:most]
    found = [_observed(torch, entry, sample, written, second) for _, sample, written in chosen]
    return [sample for sample in found if sample is not None]


def _observed(torch: Any, entry: Any, sample: Any, written: Any, second: bool) -> Any:
    second = second and entry.info.supports_gradgrad
    path = _path(torch, entry, written, second)
    if path is None:
        return None
    args, kwargs = golden.read(torch, written)
    seen = golden.observe(torch, golden.function(torch, path), args, kwargs, second)
    values = entry.has_values(sample) and not _has_choices(sample, entry, written, torch)
    shown = golden.stored(seen, values)
    return {"call": path, "args": written[0], "kwargs": written[1], "second": second, "seen": shown}


def _path(torch: Any, entry: Any, written: Any, second: bool) -> str | None:
    """Where the operator is found in PyTorch, and so in facula: where the answer is the database's."""
    name = entry.name
    candidates = [f"{kind}:{name}" for kind in ("function", "method", "aten")]
    if name in golden.SPELLINGS:
        candidates = [f"spelled:{name}"]
    wanted = None
    for path in candidates:
        try:
            fn = golden.function(torch, path)
        except AttributeError:
            continue
        if fn is entry.theirs or (name.startswith("nn.") and not _is_lambda(entry.theirs)):
            return path
        wanted = wanted or _seen(torch, entry, entry.theirs, written, second)
        if _seen(torch, entry, fn, written, second) == wanted:
            return path
    return None


def _is_lambda(fn: Any) -> bool:
    return getattr(fn, "__name__", "") == "<lambda>"


def _seen(torch: Any, entry: Any, fn: Any, written: Any, second: bool) -> Any:
    args, kwargs = golden.read(torch, written)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        try:
            return golden.stored(golden.observe(torch, fn, args, kwargs, second), entry.compares_values)
        except TypeError:
            return None


def _has_choices(sample: Any, entry: Any, written: Any, torch: Any) -> bool:
    """Whether the database compares something made of the outputs, as with eigenvectors, or any of equal elements."""
    from .entries import INDICES_OF_EQUALS

    if entry.name in INDICES_OF_EQUALS:
        return True
    args, kwargs = golden.read(torch, written)
    try:
        out = entry.theirs(*args, **kwargs)
    except Exception:
        return False
    return sample.output_process_fn_grad(out) is not out


def main() -> None:
    if why := why_no_oracle():
        raise SystemExit(why)
    with quiet():
        found = record()
        size = golden.save(found)
        from .entries import ENTRIES
    absent = sorted(set(ENTRIES) - set(found))
    print(f"{sum(map(len, found.values()))} samples of {len(found)} entries, {size / 1e6:.2f} MB")
    print(f"without samples: {' '.join(absent)}")


if __name__ == "__main__":
    main()
