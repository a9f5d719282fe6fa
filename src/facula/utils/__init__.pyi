# Written by python -m tests.stubs.
# ruff: noqa


__all__: list[str]
from facula.utils import checkpoint as checkpoint
from facula.utils import data as data
from facula.utils import dlpack as dlpack
from facula.utils import hooks as hooks
from facula.utils.swapping import swap_tensors as swap_tensors
from facula.utils import swapping as swapping
