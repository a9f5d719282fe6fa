"""A redirect for old pickles: see ``facula._old_paths``."""

from facula._core.dtypes import dtype, finfo, iinfo

__all__ = ["_dtype_by_name", "dtype", "finfo", "iinfo"]

_dtype_by_name = dtype._by_name.__getitem__
