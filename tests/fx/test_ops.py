"""What operators of ``torch.ops`` are, for passes that ask."""

from __future__ import annotations

from typing import Any

import facula as torch
from facula import _inductor, _ops

ops: Any = torch.ops


def test_overloads_and_their_packets() -> None:
    add = ops.aten.add
    assert isinstance(add, _ops.OpOverloadPacket)
    assert isinstance(add.Tensor, _ops.OpOverload)
    assert not isinstance(add, _ops.OpOverload)
    assert isinstance(ops.prims.add, _ops.OpOverloadPacket)


def test_targets_of_graphs() -> None:
    gm = torch.fx.symbolic_trace(lambda x: ops.aten.sin.default(ops.aten.add(x, 1)) + torch.cos(x))
    kinds = [isinstance(node.target, _ops.OperatorBase) for node in gm.graph.nodes if node.op == "call_function"]
    assert kinds == [True, True, False, False]


def test_settings_without_effect_may_be_patched() -> None:
    with _inductor.config.patch({"cpp.threads": 1}):
        assert getattr(_inductor.config, "cpp.threads") == 1
    assert not hasattr(_inductor.config, "cpp.threads")
