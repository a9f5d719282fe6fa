"""The results of operators that return several tensors by name: ``values, indices = torch.max(x, 0)``."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, ClassVar


class Result(tuple[Any, ...]):
    """A tuple whose items have names. It is made of a sequence, as C's structured tuples are."""

    __slots__ = ()

    n_fields: ClassVar[int] = 0
    n_sequence_fields: ClassVar[int] = 0
    n_unnamed_fields: ClassVar[int] = 0
    __match_args__: ClassVar[tuple[str, ...]] = ()
    out: ClassVar[type[Result]]
    """The class of what the operator returns if it was given ``out=``."""

    def __new__(cls, sequence: Any = (), extra: dict[str, Any] | None = None) -> Result:
        if extra is not None and not isinstance(extra, dict):
            raise TypeError(f"{_full_name(cls)}() takes a dict as second arg, if any")
        items = sequence if sequence.__class__ is tuple else tuple(sequence)
        if len(items) != cls.n_fields:
            raise TypeError(f"{_full_name(cls)}() takes a {cls.n_fields}-sequence ({len(items)}-sequence given)")
        return tuple.__new__(cls, items)

    def __repr__(self) -> str:
        items = ",\n".join(f"{n}={v!r}" for n, v in zip(self.__match_args__, self, strict=True))
        return f"{_full_name(type(self))}(\n{items})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{_full_name(type(self))}' object has no attribute '{name}'")

    def __reduce__(self) -> Any:
        return type(self), (tuple(self), {})


def _full_name(cls: type) -> str:
    return f"torch.return_types.{cls.__name__}"


all_return_types: list[type[Result]] = []


def define(name: str, *fields: str) -> type[Result]:
    """Make the class of an operator's results, and the one for its form with ``out=``."""
    made = []
    for each in (name, f"{name}_out"):
        body: dict[str, Any] = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
        body |= {
            "__slots__": (), "__module__": __name__, "__match_args__": fields, "n_fields": len(fields),
            "n_sequence_fields": len(fields), "__doc__": f"({', '.join(fields)}): what ``{name}`` returns.",
        }  # fmt: skip
        cls: Any = type(each, (Result,), body)
        globals()[each] = cls
        all_return_types.append(cls)
        made.append(cls)
    made[0].out = made[1].out = made[1]
    return made[0]


for _name in ("max", "min", "median", "nanmedian", "mode", "kthvalue", "sort", "topk", "cummax", "cummin"):
    define(_name, "values", "indices")
define("aminmax", "min", "max")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'facula.return_types' has no attribute '{name}'")
