"""PyTorch's ``torch.nn``: parameters, modules, layers, losses, and their initial values."""

from __future__ import annotations

from . import functional, init, parameter
from .activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Dropout,
    Flatten,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)  # fmt: skip
from .container import ModuleDict, ModuleList, Sequential
from .linear import Bilinear, Identity, Linear
from .loss import L1Loss, MSELoss
from .module import Module
from .parameter import Buffer, Parameter

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Bilinear", "Buffer", "Dropout", "Flatten", "Hardshrink", "Hardsigmoid",
    "Hardswish", "Hardtanh", "Identity", "L1Loss", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "Mish",
    "Module", "ModuleDict", "ModuleList", "PReLU", "Parameter", "ReLU", "ReLU6", "Sequential", "SiLU", "Sigmoid",
    "Softmax", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold", "functional", "init",
    "parameter",
]  # fmt: skip
