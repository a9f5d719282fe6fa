"""``facula.draw`` and ``facula.viz.make_dot``: text, SVG and DOT of a graph, without Graphviz."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

import facula as torch
from facula.show.layout import GAP, layered
from facula.viz import make_dot

from .pictures import TUTORIALS, drawings, network


def small() -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    e = c * (b * 2)
    return torch.draw(e)


def test_tree_names_variables_and_lines() -> None:
    lines = small().tree().splitlines()
    assert lines[0] == "e = 30"
    assert re.fullmatch(r"└─ MulBackward0 +test_draw.py:\d+", lines[1])
    assert re.fullmatch(r"   ├─ AddBackward0  c +test_draw.py:\d+", lines[2])
    assert lines[3] == "   │  ├─ AccumulateGrad  (leaf a of shape [])"
    assert lines[4] == "   │  └─ AccumulateGrad  (leaf b of shape [])  (used 2 times)"
    assert lines[-1] == "      └─ AccumulateGrad  (leaf b of shape [])  (again)"


def test_tree_in_ascii() -> None:
    assert small().tree(unicode=False).isascii()
    assert "`- MulBackward0" in small().tree(unicode=False)


def test_print_shows_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    print(small())
    assert "AddBackward0  c" in capsys.readouterr().out


def test_parameters_have_the_names_of_their_module() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    text = str(torch.draw(model(torch.ones(1, 2)).sum()))
    for name in ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"):
        assert f"leaf {name} of shape" in text


def test_names_can_be_given() -> None:
    hidden = [torch.ones(2, requires_grad=True)]
    assert "leaf mine of shape [2]" in str(torch.draw((hidden[0] * 2).sum(), {"mine": hidden[0]}))
    assert "leaf hidden[0] of shape [2]" in str(torch.draw((hidden[0] * 2).sum()))


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


SVG = "{http://www.w3.org/2000/svg}"


def test_svg_has_a_box_for_each_node_and_an_arrow_for_each_edge() -> None:
    drawing = small()
    root = parsed(drawing._repr_svg_())
    assert [g.get("class") for g in root.findall(f"{SVG}g")] == ["output", *["operation"] * 3, "leaf", "leaf"]
    assert len(root.findall(f"{SVG}path")) == 6 == len(drawing.graph.edges)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts.count("MulBackward0") == 2 and texts.count("AddBackward0") == 1


def test_svg_tells_what_is_saved_and_cut() -> None:
    x = torch.ones(2, requires_grad=True)
    texts = [t.text or "" for t in parsed(torch.draw((x * x.detach()).sum(), saved=True).svg).iter(f"{SVG}text")]
    assert "saves other [2]" in texts
    assert any(re.fullmatch(r"cut off by detach\(\) at .*test_draw.py:\d+", text) for text in texts)


def test_names_of_users_are_escaped() -> None:
    evil = type("</script><b>&", (torch.autograd.Function,), {
        "forward": staticmethod(lambda ctx, x: x * 1), "backward": staticmethod(lambda ctx, g: g),
    })  # fmt: skip
    x = torch.ones(2, requires_grad=True)
    y = evil.apply(x).sum()  # type: ignore[attr-defined]
    for picture in (torch.draw(y, {'"<i>': x}).svg, make_dot(y, {'"<i>': x})._repr_svg_()):
        texts = [text.text for text in parsed(picture).iter(f"{SVG}text")]
        assert "</script><b>&Backward" in texts and '"<i>' in texts
    assert '\\"<i>' in torch.draw(y, {'"<i>': x}).dot


def test_dot() -> None:
    text = small().dot
    assert text.startswith("digraph {") and text.count("->") == 6
    assert 'label="AddBackward0\\nc\\ntest_draw.py:' in text


def test_save(tmp_path: Path) -> None:
    drawing = small()
    assert drawing.save(tmp_path / "g.svg").read_text() == drawing.svg
    assert drawing.save(tmp_path / "g.dot").read_text() == drawing.dot
    assert drawing.save(tmp_path / "g.txt").read_text() == drawing.tree()
    with pytest.raises(ValueError, match=r"saved as .svg, .dot, .gv, .txt, not as '.png'"):
        drawing.save(tmp_path / "g.png")


def test_several_outputs() -> None:
    x = torch.ones(2, requires_grad=True)
    first, second = x.sum(), x.exp()
    lines = torch.draw((first, second)).tree().splitlines()
    assert lines[0] == "first = 2" and "second of shape [2]" in lines


def test_the_essay_shows_what_draw_draws() -> None:
    docs = Path(__file__).parent.parent / "docs"
    assert f"```\n{network().tree()}\n```" in (docs / "autograd-from-scratch.md").read_text(encoding="utf-8")
    assert (docs / "pictures" / "network.svg").read_text(encoding="utf-8") == network().svg


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_draw_draws(page: Path) -> None:
    found = list(drawings(page))
    assert found, "every tutorial has a picture"
    for path, svg in found:
        assert f"(../pictures/{path.name})" in page.read_text(encoding="utf-8")
        assert path.read_text(encoding="utf-8") == svg, "python -m tests.pictures drawings"


# ---- layout


def diamond(n: int) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    edges = [(i, j) for i in range(n) for j in (i + 1, i + 3, i + 7) if j < n]
    return [(40.0 + 13 * (i % 5), 20.0 + 7 * (i % 3)) for i in range(n)], edges


def test_nothing_overlaps_and_edges_go_down() -> None:
    sizes, edges = diamond(60)
    layout = layered(sizes, edges)
    boxes = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for (w, h), x, y in zip(sizes, layout.x, layout.y)]
    for a, b in combinations(boxes, 2):
        assert a[2] + GAP - 1e-6 <= b[0] or b[2] + GAP - 1e-6 <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for route in layout.routes:
        assert all(upper[1] < lower[1] for upper, lower in pairwise(route))
    assert min(box[0] for box in boxes) >= 0 and max(box[2] for box in boxes) <= layout.width + 1e-6


def test_crossings_are_undone() -> None:
    """Two chains that are listed crosswise."""
    layout = layered([(10, 10)] * 6, [(0, 3), (1, 2), (2, 5), (3, 4)])
    assert (layout.x[0] < layout.x[1]) == (layout.x[3] < layout.x[2]) == (layout.x[4] < layout.x[5])


def test_a_chain_is_straight() -> None:
    layout = layered([(10.0 + i, 10.0) for i in range(9)], [(i, i + 1) for i in range(8)])
    assert max(layout.x) - min(layout.x) < 1e-6


def test_edges_that_lead_back_do_no_harm() -> None:
    layout = layered([(10, 10)] * 3, [(0, 1), (1, 2), (2, 0)])
    assert layout.y == sorted(layout.y) and len(layout.routes[2]) == 2


def test_nothing_at_all() -> None:
    assert layered([], []).width == 0


def test_a_weight_used_all_along_a_loop_stays_within_bounds() -> None:
    w = torch.tensor(1.0, requires_grad=True)
    y = w
    for _ in range(900):
        y = y * w
    began = time.process_time()
    svg = torch.draw(y).svg
    assert time.process_time() - began < 30
    assert svg.count("<rect") == 902


# ---- what is unusual


def test_no_history() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match=r"draw\(\) has nothing to show: the tensor of shape \[2\] has no history"):
        torch.draw(torch.ones(2))
    with pytest.raises(ValueError, match=r"has no history.*cut off by detach\(\) at .*test_draw.py:\d+"):
        torch.draw(x.detach() + 1)
    with pytest.raises(TypeError, match="takes a tensor, or several in a tuple, but got str"):
        torch.draw("loss")
    with pytest.raises(ValueError, match="needs a tensor, but got an empty tuple"):
        torch.draw(())


def test_a_leaf_alone() -> None:
    x = torch.ones(2, requires_grad=True)
    assert torch.draw(x).tree().splitlines() == ["x of shape [2]", "└─ AccumulateGrad  (leaf x of shape [2])"]


def test_a_freed_graph_can_still_be_drawn() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp().sum()
    y.backward()
    assert "ExpBackward0" in str(torch.draw(y, saved=True)) and "ExpBackward0" in torch.draw(y, saved=True).svg


def test_a_graph_of_another_thread() -> None:
    made: list[Any] = []
    worker = threading.Thread(target=lambda: made.append((torch.ones(2, requires_grad=True) * 2).sum()))
    worker.start()
    worker.join()
    assert "MulBackward0" in str(torch.draw(made[0]))


def test_a_large_graph_is_folded_by_line() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(3_000):
        y = y * 2
        y = y + x
    drawing = torch.draw(y)
    assert "MulBackward0 x 3,000" in str(drawing) and "AddBackward0 x 3,000" in str(drawing)
    assert "has 6,001 nodes, more than the 2,000 that can be shown one by one: they are folded" in str(drawing)
    assert len(drawing.graph.vertices) == 4
    assert parsed(drawing.svg).findall(f"{SVG}g")[1].get("class") == "folded"


def test_a_long_tree_is_cut_short() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(600):
        y = y * 2
    lines = str(torch.draw(y, longest=50)).splitlines()
    assert len(lines) == 51 and lines[-1].startswith("... and more: 601 nodes in all")


# ---- torchviz's function


def graph_of_mlp() -> Any:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    return model, model(torch.ones(4, 2)).mean()


def test_make_dot_has_torchvizs_boxes() -> None:
    model, loss = graph_of_mlp()
    source = make_dot(loss, params=dict(model.named_parameters())).source
    assert source.count("fillcolor") == 5 and source.count('"lightblue"') == 4
    assert 'label="0.weight\\n (3, 2)" fillcolor="lightblue"' in source
    for name in ("AddmmBackward0", "TanhBackward0", "MeanBackward0", "AccumulateGrad", "TBackward0"):
        assert f'label="{name}"' in source
    assert make_dot((loss, loss * 2)).source.count("darkolivegreen1") == 2


def test_make_dot_shows_attributes_and_saved_tensors() -> None:
    _, loss = graph_of_mlp()
    source = make_dot(loss, show_attrs=True, show_saved=True, max_attr_chars=9).source
    assert "result: [saved..." in source
    assert 'label="result\\n (4, 3)" fillcolor="orange"' in source and "[dir=none]" in source
    x = torch.ones(2, 3, requires_grad=True)
    assert "[style=dotted]" in make_dot(x.exp().view(6)).source


BOTH = """
import re, torch, torchviz
from facula.viz import make_dot
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
loss = model(torch.ones(4, 2)).mean()
for draw in torchviz.make_dot, make_dot:
    text = draw(loss, dict(model.named_parameters()), show_attrs=True, show_saved=True).source
    text = text.replace("\\\\n", "\\n").replace('"', "")
    words = r"\\w+Backward0|AccumulateGrad|\\w+ *: .+[\\]\\w]|lightblue|orange|darkolivegreen1|->|[0-9]\\.\\w+"
    print(sorted(re.findall(words, text)))
"""


@pytest.mark.skipif(not all(map(find_spec, ("torchviz", "graphviz"))), reason="torchviz is not installed")
def test_make_dot_is_what_torchviz_makes() -> None:
    done = subprocess.run([sys.executable, "-m", "facula", "run", "-c", BOTH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    theirs, ours = done.stdout.splitlines()
    assert theirs == ours and theirs.count("->") > 10


def test_make_dot_writes_files_without_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    _, loss = graph_of_mlp()
    dot = make_dot(loss)
    picture = Path(dot.render(tmp_path / "graph"))
    assert picture.name == "graph.svg" and (tmp_path / "graph").read_text() == dot.source == str(dot)
    assert parsed(picture.read_text()).tag == f"{SVG}svg"
    Path(dot.render(tmp_path / "clean", cleanup=True))
    assert not (tmp_path / "clean").exists()
    with pytest.raises(RuntimeError, match="png needs the program dot of Graphviz, which is not on the path"):
        dot.render(tmp_path / "graph", format="png")


def test_make_dot_takes_tensors() -> None:
    with pytest.raises(TypeError, match=r"make_dot\(\) draws tensors, but got int"):
        make_dot(3)
