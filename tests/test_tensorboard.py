"""``utils.tensorboard``: TensorBoard reads the same of facula's files as of PyTorch's."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula

HAS_TENSORBOARD = importlib.util.find_spec("tensorboard") is not None
needs_tensorboard = pytest.mark.skipif(not HAS_TENSORBOARD, reason="needs tensorboard")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def writer_of(library: Any, folder: Path, **options: Any) -> Any:
    return importlib.import_module(f"{library.__name__}.utils.tensorboard").SummaryWriter(folder, **options)


def write_all(library: Any, folder: Path) -> None:
    """Everything that can be added."""
    torch = library
    numbers = torch.arange(-40, 61) / 16
    picture = torch.arange(60).reshape(3, 4, 5) / 64
    with writer_of(library, folder, purge_step=1) as writer:
        writer.add_scalar("loss", torch.tensor(0.5, requires_grad=True), 1)
        writer.add_scalar("loss", 0.25, np.int64(2), walltime=7.0)
        writer.add_scalar("new", torch.tensor([1.5], dtype=torch.bfloat16), 1, new_style=True)
        writer.add_scalar("double", 0.1, 1, new_style=True, double_precision=True)
        writer.add_scalars("both/curves", {"sin": 0.5, "cos": torch.tensor(1.0)}, 3)
        for name in "float32 float16 bfloat16 float64 int64 uint8 bool complex64 complex128".split():
            writer.add_tensor(f"tensor/{name}", torch.tensor([[1, 0, 2]]).to(getattr(torch, name)), 4)
        writer.add_histogram("weights", numbers, 1)
        writer.add_histogram("few", numbers, 1, max_bins=7)
        writer.add_histogram("auto", numbers.abs() + 1, 1, bins="auto")
        writer.add_histogram("counts", np.array([5, 5, 6]), 1, bins=[0, 2, 4, 5, 6, 8, 9])
        writer.add_histogram_raw("raw", 0.0, 1.0, 3, 1.5, 1.25, [0.5, 1.0], [1, 2], 1)
        writer.add_image("picture", picture, 1)
        writer.add_image("bytes", (picture * 255).to(torch.uint8).numpy(), 1)
        writer.add_image("grey", picture[:1].permute(1, 2, 0), 1, dataformats="HWC")
        writer.add_image("plain", picture[0], 1, dataformats="HW")
        writer.add_images("several", torch.stack([picture, 1 - picture, picture * 2]), 1)
        boxes = torch.tensor([[5.0, 5.0, 30.0, 30.0]])
        writer.add_image_with_boxes("boxes", torch.zeros(3, 40, 40), boxes, 1, labels="one")
        writer.add_audio("sound", numbers / 4, 1, sample_rate=8000)
        writer.add_text("words", "*hello* ✓", 1)
        writer.add_pr_curve("curve", torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0.1, 0.4, 0.35, 0.8, 1.0]), 1)
        writer.add_pr_curve("weighted", np.array([0, 1]), np.array([0.2, 0.9]), 1, 10, np.array([2.0, 3.0]))
        rows = [np.array([3.0, 1.0])] * 6
        writer.add_pr_curve_raw("given", *rows, 1, 2)
        writer.add_custom_scalars({"a": {"x": ["Multiline", ["loss", "new"]], "y": ["Margin", ["m", "l", "u"]]}})
        writer.add_custom_scalars_multilinechart(["loss", "new"])
        writer.add_custom_scalars_marginchart(["m", "l", "u"], category="c", title="t")
        vertices, faces = torch.arange(9).reshape(1, 3, 3) / 8, torch.tensor([[[0, 1, 2]]])
        writer.add_mesh("mesh", vertices, vertices * 255, faces, {"lights": []}, 1)
        settings = {"lr": 0.1, "layers": 2, "name": "adam", "nesterov": True, "none": None, "t": torch.tensor([3.0])}
        writer.add_hparams(settings, {"accuracy": 0.9}, {"lr": [0.1, 0.2], "name": ["adam", "sgd"]}, "run")
        writer.add_embedding(numbers[:8].reshape(4, 2), ["a", "b", "c", "d"], torch.rand(4, 3, 2, 2) * 0, 5, "a/b%c")
        writer.add_embedding(np.eye(2), [["x", 1], ["y", 2]], metadata_header=["letter", "number"])
        writer.flush()


def events_below(folder: Path) -> dict[str, list[Any]]:
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    found: dict[str, list[Any]] = {}
    for file in sorted(folder.rglob("events.out.*")):
        events = [Event.FromString(raw) for raw in RawEventFileLoader(str(file)).Load()]
        for event in events:
            event.wall_time = 7.0 if event.wall_time == 7.0 else 0.0
            event.source_metadata.Clear()
        found[str(file.parent.relative_to(folder))] = events
    return found


@needs_tensorboard
def test_files_are_those_of_pytorch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    for library in (facula, torch):
        write_all(library, tmp_path / library.__name__)
    ours, theirs = events_below(tmp_path / "facula"), events_below(tmp_path / "torch")
    assert ours.keys() == theirs.keys() == {".", "both_curves_sin", "both_curves_cos", "run"}
    for folder, events in theirs.items():
        assert len(ours[folder]) == len(events)
        for mine, its in zip(ours[folder], events):
            assert mine == its
    files = [path.relative_to(tmp_path / "torch") for path in (tmp_path / "torch").rglob("*.*")]
    names = [str(path) for path in files if path.suffix in (".tsv", ".png", ".pbtxt")]
    assert "projector_config.pbtxt" in names and "00005/a%2fb%25c/sprite.png" in names
    for name in names:
        assert (tmp_path / "facula" / name).read_bytes() == (tmp_path / "torch" / name).read_bytes(), name


@needs_tensorboard
def test_tensorboard_reads_it(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    write_all(facula, tmp_path)
    read = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0}).Reload()
    assert [(e.step, e.value) for e in read.Scalars("loss")] == [(1, 0.5), (2, 0.25)]
    assert {"picture", "several", "boxes"} <= set(read.Tags()["images"]) and read.Tags()["audio"] == ["sound"]
    counted = read.Histograms("weights")[0].histogram_value
    assert counted.num == 101 and sum(counted.bucket) == 101 and counted.min == -2.5


class Net(facula.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = facula.nn.Conv2d(1, 2, 3)
        self.body = facula.nn.Sequential(facula.nn.Linear(8, 4), facula.nn.ReLU(), facula.nn.Linear(4, 2))

    def forward(self, picture: Any) -> Any:
        return self.body(facula.nn.functional.max_pool2d(self.conv(picture).relu(), 2).flatten(1)) + 1


@needs_tensorboard
def test_the_graph_of_a_model(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    net = Net()
    with writer_of(facula, tmp_path) as writer:
        writer.add_graph(net, facula.zeros(1, 1, 6, 6))
    nodes = {node.name: node for node in EventAccumulator(str(tmp_path)).Reload().Graph().node}
    linear = nodes["Net/Sequential[body]/Linear[0]/linear"]
    assert linear.op == "aten::linear" and list(linear.input) == [
        "Net/flatten", "Net/Sequential[body]/Linear[0]/weight", "Net/Sequential[body]/Linear[0]/bias"
    ]  # fmt: skip
    assert [d.size for d in linear.attr["_output_shapes"].list.shape[0].dim] == [1, 4]
    assert nodes["Net/Conv2d[conv]/conv2d"].input[0] == "input/picture"
    assert list(nodes["output/output.1"].input) == ["Net/add"] and nodes["Net/add"].op == "aten::add"
    assert not net.conv._forward_hooks and not net.conv._forward_pre_hooks


@needs_tensorboard
@pytest.mark.parametrize(("name", "arguments"), [
    ("add_scalar", ("x", np.ones(2))), ("add_scalar", ("x", [1.0])), ("add_histogram", ("x", np.ones(0))),
    ("add_image", ("x", np.ones((2, 2)))), ("add_images", ("x", np.ones((1, 2, 3, 3)))),
    ("add_hparams", ([], {})), ("add_hparams", ({"a": [1]}, {})), ("add_hparams", ({"a": 1}, {}, {"a": ["x"]})),
    ("add_embedding", (np.ones(3),)), ("add_embedding", (np.ones((2, 2)), ["a"])),
    ("add_histogram_raw", ("x", 0, 1, 1, 1, 1, [1.0], [])), ("add_custom_scalars_marginchart", (["a"],)),
])  # fmt: skip
def test_wrong_arguments_are_refused_as_pytorch_refuses_them(tmp_path: Path, name: str, arguments: Any) -> None:
    torch = pytest.importorskip("torch")
    told = []
    for library in (facula, torch):
        with writer_of(library, tmp_path / library.__name__) as writer, pytest.raises(Exception) as caught:
            getattr(writer, name)(*arguments)
        told.append((caught.type, " ".join(str(caught.value).split())))
    assert told[0] == told[1]


@needs_tensorboard
def test_a_film_is_a_gif(tmp_path: Path) -> None:
    from PIL import Image
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    writer = writer_of(facula, tmp_path)
    frames = facula.linspace(0, 1, 3 * 2 * 3 * 4 * 4).reshape(3, 2, 3, 4, 4)
    writer.add_video("film", frames, 1, fps=5)
    writer.close()
    writer.close()
    told = EventAccumulator(str(tmp_path)).Reload().Images("film")[0]
    gif = Image.open(io.BytesIO(told.encoded_image_string))
    assert (told.width, told.height) == (16, 4) and (gif.n_frames, gif.size, gif.info["duration"]) == (2, (16, 4), 200)


@pytest.mark.skipif(HAS_TENSORBOARD, reason="for where there is no tensorboard")
def test_without_tensorboard_a_sentence_says_so() -> None:
    with pytest.raises(ModuleNotFoundError, match="needs that package") as caught:
        importlib.import_module("facula.utils.tensorboard")
    assert caught.value.name == "tensorboard"


def test_it_is_loaded_when_asked_for() -> None:
    code = "import facula, sys; facula.utils; print([name for name in sys.modules if 'tensorboard' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@needs_tensorboard
def test_figures_are_pictures(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    torch = pytest.importorskip("torch")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    for library in (facula, torch):
        with writer_of(library, tmp_path / library.__name__) as writer:
            figures = [plt.subplots(figsize=(1, 1))[0] for _ in range(3)]
            writer.add_figure("one", figures[0], 1)
            writer.add_figure("two", figures[1:], 1, close=False)
        assert plt.get_fignums() and figures[0].number not in plt.get_fignums()
        plt.close("all")
    ours, theirs = events_below(tmp_path / "facula")["."], events_below(tmp_path / "torch")["."]
    assert ours == theirs and len(ours) == 3
