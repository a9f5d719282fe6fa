"""Elements of planes, the last dimensions of a tensor, taken from and added to given places."""

from __future__ import annotations

from typing import Any

from ..arrays.images.windows import add_to_planes, take_from_planes
from ..arrays.meta import by_zeros
from ..arrays.strides import lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import Primitive
from ..machine.rules import no_gradient, of_shape


def plane_ops(name: str, node: str, spatial: int) -> Primitive:
    """A primitive like ``add_to_planes``, for the derivatives of an operator that picks elements of planes."""

    @by_zeros
    def add(input: Array, like: Array, index: Array) -> Any:
        """``like``: what the elements were picked from."""
        return lying_as(add_to_planes(input, index, like.shape, spatial), like)

    def take(input: Array, index: Array) -> Any:
        return take_from_planes(input, index, spatial)

    batch = batching.joined_samples(spatial)
    adding = Primitive(name, add, node, kind="linear", batch=batch, saved_names={"index": "indices"})

    @Primitive(f"{name}_backward", take, node, kind="linear", batch=batch).vjp("input")
    def gradient_of_taken(g: Any, index: Any, input_shape: Any, xp: Any) -> Any:
        return getattr(xp, name)(g, of_shape(input_shape, g, xp), index)

    adding.vjp(input=lambda g, index, xp: getattr(xp, f"{name}_backward")(g, index), like=no_gradient)
    return adding
