"""A program is captured with places and classes that are there; others are errors in later calls, as in eager ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
from facula import nn
from facula._compile.c.build import has_compiler

F = nn.functional
needs_compiler = pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
ROWS = torch.tensor([0, 2, 1])

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "nll_loss": lambda x, i: F.nll_loss(x, i),
    "cross_entropy": lambda x, i: F.cross_entropy(x, i),
    "cross_entropy_smoothed": lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1),
    "multi_margin_loss": lambda x, i: F.multi_margin_loss(x, i),
    "embedding": lambda x, i: F.embedding(i, x),
    "embedding_bag": lambda x, i: F.embedding_bag(i[None], x),
    "one_hot": lambda x, i: F.one_hot(i, 4) * x.sum(),
    "gather": lambda x, i: x.gather(1, i[:, None]),
    "gather_first": lambda x, i: x.gather(0, i[:, None]),
    "scatter": lambda x, i: x.scatter(1, i[:, None], 1.0),
    "scatter_add": lambda x, i: x.scatter_add(1, i[:, None], x),
    "scatter_reduce": lambda x, i: x.scatter_reduce(1, i[:, None], x, "amax"),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_add": lambda x, i: x.index_add(0, i, x[:3]),
    "index_copy": lambda x, i: x.index_copy(0, i, x[:3]),
    "index_fill": lambda x, i: x.index_fill(0, i, 0.0),
    "take": lambda x, i: x.take(i),
    "take_along_dim": lambda x, i: x.take_along_dim(i[:, None], 1),
    "index": lambda x, i: x[i],
    "index_pair": lambda x, i: x[i, i],
    "index_put": lambda x, i: x.index_put((i,), x[:3]),
}


def answer(function: Callable[[Any, Any], Any], x: Any, index: Any) -> Any:
    try:
        return function(x.clone().requires_grad_(), index).detach()
    except Exception as e:
        return type(e), str(e)


@pytest.mark.filterwarnings("ignore")  # of what is not captured
@pytest.mark.usefixtures("with_library")
@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=needs_compiler)])
@pytest.mark.parametrize("name", CASES)
def test_wrong_places(name: str, backend: str) -> None:
    function = CASES[name]
    torch.manual_seed(0)
    x = torch.randn(3, 4) if "loss" in name or "entropy" in name else torch.randn(3, 3)
    compiled = torch.compile(function, backend=backend)
    torch.testing.assert_close(answer(compiled, x, ROWS), answer(function, x, ROWS))
    for place in (4, 12, -5, 1 << 40):
        for index in (torch.tensor([place, 0, 1]), torch.tensor([0, 1, place]), ROWS.flip(0)):
            found, right = answer(compiled, x, index), answer(function, x, index)
            if isinstance(right, tuple):
                assert found == right
            else:
                torch.testing.assert_close(found, right)
