"""Which part of a tensor a process has."""

from __future__ import annotations

from collections.abc import Sequence

from ..device_mesh import DeviceMesh
from .placement_types import Placement, Shard, _StridedShard

__all__ = ["compute_local_shape_and_global_offset"]


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement], skip_offset: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of this process's part, and where in the whole it begins."""
    shape, offset = list(global_shape), [0] * len(global_shape)
    place = mesh.get_coordinate()
    for mesh_dim, placement in enumerate(placements):
        if isinstance(placement, _StridedShard):
            raise NotImplementedError("facula computes the parts of Shard, Replicate and Partial, not of _StridedShard")
        if isinstance(placement, Shard):
            if place is None:  # a process outside of the mesh has nothing
                return (0,), ()
            dim = placement.dim
            length, start = Shard.local_shard_size_and_offset(shape[dim], mesh.size(mesh_dim), place[mesh_dim])
            shape[dim] = length
            offset[dim] += start
    return tuple(shape), () if skip_offset else tuple(offset)
