"""From what users give to the arrays that are written: numbers, pictures, films."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor

Array = np.ndarray[Any, Any]


def make_np(x: Any) -> Array:
    """A tensor, an array or a number as an array."""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        x = x.detach()
        wide = x.to(dtypes.float16) if x.dtype is dtypes.bfloat16 else x
        array: Array = wide.numpy()
        return array
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


def make_grid(images: Array, ncols: int = 8) -> Array:
    """Pictures of (N, C, H, W) beside and below each other, in three colours: (3, rows H, columns W)."""
    if images.shape[1] == 1:
        images = np.repeat(images, 3, axis=1)
    if images.ndim != 4 or images.shape[1] != 3:
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    count, _, height, width = images.shape
    columns = min(count, ncols)
    rows = -(-count // columns)
    grid = np.zeros((rows * columns, 3, height, width), images.dtype)
    grid[:count] = images
    in_rows = grid.reshape(rows, columns, 3, height, width).transpose(2, 0, 3, 1, 4)
    return in_rows.reshape(3, rows * height, columns * width)


def convert_to_HWC(tensor: Array, input_format: str) -> Array:
    """A picture, or several as a grid, with dimensions named by ``input_format``, as (H, W, 3) or more channels."""
    named = input_format.upper()
    if len(set(input_format)) != len(input_format):
        raise AssertionError(f"You can not use the same dimension shorthand twice. input_format: {input_format}")
    if tensor.ndim != len(named):
        raise AssertionError(
            "size of input tensor and input format are different. "
            f"tensor shape: {tensor.shape}, input_format: {input_format}"
        )
    if len(named) == 4:
        return make_grid(tensor.transpose([named.find(d) for d in "NCHW"])).transpose(1, 2, 0)
    if len(named) == 2:
        return np.stack([tensor.transpose([named.find(d) for d in "HW"])] * 3, 2)
    picture = tensor.transpose([named.find(d) for d in "HWC"])
    return np.repeat(picture, 3, axis=2) if picture.shape[2] == 1 else picture


def in_bytes(picture: Array) -> Array:
    """Brightness from 0 to 255; of floating point it is given from 0 to 1."""
    scale = 1 if picture.dtype == np.uint8 else 255
    return (picture.astype(np.float32) * scale).clip(0, 255).astype(np.uint8)


def film(videos: Array) -> Array:
    """Films of (N, T, C, H, W) beside each other, as one of (T, rows H, columns W, C); N is made a power of two."""
    count, frames, channels, height, width = videos.shape
    if videos.dtype == np.uint8:
        videos = videos.astype(np.float32) / 255.0
    filled = 1 << (count - 1).bit_length()
    full = np.zeros((filled, *videos.shape[1:]), videos.dtype)
    full[:count] = videos
    rows = 2 ** ((count.bit_length() - 1) // 2)
    grid = full.reshape(rows, filled // rows, frames, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(frames, rows * height, (filled // rows) * width, channels)


def figure_to_image(figures: Any, close: bool = True) -> Array:
    """A figure of matplotlib drawn as a picture of (3, H, W); of several, (N, 3, H, W)."""
    if isinstance(figures, list):
        return np.stack([figure_to_image(figure, close) for figure in figures])
    import matplotlib.pyplot as plt  # loaded when first used
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # the same

    canvas = FigureCanvasAgg(figures)
    canvas.draw()
    drawn = np.array(canvas.buffer_rgba())[:, :, :3].transpose(2, 0, 1)
    if close:
        plt.close(figures)
    return drawn
