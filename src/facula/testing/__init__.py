"""``torch.testing``: comparing what came out with what should have, and making tensors to try things on."""

from . import _utils as _utils
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
