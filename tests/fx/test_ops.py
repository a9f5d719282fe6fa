"""What operators of ``torch.ops`` are, for passes that ask."""

from __future__ import annotations

from typing import Any

import facula as torch
from facula import _inductor, _ops

ops: Any = torch.ops


def test_overloads_and_their_packets() -> None:
    add: Any = ops.aten.add
    kinds = [(isinstance(op, _ops.OpOverloadPacket), isinstance(op, _ops.OpOverload)) for op in (add, add.Tensor)]
    assert kinds == [(True, False), (False, True)]
    assert isinstance(ops.prims.add, _ops.OpOverloadPacket)


def test_targets_of_graphs() -> None:
    gm = torch.fx.symbolic_trace(lambda x: ops.aten.sin.default(ops.aten.add(x, 1)) + torch.cos(x))
    targets = [node.target for node in gm.graph.nodes if node.op == "call_function"]
    kinds = [isinstance(target, (_ops.OpOverload, _ops.OpOverloadPacket)) for target in targets]
    assert kinds == [True, True, False, False]


def test_settings_without_effect_may_be_patched() -> None:
    with _inductor.config.patch({"cpp.threads": 1}):
        assert getattr(_inductor.config, "cpp.threads") == 1
    assert not hasattr(_inductor.config, "cpp.threads")
