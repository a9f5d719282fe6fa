"""dtypes under PyTorch's names, PyTorch's promotion as cached tables over NumPy's dtypes, casts, numerical limits."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

BOOL, INT, FLOAT, COMPLEX = range(4)


_FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
_QUANTIZED = ("qint8", "qint32", "quint8", "quint4x2", "quint2x4")
_BITS = ("bits1x8", "bits2x4", "bits4x2", "bits8", "bits16")
_NARROW = tuple(f"{kind}{n}" for kind in ("int", "uint") for n in range(1, 8))
_BY_NAME_ONLY = (*_FLOAT8, "float4_e2m1fn_x2", *_QUANTIZED, *_BITS, *_NARROW)
_WITHOUT_NUMPY = ("bfloat16", "complex32", *_BY_NAME_ONLY)


class dtype:
    """A PyTorch dtype; ``numpy`` is the NumPy dtype that holds it."""

    __module__ = "facula"

    __slots__ = ("_numpy", "category", "itemsize", "name")
    _by_name: dict[str, dtype] = {}

    def __init__(self, name: str, category: int, itemsize: int) -> None:
        self.name = name
        self.category = category
        self.itemsize = itemsize
        self._numpy: np.dtype[Any] | None = None if name in _WITHOUT_NUMPY else np.dtype(name)
        dtype._by_name[name] = self

    @property
    def numpy(self) -> np.dtype[Any]:
        if self._numpy is None:
            if self is not bfloat16:
                wider = "complex64" if self is complex32 else "float32" if self.is_floating_point else "integers"
                raise NotImplementedError(f"facula knows {self.name} by name only; compute in {wider}")
            self._numpy = _numpy_bfloat16()
            from_numpy_table[self._numpy] = self
        return self._numpy

    @property
    def abbr(self) -> str:
        """A short name: ``f32``, ``i64``, ``bf16``."""
        if self.name == "bool":
            return "b8"
        if self.name in _BITS:
            return self.name.replace("bits", "b") + ("" if "x" in self.name else "x1")
        if self.name in _QUANTIZED + _NARROW:
            return self.name
        if self.name in _BY_NAME_ONLY:
            return self.name.replace("float", "f").replace("_", "")
        kind = self.name.rstrip("0123456789")
        return {"bfloat": "bf", "float": "f", "complex": "c", "int": "i", "uint": "u"}[kind] + self.name[len(kind) :]

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOAT

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        if self.name in _QUANTIZED:
            raise RuntimeError("isSignedType not supported for quantized types")
        if self.name in _BITS:
            raise RuntimeError("Bits types are undefined")
        return (self.category >= FLOAT or self.name.startswith("int")) and self.name != "float8_e8m0fnu"

    def to_real(self) -> dtype:
        return {complex32: float16, complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> dtype:
        if self.category < FLOAT or self.name in _BY_NAME_ONLY:
            raise RuntimeError(f"Unknown Complex ScalarType for {SCALAR_TYPE_NAMES[self]}")
        return complex32 if self is float16 else complex_of(self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: Any) -> dtype:
        return self


def _numpy_bfloat16() -> np.dtype[Any]:
    """That of ml_dtypes, which is written in C, or else our own."""
    try:
        import ml_dtypes  # optional
    except ImportError:
        from .bfloat16 import NUMPY_DTYPE  # loaded when first used

        return NUMPY_DTYPE
    return np.dtype(ml_dtypes.bfloat16)


def _scalar_class(name: str) -> type:
    """NumPy's class of scalars of a dtype."""
    return dtype._by_name[name].numpy.type


_scalar_class.__module__ = "facula._utils"  # where pickles find it

bool_ = dtype("bool", BOOL, 1)
uint8 = dtype("uint8", INT, 1)
int8 = dtype("int8", INT, 1)
int16 = dtype("int16", INT, 2)
int32 = dtype("int32", INT, 4)
int64 = dtype("int64", INT, 8)
uint16 = dtype("uint16", INT, 2)
uint32 = dtype("uint32", INT, 4)
uint64 = dtype("uint64", INT, 8)
float16 = dtype("float16", FLOAT, 2)
bfloat16 = dtype("bfloat16", FLOAT, 2)
float32 = dtype("float32", FLOAT, 4)
float64 = dtype("float64", FLOAT, 8)
complex32 = dtype("complex32", COMPLEX, 4)
complex64 = dtype("complex64", COMPLEX, 8)
complex128 = dtype("complex128", COMPLEX, 16)

BY_NAME_ONLY = {
    name: dtype(name, FLOAT if name.startswith("float") else INT, {"qint32": 4, "bits16": 2}.get(name, 1))
    for name in _BY_NAME_ONLY
}
"""Dtypes that can be named and compared, while no tensor is of them."""

ALIASES = {
    "bool": bool_, "half": float16, "float": float32, "double": float64, "short": int16, "int": int32,
    "long": int64, "chalf": complex32, "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip

SCALAR_TYPE_NAMES = {
    bool_: "Bool", uint8: "Byte", int8: "Char", int16: "Short", int32: "Int", int64: "Long", uint16: "UInt16",
    uint32: "UInt32", uint64: "UInt64", float16: "Half", bfloat16: "BFloat16", float32: "Float", float64: "Double",
    complex32: "ComplexHalf", complex64: "ComplexFloat", complex128: "ComplexDouble",
    **{
        d: name.capitalize().replace("int", "Int").replace("ui", "UI").replace("Qu", "QU")
        for name, d in BY_NAME_ONLY.items()
    },
}  # fmt: skip
"""The names that PyTorch's error messages use."""

_CPP_NAMES = {
    "float32": "float", "float64": "double", "int64": "long int", "int32": "int", "int16": "short int",
    "int8": "signed char", "uint8": "unsigned char", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


def tensor_type_name(d: dtype) -> str:
    """PyTorch's old name for tensors of a dtype, as ``torch.FloatTensor``."""
    return f"torch.{SCALAR_TYPE_NAMES[d]}Tensor"


_WITH_OLD_NAMES = frozenset("Float Double Half Byte Char Short Int Long".split())


def type_name(d: dtype) -> str:
    """The type of a tensor of this dtype, as PyTorch's messages tell it."""
    name = SCALAR_TYPE_NAMES[d]
    return tensor_type_name(d) if name in _WITH_OLD_NAMES else f"CPU{name}Type"


def cpp_name(d: dtype) -> str:
    """How those of PyTorch's error messages that come from C++ spell a dtype."""
    return _CPP_NAMES.get(d.name, d.name)


from_numpy_table: dict[np.dtype[Any], dtype] = {
    d.numpy: d for d in dtype._by_name.values() if d.name not in _WITHOUT_NUMPY
}

F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)


def of_array(array: np.ndarray[Any, Any]) -> dtype:
    return of_numpy(array.dtype)


def of_numpy(d: np.dtype[Any]) -> dtype:
    found = from_numpy_table.get(d)
    if found is None:
        if d.name == "bfloat16":
            bfloat16.numpy  # noqa: B018  registers it
            return bfloat16
        if not d.isnative and d.newbyteorder("=") in from_numpy_table:
            raise ValueError(
                "given numpy array has byte order different from the native byte order. "
                "Conversion between byte orders is currently not supported."
            )
        raise TypeError(
            f"can't convert np.ndarray of type {d.type.__module__}.{d.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
            "uint8, and bool."
        )
    return found


def complex_of(d: dtype) -> dtype:
    """The complex dtype to compute in beside a dtype. There is no arithmetic in complex32 here."""
    if d.category == COMPLEX:
        return d
    return complex128 if d is float64 else complex64


def of_scalar(value: Any) -> dtype:
    """The dtype that a Python number has when nothing else decides."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, complex):
        return complex_of(default)
    return default


default: dtype = float32


def set_default_dtype(d: dtype, /) -> None:
    """Set the dtype of new floating point tensors; PyTorch's ``set_default_dtype``."""
    global default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    default = d


def get_default_dtype() -> dtype:
    """The dtype of new floating point tensors."""
    return default


_UNSIGNED = (uint16, uint32, uint64, *(BY_NAME_ONLY[f"uint{n}"] for n in range(1, 8)))
_promotions: dict[tuple[dtype, dtype], dtype] = {}


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both can be converted to, PyTorch's way."""
    found = _promotions.get((type1, type2))
    if found is None:
        found = _promotions[type1, type2] = _promote(type1, type2)
    return found


def _promote(a: dtype, b: dtype) -> dtype:
    a, b = (PYTHON_TYPES.get(each, each) for each in (a, b))
    for i, each in enumerate((a, b), 1):
        if not isinstance(each, dtype):
            found = type(each).__name__
            raise TypeError(f"promote_types(): argument 'type{i}' (position {i}) must be torch.dtype, not {found}")
    if a is b:
        return a
    _check_promotion(a, b)
    if a.category > b.category:
        a, b = b, a
    if b.category == COMPLEX:
        if a in _UNSIGNED:
            raise _unsigned_error(a, b)
        if b is complex32 and (a is complex32 or a.category < FLOAT or a is float16):
            return complex32
        wide = complex128 in (a, b) or a is float64
        return complex128 if wide else complex64
    if a.category < b.category:
        if b in _UNSIGNED:
            raise _unsigned_error(a, b)
        return b
    if b.category == FLOAT:
        if a.itemsize == b.itemsize:
            return float32
        return a if a.itemsize > b.itemsize else b
    if a in _UNSIGNED or b in _UNSIGNED:
        raise _unsigned_error(a, b)
    if uint8 in (a, b):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    return a if a.itemsize > b.itemsize else b


def _check_promotion(a: dtype, b: dtype) -> None:
    """Some of the dtypes that are names alone go together with no other."""
    names = {a.name, b.name}
    if not names.isdisjoint(_QUANTIZED):
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, "
            f"offending types: {SCALAR_TYPE_NAMES[a]} {SCALAR_TYPE_NAMES[b]}"
        )
    if not names.isdisjoint(_BITS):
        raise RuntimeError(f"Promotion from {SCALAR_TYPE_NAMES[a]} and {SCALAR_TYPE_NAMES[b]} is unsupported.")
    if not names.isdisjoint(_FLOAT8):
        raise RuntimeError(
            "Promotion for Float8 Types is not supported, attempted to promote "
            f"{SCALAR_TYPE_NAMES[a]} and {SCALAR_TYPE_NAMES[b]}"
        )


def _unsigned_error(a: dtype, b: dtype) -> RuntimeError:
    return RuntimeError(
        "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{SCALAR_TYPE_NAMES[a]} and {SCALAR_TYPE_NAMES[b]}"
    )


def result_dtype(dimensioned: dtype | None, zero_dim: dtype | None, number: dtype | None) -> dtype:
    """PyTorch's three ranks: tensors with dimensions, 0-d tensors, Python numbers.

    A lower rank counts only if it is of a higher category (bool < int < float < complex) than the ranks above.
    """
    result = _combine(dimensioned, _combine(zero_dim, number))
    assert result is not None
    return result


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None:
        return lower
    if lower is None or higher.category >= lower.category:
        return higher
    if higher.category == FLOAT:
        return complex_of(higher)
    return lower


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of one dtype may be written into a tensor of the other."""
    if from_.category == COMPLEX and to.category != COMPLEX:
        return False
    if from_.category == FLOAT and to.category < FLOAT:
        return False
    return to.category != BOOL or from_.category == BOOL


def cast(array: np.ndarray[Any, Any], d: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Conversion as C does it: complex drops its imaginary part, floats are cut to integers."""
    if array.dtype.kind == "c" and d.kind != "c" and d.kind != "b":
        array = array.real
    return _converted(array, d)


def _converted(array: Any, d: np.dtype[Any]) -> Any:
    """``astype``, in PyTorch's order where elements are repeated: NumPy would let those lie side by side."""
    if array.__class__ is not np.ndarray or 0 not in array.strides:
        return array.astype(d)
    order = _order_in_memory(array.shape, array.strides)
    out = np.empty([array.shape[i] for i in order], d).transpose(np.argsort(order))
    np.copyto(out, array, casting="unsafe")
    return out


def _order_in_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """Dimensions from the slowest to the fastest. One that repeats its elements stays where it is."""
    order = list(range(len(shape)))[::-1]
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            fast, slow = order[before], order[at]
            a, b = strides[fast], strides[slow]
            if not a or not b:
                continue
            if a > b or (a == b and shape[fast] > shape[slow]):
                order[before], order[at] = slow, fast
                at = before
            elif a < b:
                break
    return order[::-1]


def is_half(d: np.dtype[Any]) -> bool:
    """Whether a NumPy dtype is float16 or bfloat16. The latter is of no kind that NumPy knows."""
    return d.itemsize == 2 and d.kind in "fV"


def widened(array: Any) -> Any:
    """Half precision as float32, in which it is computed."""
    return _converted(array, F32) if is_half(array.dtype) else array


_LIMITS = {
    "bfloat16": (2.0**-7, 255 * 2.0**120, 2.0**-126, 0.01),
    "float8_e4m3fn": (2.0**-3, 448.0, 2.0**-6, 1.0),
    "float8_e4m3fnuz": (2.0**-3, 240.0, 2.0**-7, 1.0),
    "float8_e5m2": (2.0**-2, 57344.0, 2.0**-14, 1.0),
    "float8_e5m2fnuz": (2.0**-3, 57344.0, 2.0**-15, 1.0),
    "float8_e8m0fnu": (1.0, 2.0**127, 2.0**-127, 1.0),
}
"""Of dtypes that NumPy has not: eps, max, tiny and resolution."""


PYTHON_TYPES: dict[Any, dtype] = {float: float64, int: int64, bool: bool_, complex: complex128}
"""Python's own types, which stand for dtypes."""


def _as_dtype(value: Any) -> Any:
    return PYTHON_TYPES.get(value, value) if isinstance(value, type) else value


class finfo:
    """The numerical limits of a floating point dtype."""

    __module__ = "facula"

    def __init__(self, type: dtype | None = None) -> None:
        d = default if type is None else _as_dtype(type)
        if not isinstance(d, dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {d.__class__.__name__}")
        if d.category < FLOAT:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        d = d.to_real()
        self.dtype = d.name
        self.bits = d.itemsize * 8
        if d.name in _LIMITS:
            self.eps, self.max, self.tiny, self.resolution = _LIMITS[d.name]
            self.min = self.tiny if d.name == "float8_e8m0fnu" else -self.max
        else:
            info = np.finfo(d.numpy)
            self.eps, self.max, self.min, self.tiny = (float(x) for x in (info.eps, info.max, info.min, info.tiny))
            self.resolution = 10.0 ** -int(info.precision)
        self.smallest_normal = self.tiny

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """The numerical limits of an integer dtype."""

    __module__ = "facula"

    def __init__(self, type: dtype) -> None:
        type = _as_dtype(type)
        if not isinstance(type, dtype):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}")
        if type.name in _QUANTIZED:
            raise not_for("dtype", type)
        if type.category >= FLOAT or type.name in _BY_NAME_ONLY:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if type is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        info = np.iinfo(type.numpy)
        self.dtype = type.name
        self.bits = type.itemsize * 8
        self.min = int(info.min)
        self.max = int(info.max)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


def not_for(kernel: str, d: dtype) -> NotImplementedError:
    """What PyTorch says of a dtype that a kernel was not made for."""
    return beside_out(NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_TYPE_NAMES[d]}'"), d)


_Error = TypeVar("_Error", bound=Exception)


def beside_out(error: _Error, d: dtype) -> _Error:
    """An error that is raised only if ``out=``, where it is given, will do for a result of this dtype."""
    error.result_dtype = d  # type: ignore[attr-defined]
    return error
