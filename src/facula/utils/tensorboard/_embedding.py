"""Files for TensorBoard's projector: vectors, their labels and their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

from ._arrays import Array, make_grid, make_np


def write(
    folder: Path, mat: Array, metadata: Sequence[Any] | None, label_img: Any, header: Sequence[str] | None
) -> None:
    """Write vectors, and what is given of labels and pictures, into a folder."""
    if metadata is not None:
        if len(mat) != len(metadata):
            raise AssertionError("#labels should equal with #data points")
        write_labels(folder / "metadata.tsv", metadata, header)
    if label_img is not None:
        if len(mat) != label_img.shape[0]:
            raise AssertionError("#images should equal with #data points")
        write_pictures(folder / "sprite.png", make_np(label_img))
    if mat.ndim != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    rows = ("\t".join(str(number) for number in row) for row in mat.tolist())
    (folder / "tensors.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def write_labels(path: Path, metadata: Sequence[Any], header: Sequence[str] | None) -> None:
    """A line for each vector; with a header, each has several columns."""
    if not header:
        lines = [str(label) for label in metadata]
    else:
        if len(header) != len(metadata[0]):
            raise AssertionError("len of header must be equal to the number of columns in metadata")
        lines = ["\t".join(str(entry) for entry in row) for row in (header, *metadata)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_pictures(path: Path, images: Array) -> None:
    """All pictures in one that is a square, row by row."""
    from PIL import Image  # loaded when first used

    grid = make_grid(images, ncols=int(np.ceil(len(images) ** 0.5))).transpose(1, 2, 0)
    square = np.zeros((grid.shape[1], grid.shape[1], 3))
    square[: grid.shape[0]] = grid
    Image.fromarray(np.uint8((square * 255).clip(0, 255))).save(path, format="PNG")


def info(subdir: str, tag: str, global_step: Any, metadata: Any, label_img: Any) -> Any:
    """What the projector is told of the files."""
    told = EmbeddingInfo(tensor_name=f"{tag}:{str(global_step).zfill(5)}", tensor_path=f"{subdir}/tensors.tsv")
    if metadata is not None:
        told.metadata_path = f"{subdir}/metadata.tsv"
    if label_img is not None:
        told.sprite.image_path = f"{subdir}/sprite.png"
        told.sprite.single_image_dim.extend([label_img.shape[3], label_img.shape[2]])
    return told
