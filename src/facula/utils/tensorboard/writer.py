"""``SummaryWriter``: a folder of files that TensorBoard reads."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from ..._tensor import Tensor
from . import _embedding, summary
from ._arrays import figure_to_image, make_np
from ._graph import graph

__all__ = ["FileWriter", "SummaryWriter"]

Step = int | None
Time = float | None


class FileWriter:
    """One file of events in a folder. Another thread writes it, so that a training need not wait."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = "") -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder."""
        return str(self.event_writer.get_logdir())

    def add_event(self, event: Any, step: Step = None, walltime: Time = None) -> None:
        """Write an event, as of now if no time is given."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Step = None, walltime: Time = None) -> None:
        """Write a record of values."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: tuple[Any, Any], walltime: Time = None) -> None:
        """Write a graph, and what is known of its run."""
        drawn, run = graph_profile
        self.add_event(Event(graph_def=drawn.SerializeToString()), None, walltime)
        told = TaggedRunMetadata(tag="step1", run_metadata=run.SerializeToString())
        self.add_event(Event(tagged_run_metadata=told), None, walltime)

    def flush(self) -> None:
        """Wait until everything is in the file."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write what is waiting, and close the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Go on in a new file."""
        self.event_writer.reopen()


class SummaryWriter:
    """Writes what a training tells into a folder, ``runs/<time>_<host>`` if none is given, for TensorBoard to show.

    Steps from ``purge_step`` on that an earlier writer has left in the folder are not shown.
    """

    def __init__(
        self, log_dir: Any = None, comment: str = "", purge_step: Step = None, max_queue: int = 10,
        flush_secs: float = 120, filename_suffix: str = "",
    ) -> None:  # fmt: skip
        if not log_dir:
            import socket  # loaded when first used
            from datetime import datetime  # the same

            started = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{started}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._projector = ProjectorConfig()
        self._get_file_writer()
        limits = [1e-12]
        while limits[-1] * 1.1 < 1e20:
            limits.append(limits[-1] * 1.1)
        self.default_bins = [-limit for limit in reversed(limits)] + [0] + limits

    def _get_file_writer(self) -> FileWriter:
        """The file of this folder; after ``close`` a new one."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._new_writer(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                start = SessionLog(status=SessionLog.START)
                self.file_writer.add_event(Event(file_version="brain.Event:2"), self.purge_step)
                self.file_writer.add_event(Event(session_log=start), self.purge_step)
                self.purge_step = None
        return self.file_writer

    def _new_writer(self, folder: Any) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _add(self, record: Any, global_step: Step = None, walltime: Time = None) -> None:
        self._get_file_writer().add_summary(record, global_step, walltime)

    def get_logdir(self) -> Any:
        """The folder."""
        return self.log_dir

    # ---- numbers

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: Step = None, walltime: Time = None, new_style: bool = False,
        double_precision: bool = False,
    ) -> None:  # fmt: skip
        """Write a number."""
        record = summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._add(record, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Step = None, walltime: Time = None
    ) -> None:
        """Write several numbers that share a chart, each in a folder of its own."""
        walltime = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        writers = self.all_writers
        assert writers is not None
        for tag, value in tag_scalar_dict.items():
            place = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if place not in writers:
                writers[place] = self._new_writer(place)
            writers[place].add_summary(summary.scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Tensor, global_step: Step = None, walltime: Time = None) -> None:
        """Write a tensor."""
        self._add(summary.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: Step = None, bins: Any = "tensorflow", walltime: Time = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Write how often values are between limits, which ``bins`` gives, or names as ``numpy.histogram`` does."""
        if isinstance(bins, str) and bins == "tensorflow":
            bins = self.default_bins
        self._add(summary.histogram(tag, values, bins, max_bins=max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag: str, min: float, max: float, num: int, sum: float, sum_squares: float,
        bucket_limits: Sequence[float], bucket_counts: Sequence[float], global_step: Step = None, walltime: Time = None,
    ) -> None:  # fmt: skip
        """Write a histogram that has been counted elsewhere."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        record = summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(record, global_step, walltime)

    def add_hparams(
        self, hparam_dict: dict[str, Any], metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None, run_name: str | None = None,
        global_step: Step = None,
    ) -> None:  # fmt: skip
        """Write settings and results of a run, in a folder of its own below this one."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        records = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for record in records:
                writer._add(record, global_step)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    # ---- pictures, sounds, texts

    def add_image(
        self, tag: str, img_tensor: Any, global_step: Step = None, walltime: Time = None, dataformats: str = "CHW"
    ) -> None:
        """Write a picture: of bytes, or from 0 to 1."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: Step = None, walltime: Time = None, dataformats: str = "NCHW"
    ) -> None:
        """Write pictures, beside and below each other."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Step = None, walltime: Time = None,
        rescale: float = 1, dataformats: str = "CHW", labels: Any = None,
    ) -> None:  # fmt: skip
        """Write a picture with boxes in it, each by left, top, right and bottom."""
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != box_tensor.shape[0]:
            labels = None
        record = summary.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._add(record, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: Step = None, close: bool = True, walltime: Time = None
    ) -> None:
        """Write a figure of matplotlib, or several."""
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats=formats)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: Step = None, fps: float = 4, walltime: Time = None
    ) -> None:
        """Write films of (N, T, C, H, W), beside each other."""
        self._add(summary.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self, tag: str, snd_tensor: Any, global_step: Step = None, sample_rate: int = 44100, walltime: Time = None
    ) -> None:
        """Write a sound from -1 to 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate=sample_rate), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Step = None, walltime: Time = None) -> None:
        """Write a text in Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    # ---- models, vectors, curves

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Call a model with an input, or several as a tuple, and write the graph of what it does."""
        self._get_file_writer().add_graph(graph(model, input_to_model, verbose, use_strict_trace))

    def add_embedding(
        self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: Step = None, tag: str = "default",
        metadata_header: Any = None,
    ) -> None:  # fmt: skip
        """Write vectors, a row each, for the projector, with labels and pictures (N, C, H, W)."""
        step = 0 if global_step is None else global_step
        subdir = f"{str(step).zfill(5)}/{_as_folder(tag)}"
        top = Path(self._get_file_writer().get_logdir())
        folder = top / subdir
        if folder.is_dir():
            print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
        elif folder.exists():
            raise NotADirectoryError(f"Path: `{folder}` exists, but is a file. Cannot proceed.")
        folder.mkdir(parents=True, exist_ok=True)
        _embedding.write(folder, make_np(mat), metadata, label_img, metadata_header)
        self._projector.embeddings.append(_embedding.info(subdir, tag, step, metadata, label_img))
        (top / "projector_config.pbtxt").write_text(text_format.MessageToString(self._projector), encoding="utf-8")

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: Step = None, num_thresholds: int = 127,
        weights: Any = None, walltime: Time = None,
    ) -> None:  # fmt: skip
        """Write precision and recall of predictions from 0 to 1."""
        record = summary.pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._add(record, global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any,
        false_negative_counts: Any, precision: Any, recall: Any, global_step: Step = None, num_thresholds: int = 127,
        weights: Any = None, walltime: Time = None,
    ) -> None:  # fmt: skip
        """Write a curve of precision and recall that has been computed elsewhere."""
        rows = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        record = summary.pr_curve_raw(tag, *rows, precision, recall, num_thresholds, weights)
        self._add(record, global_step, walltime)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Have several scalars in one chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Have a scalar in a chart, with one below it and one above it as its margin."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Have charts of scalars: ``{category: {title: ["Multiline" or "Margin", tags]}}``."""
        self._add(summary.custom_scalars(layout))

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None, config_dict: Any = None,
        global_step: Step = None, walltime: Time = None,
    ) -> None:  # fmt: skip
        """Write points in space, (N, points, 3), with colours and triangles."""
        self._add(summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    # ---- files

    def flush(self) -> None:
        """Wait until everything is in the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write what is waiting, and close the files. What is added later goes to a new one."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _as_folder(tag: str) -> str:
    """A tag as the name of one folder."""
    return tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
