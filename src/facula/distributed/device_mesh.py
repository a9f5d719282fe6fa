"""``DeviceMesh``: ranks in a grid, with a group along each dimension."""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import numpy as np

from .._tensor import Tensor
from . import process_group as groups
from .queries import get_rank, get_world_size, init_process_group, is_initialized, new_group

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """An array of ranks; in each dimension, the ranks of a row form a group."""

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: tuple[str, ...] | None = None, _init_backend: bool = True,
        _groups: list[Any] | None = None,
    ) -> None:  # fmt: skip
        if not is_initialized():
            init_process_group()
        self.device_type = device_type
        self._ranks = np.array(mesh._array if isinstance(mesh, Tensor) else mesh)
        self.mesh_dim_names = mesh_dim_names
        self._groups = self._made_groups() if _groups is None else _groups

    def _made_groups(self) -> list[Any]:
        made = []
        own = get_rank()
        for dim in range(self._ranks.ndim):
            rows = np.moveaxis(self._ranks, dim, -1).reshape(-1, self._ranks.shape[dim])
            mine = None
            for row in rows.tolist():
                whole = row == list(range(get_world_size()))
                found = groups.default_group() if whole else new_group(row)
                if own in row:
                    mine = found
            made.append(mine)
        return made

    @property
    def mesh(self) -> Tensor:
        return Tensor._wrap(self._ranks.copy())

    @property
    def shape(self) -> tuple[int, ...]:
        return self._ranks.shape

    @property
    def ndim(self) -> int:
        return self._ranks.ndim

    def size(self, mesh_dim: int | None = None) -> int:
        return prod(self.shape) if mesh_dim is None else self.shape[mesh_dim]

    def _dim(self, dim: int | str | None) -> int:
        if dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions Optional kwarg `mesh_dim` needs to be "
                    "specified when "
                    "device_mesh.ndim > 1."
                )
            return 0
        if isinstance(dim, int):
            return dim
        if self.mesh_dim_names is None or dim not in self.mesh_dim_names:
            raise KeyError(f"Invalid mesh_dim_names {dim} specified.")
        return self.mesh_dim_names.index(dim)

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        return self._groups[self._dim(mesh_dim)]

    def get_all_groups(self) -> list[Any]:
        return list(self._groups)

    def get_rank(self) -> int:
        return get_rank()

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        return get_rank(self.get_group(mesh_dim))

    def get_coordinate(self) -> tuple[int, ...] | None:
        found = np.argwhere(self._ranks == get_rank())
        return tuple(found[0].tolist()) if len(found) else None

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        """The part of the mesh along some of its dimensions in which this rank is."""
        wanted = (names,) if isinstance(names, str) else names
        dims = [self._dim(name) for name in wanted]
        here = self.get_coordinate()
        assert here is not None
        index = tuple(slice(None) if dim in dims else here[dim] for dim in range(self.ndim))
        part = self._ranks[index]
        part = part.transpose(np.argsort(np.argsort(dims)))
        return DeviceMesh(self.device_type, part, mesh_dim_names=wanted, _groups=[self._groups[d] for d in dims])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and np.array_equal(self._ranks, other._ranks)

    def __hash__(self) -> int:
        return hash((self._ranks.tobytes(), self._ranks.shape))

    def __repr__(self) -> str:
        names = self.mesh_dim_names or [""] * self.ndim
        sizes = ", ".join(f"{name}={n}" if name else str(n) for name, n in zip(names, self.shape))
        return f"DeviceMesh(({sizes}), {self.device_type!r})"


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *, mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:  # fmt: skip
    """All ranks, in a grid of a shape."""
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique.", f"Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}"
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length!",
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.",
            )
    if not is_initialized():
        init_process_group()
    if prod(mesh_shape) != get_world_size():
        raise RuntimeError(
            f"Mesh should not be bigger than default world size {get_world_size()}, but found {prod(mesh_shape)} ranks!"
        )
    ranks = list(itertools.islice(itertools.count(), get_world_size()))
    return DeviceMesh(device_type, np.array(ranks).reshape(mesh_shape), mesh_dim_names=mesh_dim_names)
