"""Which accelerators and libraries there are: none beyond NumPy's."""

from __future__ import annotations


class _Absent:
    """A backend that is not here. Its switches may be set, to no effect."""

    enabled = False
    benchmark = False
    deterministic = False
    allow_tf32 = False

    def is_available(self) -> bool:
        return False

    def is_built(self) -> bool:
        return False


class _Cuda(_Absent):
    def __init__(self) -> None:
        self.matmul = _Absent()


mps = _Absent()
cudnn = _Absent()
mkl = _Absent()
mkldnn = _Absent()
openmp = _Absent()
cuda = _Cuda()
