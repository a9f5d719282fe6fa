"""``python -m tests.pytorch_names``: writes down the public names of PyTorch's modules, beside which it is run.

The site's page "Is it there?" is made of them: ``docs/site/hooks.py``.
"""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).parent / "data" / "pytorch_names.txt"

MODULES = """
    Tensor nn nn.functional nn.init nn.attention nn.attention.flex_attention nn.parallel nn.parameter nn.utils
    nn.utils.rnn nn.utils.parametrize nn.utils.parametrizations nn.utils.prune nn.utils.stateless
    nn.utils.fusion optim optim.lr_scheduler optim.swa_utils autograd autograd.function autograd.functional
    autograd.graph autograd.forward_ad autograd.profiler autograd.profiler_util func linalg fft special
    distributions distributions.constraints distributions.transforms distributions.kl distributions.utils utils
    utils.data utils.data.distributed utils.benchmark utils.checkpoint utils.dlpack utils.flop_counter
    utils.hooks utils.mobile_optimizer utils.model_zoo utils.module_tracker utils.cpp_extension amp fx
    fx.experimental.proxy_tensor fx.passes.shape_prop fx.subgraph_rewriter library profiler random serialization
    signal.windows sparse storage masked monitor nested types distributed distributed.algorithms.join
    distributed.checkpoint distributed.device_mesh distributed.elastic distributed.fsdp distributed.optim
    distributed.pipelining distributed.rpc distributed.tensor distributed.tensor.parallel futures hub jit onnx
    export compiler cuda mps xpu mtia accelerator backends testing multiprocessing overrides package
    quantization ao.quantization
""".split()  # fmt: skip


def names_of(owner: Any) -> list[str]:
    """What a module or class gives: what it says itself, or what it has of PyTorch's own; no modules."""
    told = None if owner.__name__ == "torch" else getattr(owner, "__all__", None)
    values = {name: getattr(owner, name, None) for name in (told or dir(owner)) if name[0] != "_"}
    own = {name for name in values if told or isinstance(owner, type) or _is_of_pytorch(values[name])}
    return sorted(name for name in own if not isinstance(values[name], ModuleType))


def _is_of_pytorch(value: Any) -> bool:
    home = getattr(value, "__module__", None)
    return not isinstance(home, str) or home.startswith(("torch", "builtins"))


def lines() -> list[str]:
    """A line for each module: its name, and the names in it."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in ["", *MODULES]:
            path = f"torch.{module}".rstrip(".")
            owner = importlib.import_module("torch").Tensor if module == "Tensor" else importlib.import_module(path)
            found.append(f"{module}: {' '.join(names_of(owner))}")
    return found


if __name__ == "__main__":
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
