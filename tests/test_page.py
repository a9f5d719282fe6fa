"""The page of ``facula.explore`` in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula.show.layout import layered, side_boxes
from facula.show.page import explore

from . import browser as chromium
from .browser import Browser

pytestmark = [
    pytest.mark.skipif(chromium.PROGRAM is None, reason="there is no Chromium"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def small(folder: Path) -> tuple[Path, Any, Any]:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    b.grad = torch.tensor(100.0)
    c = a + b
    e = c * (b * 2)
    return explore(e, folder / "small.html").path, a, b


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(4)
        self.line = torch.nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return x + self.line(self.norm(x)).tanh()


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), *[Block() for _ in range(16)])
    path = tmp_path_factory.mktemp("blocks") / "blocks.html"
    return explore(lambda: model(torch.ones(2, 3)).pow(2).mean(), path, params={"model": model}).path


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10,001 nodes."""
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(2_500):
        y = y * 1.0001
        z = y.sin()
        y = z + x * 0.001
    return explore(y, tmp_path_factory.mktemp("long") / "long.html").path


def where(browser: Browser) -> str:
    return str(browser.run("document.getElementById('where').textContent"))


def panel(browser: Browser) -> str:
    return str(browser.run("document.getElementById('panel').innerText"))


def at(browser: Browser, name: str, nth: int = 0) -> tuple[float, float]:
    """Where the box of a node is on the screen."""
    x, y = browser.run(
        "(() => {const app = facula.app, r = document.getElementById('graph').getBoundingClientRect(), v = app.view.at;"
        f"const item = app.graph.list.filter(i => i.lines.some(l => l[0].includes({json.dumps(name)})))[{nth}];"
        "return [r.left + v.x + v.k * item.cx, r.top + v.y + v.k * item.cy]})()"
    )
    return x, y


def test_it_opens_from_a_file_without_network_or_errors(browser: Browser, tmp_path: Path) -> None:
    path, _, _ = small(tmp_path)
    browser.open(path)
    assert browser.requests == [path.as_uri()] and browser.errors == []
    assert browser.run("document.title") == "e = 30 · facula"
    assert browser.run("document.getElementById('title').textContent") == "e = 30"
    assert browser.run("facula.app.view.drawn") == 6


def test_it_steps_forward_and_back_by_keys(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    assert where(browser) == "0 / 5  before backward"
    seen = []
    for _ in range(6):
        browser.press("ArrowRight")
        seen.append(where(browser))
    assert seen == [
        "1 / 5  MulBackward0", "2 / 5  MulBackward0", "3 / 5  AddBackward0", "4 / 5  AccumulateGrad a",
        "5 / 5  AccumulateGrad b", "5 / 5  AccumulateGrad b",
    ]  # fmt: skip
    browser.press("ArrowLeft")
    assert where(browser) == "4 / 5  AccumulateGrad a"
    browser.press("Home")
    assert where(browser) == "0 / 5  before backward"
    browser.press("End")
    assert where(browser) == "5 / 5  AccumulateGrad b"
    assert browser.errors == []


def test_values_are_autograds(browser: Browser, tmp_path: Path) -> None:
    path, _, _ = small(tmp_path)
    browser.open(path, "step=1")
    text = panel(browser)
    assert "g · other" in text and "1 · 6 = 6" in text and "g · self" in text and "1 · 5 = 5" in text
    assert browser.run("facula.app.graph.edges.map(e => facula.app.state().labelOf(e)).filter(Boolean)") == [
        "1",
        "6",
        "5",
    ]
    browser.press("End")
    text = panel(browser)
    assert ".grad += g" in text and "100 + 16 = 116" in text and "g is the sum of 2 gradients" in text
    grads = browser.run(
        "facula.data.vertices.map((v, i) => v.k === 'leaf' ? v.n + facula.app.state().gradOf(i) : '').filter(Boolean)"
    )
    assert grads == ["a.grad 6", "b.grad 116"]
    browser.press("Home")
    grads = browser.run(
        "facula.data.vertices.map((v, i) => v.k === 'leaf' ? v.n + facula.app.state().gradOf(i) : '').filter(Boolean)"
    )
    assert grads == ["a", "b.grad 100"]


def test_a_network_has_the_gradients_of_backward(browser: Browser, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
    loss = torch.nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.tensor([0, 1, 0, 1, 1, 0]))
    browser.open(explore(loss, tmp_path / "net.html").path, "step=99")
    loss.backward()
    for name, parameter in model.named_parameters():
        script = f"""(() => {{const i = facula.data.vertices.findIndex(v => v.n === "model.{name}");
            facula.app.select(i, true);
            return [...document.querySelectorAll("#panel .tensor")].find(t => t.innerText.includes(".grad after"))
                .querySelectorAll("td").values().map(td => td.textContent).toArray()}})()"""
        told = [float(text.replace("−", "-")) for text in browser.run(script)]
        np.testing.assert_allclose(np.array(told), parameter.grad.numpy().reshape(-1), rtol=1e-3)
    assert browser.errors == []


def test_play_pause_and_jump(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    browser.run("document.getElementById('speed').value = 40")
    browser.press(" ")
    assert browser.run("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    browser.run("new Promise(done => setTimeout(() => done(true), 1500))")
    assert where(browser).startswith("5 / 5")
    assert browser.run("document.getElementById('play').getAttribute('aria-label')") == "Play"
    browser.run("{const s = document.getElementById('slider'); s.value = 2; s.dispatchEvent(new Event('input'))}")
    assert where(browser) == "2 / 5  MulBackward0"


def test_gradients_flow_along_the_edges(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    browser.run("facula.app.view.drawFlow = () => {facula.flows = (facula.flows || 0) + 1}")
    browser.press("ArrowRight")
    browser.run("new Promise(done => setTimeout(() => done(true), 1200))")
    assert browser.run("facula.flows") > 0 and browser.run("facula.app.flowing") == 0
    first, middle, last = browser.run("[0, 0.5, 1].map(part => along([[0, 0], [10, 100]], part))")
    assert (first, middle, last) == ([0, 0], [5, 50], [10, 100])


def test_hovering_a_node_lights_its_line_and_a_line_its_nodes(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    browser.move(*at(browser, "AddBackward0"))
    assert browser.run("document.querySelector('.line.lit').innerText").strip().endswith("c = a + b")
    browser.click(*at(browser, "AddBackward0"))
    assert panel(browser).startswith("AddBackward0")
    box = browser.run(
        "(() => {const rows = [...document.querySelectorAll('.line.has')];"
        "const row = rows.find(r => r.innerText.includes('e = c * (b * 2)'));"
        "const r = row.getBoundingClientRect(); return [r.left + 90, r.top + r.height / 2]})()"
    )
    browser.click(*box)
    assert browser.run("[...facula.app.state().lit].length") == 2
    assert "2 nodes of this line" in browser.run("document.getElementById('said').textContent")


def test_repeated_layers_and_modules_fold(browser: Browser, blocks: Path) -> None:
    browser.open(blocks)
    visible = "facula.app.graph.list.map(i => i.lines[0][0])"
    assert "▸ 1 … 16  ×16" in browser.run(visible) and browser.run(f"{visible}.length") < 20
    browser.click(*at(browser, "1 … 16"), times=2)
    shown = browser.run(visible)
    assert "▸ 1" in shown and "▸ 16" in shown and "▸ 1 … 16  ×16" not in shown
    assert browser.run("facula.app.graph.groups.map(g => g.cluster.name)").count("1 … 16") == 1
    browser.press("Enter")  # what was unfolded is selected
    assert "▸ 1 … 16  ×16" in browser.run(visible)
    browser.press("e")
    assert browser.run(f"{visible}.length") == browser.run("facula.data.vertices.length")
    browser.press("c")
    assert sorted(browser.run(visible)) == ["MeanBackward0", "PowBackward0", "output", "▸ model"]
    assert browser.errors == []


def test_nothing_overlaps_when_unfolded(browser: Browser, blocks: Path) -> None:
    browser.open(blocks, "unfold")
    boxes = np.array(
        browser.run("facula.app.graph.list.map(i => [i.cx - i.w / 2, i.cy - i.h / 2, i.cx + i.w / 2, i.cy + i.h / 2])")
    )
    left, top, right, bottom = boxes.T
    apart = (right[:, None] <= left) | (left[:, None] >= right) | (bottom[:, None] <= top) | (top[:, None] >= bottom)
    assert (apart | np.eye(len(boxes), dtype=bool)).all()
    inside = browser.run(
        "facula.app.graph.list.every(i => {for (let p = i.parent; p; p = p.parent) {"
        "if (i.cx - i.w / 2 < p.left - 1 || i.cx + i.w / 2 > p.left + p.w + 1) return false;"
        "if (i.cy - i.h / 2 < p.top - 1 || i.cy + i.h / 2 > p.top + p.h + 1) return false} return true})"
    )
    assert inside


def test_stepping_into_a_folded_group_marks_the_group(browser: Browser, blocks: Path) -> None:
    browser.open(blocks)
    browser.press("c")
    browser.press("End")
    assert browser.run("facula.app.state().now.key.startsWith('c')")


def test_search(browser: Browser, blocks: Path) -> None:
    browser.open(blocks)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.enter("7.line.weight")
    assert browser.run("[...document.querySelectorAll('#results li')].map(l => l.innerText)") == [
        "model.7.line.weight\nmodel.7.line leaf"
    ]
    browser.press("Enter")
    assert browser.run("facula.app.selected.lines[1][0]") == "model.7.line.weight"
    assert panel(browser).startswith("model.7.line.weight")
    browser.press("/")
    browser.run("document.getElementById('search').value = ''")
    browser.enter("no such thing")
    assert browser.run("document.getElementById('results').innerText") == "nothing found"
    browser.press("Escape")
    assert browser.run("document.activeElement.id") == "graph"


def test_other_keys(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    theme = "document.documentElement.dataset.theme"
    assert browser.run(theme) == "light"
    browser.press("t")
    assert browser.run(theme) == "dark"
    before = browser.run("facula.app.view.at.k")
    browser.press("+")
    assert browser.run("facula.app.view.at.k") > before
    browser.press("f")
    assert browser.run("facula.app.view.at.k") == pytest.approx(before)
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    assert browser.run("facula.app.selected.lines[0][0]") in ("AddBackward0", "MulBackward0")
    browser.press("ArrowUp")
    assert browser.run("facula.app.selected.lines[0][0]") == "MulBackward0"
    browser.press("Escape")
    assert browser.run("facula.app.selected") is None
    browser.press("?")
    assert browser.run("document.getElementById('keys').open")
    assert browser.errors == []


def test_dark_is_what_the_system_likes(browser: Browser, tmp_path: Path) -> None:
    path, _, _ = small(tmp_path)
    browser.open(path, dark=True)
    assert browser.run("document.documentElement.dataset.theme") == "dark"


def test_it_can_be_read_aloud(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    unnamed = browser.run(
        "[...document.querySelectorAll('button, input, select, canvas, [role=button]')]"
        ".filter(e => !(e.getAttribute('aria-label') || e.innerText.trim() || e.closest('label')))"
        ".map(e => e.outerHTML)"
    )
    assert unnamed == []
    browser.press("ArrowRight")
    said = browser.run("document.querySelector('[aria-live]').textContent")
    assert said.startswith("Step 1 of 5: MulBackward0, test_page.py:") and said.endswith("1 arrives, sends 6 and 5.")


def test_marks(browser: Browser, tmp_path: Path) -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    loss = torch.where(x > 0, (x * 1).sqrt(), torch.zeros(2)).sum()
    browser.open(explore(loss, tmp_path / "nan.html").path)
    assert "The first gradient that is NaN came from SqrtBackward0" in panel(browser)
    assert browser.run("[...facula.app.state().marked.keys()].map(k => facula.app.graph.items.get(k).lines[0][0])") == [
        "SqrtBackward0"
    ]
    browser.run("document.querySelector('.mark').click()")
    assert panel(browser).startswith("SqrtBackward0")


def test_heat_maps_and_pictures(browser: Browser, tmp_path: Path) -> None:
    picture = torch.rand(12, 12).requires_grad_()
    loss = (picture.reshape(1, 144) @ torch.randn(144, 80)).pow(2).mean()
    browser.open(explore(loss, tmp_path / "picture.html").path, "step=99")
    labels = browser.run("[...document.querySelectorAll('#panel canvas')].map(c => c.getAttribute('aria-label'))")
    assert labels[-1] == "picture, 12 by 12"
    assert labels[0].startswith("heat map, 12 by 12, from −")


def test_users_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    name = "</script><script>window.evil = 1</script><img src=x onerror=window.evil=1>"
    evil = type(name, (torch.autograd.Function,), {
        "forward": staticmethod(lambda ctx, x: x * 1), "backward": staticmethod(lambda ctx, g: g),
    })  # fmt: skip
    x = torch.ones(2, requires_grad=True)
    y = evil.apply(x).sum()  # type: ignore[attr-defined]
    browser.open(explore(y, tmp_path / "evil.html", params={"<img src=x onerror=window.evil=1>": x}).path, "step=2")
    assert panel(browser).startswith(name)
    assert browser.run("window.evil") is None and browser.errors == [] and len(browser.requests) == 1


def test_notes_are_shown(browser: Browser, tmp_path: Path) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp()
    y.backward()
    browser.open(explore(y, tmp_path / "freed.html").path)
    assert "The graph was freed by the backward call at" in browser.run("document.getElementById('notes').innerText")
    assert where(browser) == "nothing to step through"
    browser.press("ArrowRight")
    browser.press(" ")
    assert browser.errors == []


def test_a_folded_graph_opens(browser: Browser, tmp_path: Path) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(21_000):
        y = y * x
    browser.open(explore(y, tmp_path / "large.html").path)
    assert (
        browser.run("facula.app.graph.list.map(i => i.lines.map(l => l[0]).slice(0, 2).join(' '))")[1]
        == "MulBackward0 × 21,000"
    )
    assert browser.errors == []


def test_a_notebook_shows_it(browser: Browser, tmp_path: Path) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    cell = tmp_path / "cell.html"
    cell.write_text(
        "<!doctype html><script>window.facula = 1</script>" + explore(x * x, tmp_path / "page.html")._repr_html_(),
        encoding="utf-8",
    )
    browser.open(cell)
    inside = "document.querySelector('iframe').contentWindow"
    browser.run(
        f"new Promise(done => {{const ask = () => {inside}.facula ? done(true) : setTimeout(ask, 20); ask()}})"
    )
    browser.run(f"{inside}.facula.app.go(1)")
    assert browser.run(f"{inside}.document.getElementById('panel').innerText").startswith("x\n")
    assert browser.errors == []


def test_the_layout_is_pythons(browser: Browser, tmp_path: Path) -> None:
    browser.open(small(tmp_path)[0])
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 30, 120):
        sizes = [(float(w), float(h)) for w, h in rng.integers(10, 90, (n, 2))]
        edges = [(int(u), int(v)) for u in range(n) for v in rng.integers(0, n, 2) if u < v]
        leaves = [not any(u == i for u, _ in edges) for i in range(n)]
        side = side_boxes(leaves, edges)
        ours = layered(sizes, edges, side)
        script = f"""(() => {{const sizes = {json.dumps(sizes)}, edges = {json.dumps(edges)};
            const side = facula.sideBoxes({json.dumps(leaves)}, edges);
            const r = facula.layered(sizes.map(s => s[0]), sizes.map(s => s[1]), edges, side);
            const n = sizes.length, routes = r.routes, width = r.width;
            return {{x: [...r.x].slice(0, n), y: [...r.y].slice(0, n), routes, width, side: [...side]}}}})()"""
        theirs = browser.run(script)
        assert set(theirs["side"]) == side
        np.testing.assert_allclose(theirs["x"], ours.x, atol=1e-6)
        np.testing.assert_allclose(theirs["y"], ours.y, atol=1e-6)
        np.testing.assert_allclose(theirs["width"], ours.width, atol=1e-6)
        for a, b in zip(theirs["routes"], ours.routes, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)


def test_ten_thousand_nodes_are_fluid(browser: Browser, long: Path, record_property: Any) -> None:
    """Meant: painted in 1.5 s, a step in 50 ms. Held, on a machine that may be busy: ten times as much."""
    browser.open(long)
    painted = browser.run("facula.painted")
    assert browser.run("facula.data.nodes") == 10_001
    each = """(async () => {const times = [];
        for (let i = 0; i < 40; i++) {
            const began = performance.now();
            facula.app.go(facula.app.step + 1);
            facula.app.paintNow();
            times.push(performance.now() - began);
            await new Promise(requestAnimationFrame)}
        return times.sort((a, b) => a - b)[20]})()"""
    folded = browser.run(each)
    time = "(() => {const began = performance.now(); %s; facula.app.paintNow(); return performance.now() - began})()"
    began = browser.run(time % "facula.app.foldAll(false)")
    assert browser.run("facula.app.graph.list.length") == 10_002
    unfolded = browser.run(each)
    whole = browser.run(time % "facula.app.view.fit()")
    told = {
        "painted": painted,
        "step, folded": folded,
        "unfolding": began,
        "step, unfolded": unfolded,
        "all in view": whole,
    }
    for name, value in told.items():
        record_property(name, round(value, 1))
    print({name: f"{value:.0f} ms" for name, value in told.items()})
    assert painted < 15_000 and folded < 500 and unfolded < 500
    assert browser.errors == []
