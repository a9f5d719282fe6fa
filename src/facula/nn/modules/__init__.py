"""The layers by family, at the paths that PyTorch gives them. A family is loaded when first asked for."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType as _FunctionType
from typing import Any

from ...docstrings import document_class as _document_class

_FAMILIES = {
    "modules.activation": """
        CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU RReLU
        ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold
    """,
    "modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
    "modules.batchnorm": """
        BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d SyncBatchNorm
    """,
    "modules.channelshuffle": "ChannelShuffle",
    "modules.container": "Container ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "modules.conv": """
        Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d
        LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d
    """,
    "modules.distance": "CosineSimilarity PairwiseDistance",
    "modules.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "modules.flatten": "Flatten Unflatten",
    "modules.fold": "Fold Unfold",
    "modules.instancenorm": """
        InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d
    """,
    "modules.linear": "Bilinear Identity LazyLinear Linear",
    "modules.linear_cross_entropy_options": "LinearCrossEntropyOptions",
    "modules.loss": """
        BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss
        HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss MarginRankingLoss MultiLabelMarginLoss
        MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss
        TripletMarginLoss TripletMarginWithDistanceLoss
    """,
    "modules.module": "Module",
    "modules.normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "modules.padding": """
        CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d
        ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d
    """,
    "modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "modules.pooling": """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d
        AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d
        MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d
    """,
    "modules.sparse": "Embedding EmbeddingBag",
    "modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "modules.attention": "MultiheadAttention",
    "modules.rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "modules.transformer": """
        Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer
    """,
}  # fmt: skip
"""The public names of each module below ``facula.nn``."""

LAYERS = {name: family for family, names in _FAMILIES.items() for name in names.split()}
_PATHS = sorted({family.removeprefix("modules.") for family in _FAMILIES} | {"lazy", "utils"})

__all__ = sorted(LAYERS)


def layer(name: str) -> Any:
    """A layer by its name."""
    found = getattr(import_module(f"facula.nn.{LAYERS[name]}"), name)
    _own_constructor(found)
    return _document_class(found, f"nn.{name}")


_SHARED_CONSTRUCTORS = {
    "_AvgPool", "_BorderPadNd", "_Conv", "_ConvTransposeNd", "_FractionalMaxPoolNd", "_LazyConv", "_LazyConvTranspose",
    "_MarginLoss", "_MaxUnpoolNd",
}  # fmt: skip


def _own_constructor(cls: Any) -> None:
    """Where only facula's layers share a constructor, give each its own: Python names it when arguments are missing."""
    shared = cls.__init__
    if shared.__qualname__.partition(".")[0] in _SHARED_CONSTRUCTORS:
        own = _FunctionType(shared.__code__, shared.__globals__, "__init__", shared.__defaults__, shared.__closure__)
        own.__kwdefaults__, own.__annotations__ = shared.__kwdefaults__, shared.__annotations__
        own.__qualname__, own.__module__ = f"{cls.__name__}.__init__", cls.__module__
        cls.__init__ = own


def __getattr__(name: str) -> Any:
    if name in LAYERS:
        value = globals()[name] = layer(name)
        return value
    if name in _PATHS:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *LAYERS, *_PATHS})
