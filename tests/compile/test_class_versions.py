"""Whether classes have been changed, as the native library tells it."""

from __future__ import annotations

from typing import Any

import pytest

import facula as torch
from facula.native import versions

pytestmark = pytest.mark.usefixtures("with_library")


def watched(*classes: type) -> Any:
    found = versions.watch([*classes])
    if found is None:
        pytest.skip("there is no native library, or this interpreter does not number its classes")
    found(versions.NOTE)
    for cls in classes:
        assert callable(cls.method)  # type: ignore[attr-defined]
    found(versions.NOTE)
    assert not found()
    found(versions.SURE)
    assert found()
    return found


class Base:
    def method(self) -> int:
        return 1


class Derived(Base):
    other = 0


@pytest.mark.parametrize("cls", [Base, Derived])
def test_a_change_of_a_class_or_of_a_base_is_told(cls: Any) -> None:
    same = watched(Derived)
    cls.other = 1
    assert not same()
    assert callable(Derived.method)  # looked up, and numbered again
    assert not same()


def test_what_was_not_found_to_be_right_is_not_sure() -> None:
    same = watched(Derived)
    Base.method = Base.method  # type: ignore[method-assign]
    assert callable(Derived.method)
    same(versions.NOTE)
    assert not same()


def test_other_classes_and_instances_do_not_matter() -> None:
    same = watched(Base, Derived)
    thing: Any = Derived()
    thing.other = 5

    class Another(Derived):
        pass

    Another.other = 2
    assert same()


def test_a_compiled_function_sees_a_method_that_is_replaced_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = torch.nn.Tanh()
    fast = torch.compile(lambda x: layer(x) + 1, backend="numpy")
    x = torch.tensor([0.5])
    for _ in range(3):
        assert torch.equal(fast(x), x.tanh() + 1)
    with monkeypatch.context() as patch:
        patch.setattr(torch.nn.Tanh, "forward", lambda self, x: x * 2)
        for _ in range(3):
            assert torch.equal(fast(x), x * 2 + 1)
    for _ in range(3):
        assert torch.equal(fast(x), x.tanh() + 1)
