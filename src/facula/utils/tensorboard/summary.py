"""Records for TensorBoard: numbers, histograms, pictures, sounds, texts, curves."""

from __future__ import annotations

import io
import json
import struct
import wave
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from ..._core import dtypes
from ..._tensor import Tensor
from ._arrays import Array, convert_to_HWC, film, in_bytes, make_np
from ._hparams import hparams

__all__ = [
    "audio", "compute_curve", "custom_scalars", "draw_boxes", "histogram", "histogram_raw", "hparams", "image",
    "image_boxes", "make_histogram", "make_image", "make_video", "mesh", "pr_curve", "pr_curve_raw", "scalar",
    "tensor_proto", "text", "video",
]  # fmt: skip


def _record(tag: str, plugin: str = "", content: bytes = b"", **value: Any) -> Any:
    """A summary of one value, which a plugin of TensorBoard shows if one is named."""
    if plugin:
        shown_by = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
        value["metadata"] = SummaryMetadata(plugin_data=shown_by)
    return Summary(value=[Summary.Value(tag=tag, **value)])


def _shape(sizes: Sequence[int]) -> Any:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


# ---- numbers


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False
) -> Any:
    """A number; ``new_style`` writes it as a tensor, which may be a double."""
    array = make_np(tensor).squeeze()
    if array.ndim != 0:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions). "
            f"Was given size: {array.size} and {array.ndim} dimensions."
        )
    number = float(array)
    if not new_style:
        return _record(name, simple_value=number)
    if double_precision:
        return _record(name, "scalars", tensor=TensorProto(double_val=[number], dtype="DT_DOUBLE"))
    return _record(name, "scalars", tensor=TensorProto(float_val=[number], dtype="DT_FLOAT"))


_FIELDS = {
    dtypes.float16: ("DT_HALF", "half_val"), dtypes.bfloat16: ("DT_BFLOAT16", "half_val"),
    dtypes.float32: ("DT_FLOAT", "float_val"), dtypes.float64: ("DT_DOUBLE", "double_val"),
    dtypes.int8: ("DT_INT8", "int_val"), dtypes.uint8: ("DT_UINT8", "uint32_val"),
    dtypes.int16: ("DT_INT16", "int_val"), dtypes.int32: ("DT_INT32", "int_val"),
    dtypes.int64: ("DT_INT64", "int64_val"), dtypes.bool_: ("DT_BOOL", "bool_val"),
    dtypes.complex64: ("DT_COMPLEX64", "scomplex_val"), dtypes.complex128: ("DT_COMPLEX128", "dcomplex_val"),
}  # fmt: skip
"""The type of a record, and where its numbers stand."""


def tensor_proto(tag: str, tensor: Tensor) -> Any:
    """A tensor as it is."""
    if tensor.numel() * tensor.itemsize >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    if tensor.dtype not in _FIELDS:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    kind, field = _FIELDS[tensor.dtype]
    numbers = tensor.detach().flatten().tolist()
    if field == "half_val":  # as the bits of a float, by PyTorch's convention
        numbers = [struct.unpack("i", struct.pack("f", number))[0] for number in numbers]
    elif field.endswith("complex_val"):
        numbers = [part for number in numbers for part in (number.real, number.imag)]
    shape = _shape(tensor.shape)
    return _record(tag, "tensor", tensor=TensorProto(dtype=kind, tensor_shape=shape, **{field: numbers}))


def histogram_raw(
    name: str, min: float, max: float, num: int, sum: float, sum_squares: float, bucket_limits: Any, bucket_counts: Any
) -> Any:
    """A histogram that has been counted elsewhere."""
    counted = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return _record(name, histo=counted)


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """How often values are between limits."""
    return _record(name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))


def make_histogram(values: Array, bins: Any, max_bins: int | None = None) -> Any:
    """Values counted, from the first bin that has any to the last; an empty bin before them tells the left limit."""
    if values.size == 0:
        raise ValueError("The input has no element.")
    values = values.reshape(-1)
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        together = len(counts) // max_bins
        starts = np.arange(0, len(counts), together)
        counts, limits = np.add.reduceat(counts, starts), np.append(limits[starts], limits[-1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = int(filled[0]), int(filled[-1])
    return HistogramProto(
        min=values.min(), max=values.max(), num=len(values), sum=values.sum(), sum_squares=values.dot(values),
        bucket_limit=limits[first : last + 2].tolist(), bucket=[0, *counts[first : last + 1].tolist()],
    )  # fmt: skip


# ---- pictures and sounds


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """A picture, or several as one."""
    return _record(tag, image=make_image(in_bytes(convert_to_HWC(make_np(tensor), dataformats)), rescale))


def image_boxes(
    tag: str, tensor_image: Any, tensor_boxes: Any, rescale: float = 1, dataformats: str = "CHW", labels: Any = None
) -> Any:
    """A picture with boxes in it, each by left, top, right and bottom."""
    picture = in_bytes(convert_to_HWC(make_np(tensor_image), dataformats))
    return _record(tag, image=make_image(picture, rescale, make_np(tensor_boxes), labels))


def make_image(tensor: Array, rescale: float = 1, rois: Array | None = None, labels: Any = None) -> Any:
    """A picture of (H, W, C) as a PNG."""
    from PIL import Image  # loaded when first used

    height, width, channels = tensor.shape
    drawn = Image.fromarray(np.ascontiguousarray(tensor))
    if rois is not None:
        drawn = draw_boxes(drawn, rois, labels)
    drawn = drawn.resize((int(width * rescale), int(height * rescale)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    drawn.save(file, format="PNG")
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue())


def draw_boxes(disp_image: Any, boxes: Array, labels: Any = None) -> Any:
    """Red boxes drawn into a picture of PIL, with their labels at the lower left."""
    from PIL import ImageDraw, ImageFont  # loaded when first used

    pen, font = ImageDraw.Draw(disp_image), ImageFont.load_default()
    for i, (left, top, right, bottom) in enumerate(boxes.tolist()):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        pen.line(corners, width=2, fill="Red")
        if labels is not None and labels[i]:
            x0, y0, x1, y1 = font.getbbox(labels[i])
            width, height = x1 - x0, y1 - y0
            margin = np.ceil(0.05 * height)
            pen.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill="Red")
            pen.text((left + margin, bottom - height - margin), labels[i], fill="black", font=font)
    return disp_image


def video(tag: str, tensor: Any, fps: float = 4) -> Any:
    """Films of (N, T, C, H, W) beside each other, as a GIF."""
    return _record(tag, image=make_video(in_bytes(film(make_np(tensor))), fps))


def make_video(tensor: Array, fps: float) -> Any:
    """A film of (T, H, W, C) as a GIF."""
    from PIL import Image  # loaded when first used

    _, height, width, channels = tensor.shape
    frames = np.ascontiguousarray(tensor[..., 0] if channels == 1 else tensor)
    first, *rest = [Image.fromarray(frame) for frame in frames]
    file = io.BytesIO()
    first.save(file, format="GIF", save_all=True, append_images=rest, duration=round(1000 / fps), loop=0)
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue())


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Any:
    """A sound from -1 to 1, as a WAV."""
    sound = make_np(tensor).squeeze()
    if abs(sound).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        sound = sound.clip(-1, 1)
    if sound.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(sample_rate)
        writer.writeframes((sound * np.iinfo(np.int16).max).astype("<i2").tobytes())
    return _record(tag, audio=Summary.Audio(
        sample_rate=sample_rate, num_channels=1, length_frames=len(sound), encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    ))  # fmt: skip


# ---- texts, layouts, curves, meshes


def text(tag: str, text: str) -> Any:
    """A text in Markdown."""
    written = TensorProto(dtype="DT_STRING", string_val=[text.encode()], tensor_shape=_shape([1]))
    return _record(f"{tag}/text_summary", "text", TextPluginData(version=0).SerializeToString(), tensor=written)


def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> Any:
    """Which scalars share a chart: ``{category: {title: ["Multiline" or "Margin", tags]}}``."""
    categories = []
    for category, charts in layout.items():
        drawn = []
        for title, (kind, tags, *_) in charts.items():
            if kind == "Margin":
                if len(tags) != 3:
                    raise AssertionError("len(tags) != 3")
                series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
                drawn.append(layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series])))
            else:
                drawn.append(layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags)))
        categories.append(layout_pb2.Category(title=category, chart=drawn))
    told = layout_pb2.Layout(category=categories).SerializeToString()
    tensor = TensorProto(dtype="DT_STRING", string_val=[told], tensor_shape=_shape([]))
    return _record("custom_scalars__config__", "custom_scalars", tensor=tensor)


_MOST_THRESHOLDS = 127


def pr_curve_raw(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any, num_thresholds: int = 127,
    weights: Any = None,
) -> Any:  # fmt: skip
    """A curve of precision and recall that has been computed elsewhere."""
    return _curve(tag, np.stack((tp, fp, tn, fn, precision, recall)), num_thresholds)


def pr_curve(tag: str, labels: Array, predictions: Array, num_thresholds: int = 127, weights: Any = None) -> Any:
    """Precision and recall of predictions from 0 to 1, for thresholds between."""
    thresholds = min(num_thresholds, _MOST_THRESHOLDS)
    return _curve(tag, compute_curve(labels, predictions, thresholds, weights), thresholds)


def _curve(tag: str, rows: Array, num_thresholds: int) -> Any:
    content = PrCurvePluginData(version=0, num_thresholds=min(num_thresholds, _MOST_THRESHOLDS)).SerializeToString()
    numbers = TensorProto(dtype="DT_FLOAT", float_val=rows.reshape(-1).tolist(), tensor_shape=_shape(rows.shape))
    return _record(tag, "pr_curves", content, tensor=numbers)


def compute_curve(labels: Array, predictions: Array, num_thresholds: int = 127, weights: Any = None) -> Array:
    """True and false positives, true and false negatives, precision and recall, a row of each by threshold."""
    weights = 1.0 if weights is None else weights
    places = np.int32(np.floor(predictions * (num_thresholds - 1)))
    right = labels.astype(np.float64)

    def at_least(weight: Any) -> Array:
        counts, _ = np.histogram(places, bins=num_thresholds, range=(0, num_thresholds - 1), weights=weight * weights)
        return np.cumsum(counts[::-1])[::-1]

    tp, fp = at_least(right), at_least(1.0 - right)
    tn, fn = fp[0] - fp, tp[0] - tp
    precision, recall = tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall))


def mesh(
    tag: str, vertices: Any, colors: Any, faces: Any, config_dict: Any, display_name: Any = None,
    description: Any = None,
) -> Any:  # fmt: skip
    """Points in space, (N, points, 3), with their colours and the triangles between them."""
    from tensorboard.plugins.mesh import metadata  # loaded when first used
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData  # the same

    kinds = [(vertices, MeshPluginData.VERTEX), (faces, MeshPluginData.FACE), (colors, MeshPluginData.COLOR)]
    given = [(make_np(tensor), kind) for tensor, kind in kinds if tensor is not None]
    components = metadata.get_components_bitmask([kind for _, kind in given])
    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    return Summary(value=[
        Summary.Value(
            tag=metadata.get_instance_name(tag, kind),
            tensor=TensorProto(dtype="DT_FLOAT", float_val=a.reshape(-1).tolist(), tensor_shape=_shape(a.shape)),
            metadata=metadata.create_summary_metadata(
                tag, display_name, kind, components, list(a.shape), description, json_config=config
            ),
        )
        for a, kind in given
    ])  # fmt: skip
