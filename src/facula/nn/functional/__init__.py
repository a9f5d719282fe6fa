"""PyTorch's ``torch.nn.functional``: layers, activations and losses as plain functions.

Operators come from ``facula.ops``: those of ``FUNCTIONALS``. What is made of operators is in the files beside this one.
All are loaded by family, when first asked for.
"""

from __future__ import annotations

from typing import Any

from ... import _lazy
from ...docstrings import document as _document
from ...ops.machine.held import hold as _hold
from ...ops.machine.overridable import overridable as _overridable
from ...ops.machine.public import FUNCTIONALS

_OWN = {
    name: module
    for module, names in {
        "nn.functional.activation": "dropout gumbel_softmax log_softmax sigmoid softmax softmin tanh",
        "nn.functional.attention": "_canonical_mask _mha_shape_check _none_or_dtype multi_head_attention_forward",
        "nn.functional.class_loss": """
            cross_entropy ctc_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss
        """,
        "nn.functional.distance": "cosine_similarity normalize pairwise_distance",
        "nn.functional.embedding_loss": """
            cosine_embedding_loss hinge_embedding_loss margin_ranking_loss triplet_margin_loss
            triplet_margin_with_distance_loss
        """,
        "nn.functional.linear_loss": "linear_cross_entropy",
        "nn.functional.loss": """
            binary_cross_entropy binary_cross_entropy_with_logits gaussian_nll_loss huber_loss kl_div l1_loss mse_loss
            poisson_nll_loss smooth_l1_loss soft_margin_loss
        """,
        "nn.functional.normalization": """
            batch_norm group_norm instance_norm layer_norm local_response_norm rms_norm
        """,
        "nn.functional.sparse": "embedding_bag",
        "ops.images.grid_sample": "GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES",
        "nn.modules.utils": "_list_with_default _pair _single _triple",
        "overrides": """
            handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic
        """,
    }.items()
    for name in names.split()
}
"""What a module below ``facula`` has under the same name."""

_PLAIN = ("embedding", "pad", "relu")
"""Functions among the operators that do not ask for overrides themselves."""

_KNOWN = {*_OWN, *_lazy.FUNCTIONALS}

__all__ = sorted(name for name in _KNOWN if not name.startswith(("_", "has_", "handle_", "GRID_")))


def __getattr__(name: str) -> Any:
    if name in _OWN:
        value = getattr(_lazy.load(_OWN[name]), name)
        if _OWN[name].startswith("nn.functional.") and not hasattr(value, "record"):
            _hold(value, name)
            _overridable(value)
    elif name == "_threshold":  # what PyTorch calls it in code that is made of graphs
        value = __getattr__("threshold")
    elif name == "_Reduction":
        value = _lazy.load("nn._reduction")
    elif name == "grad":
        value = _lazy.load("nn.grad")
    elif name in _lazy.FUNCTIONALS:
        _lazy.load(_lazy.FUNCTIONALS[name])
        value = FUNCTIONALS[name]
        if name in _PLAIN:
            _hold(value, name)
            _overridable(value)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = _lazy.at_home(_document(value, f"nn.functional.{name}", name), __name__, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_KNOWN})
