"""TorchScript's types, which programs name in annotations. Nothing is compiled to TorchScript here."""

from __future__ import annotations

from typing import ClassVar


class Type:
    """A type of TorchScript's language. There is one object of each, which ``get`` returns."""

    __module__ = "facula"
    annotation_str: ClassVar[str] = ""

    @classmethod
    def get(cls) -> Type:
        if "_only" not in vars(cls):
            cls._only = cls()
        return cls._only

    _only: ClassVar[Type]

    def kind(self) -> str:
        return type(self).__name__

    def __str__(self) -> str:
        return self.annotation_str

    __repr__ = __str__


_TEXTS = {
    "AnyType": "Any", "BoolType": "bool", "ComplexType": "complex", "DeviceObjType": "Device", "FloatType": "float",
    "IntType": "int", "NoneType": "NoneType", "NumberType": "number", "PyObjectType": "PyObject",
    "StreamObjType": "Stream", "StringType": "str", "TensorType": "Tensor",
}  # fmt: skip

globals().update({
    name: type(name, (Type,), {
        "__module__": "facula", "annotation_str": text, "__doc__": f"TorchScript's type ``{text}``.",
    })
    for name, text in _TEXTS.items()
})  # fmt: skip


class _OfAGraph:
    """A part of one of TorchScript's graphs. There are none."""

    def __init__(self) -> None:
        raise TypeError(f"torch._C.{type(self).__name__}: No constructor defined!")


globals().update({
    name: type(name, (_OfAGraph,), {"__module__": "facula", "__doc__": _OfAGraph.__doc__})
    for name in ("Block", "Graph", "Node", "Value")
})  # fmt: skip
