"""``facula.explore``: a graph as one page that holds all it needs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from .._explain.report import Report
from ..autograd import differentiate
from ..autograd.steps import Steps
from .clusters import folding
from .marks import Marks
from .model import LIMIT, OPERATION, Graph, freed_by, read, roots_of, saved_by
from .modules import Recording, module_paths, recorded
from .names import Names, caller, names
from .record import Tensors, replayed
from .sources import files_of
from .tree import value

_HERE = Path(__file__).parent / "page"
_SCRIPTS = ("layout.js", "graph.js", "canvas.js", "tensors.js", "panels.js", "main.js")


def explore(
    loss: Any,
    path: Any = None,
    *,
    gradient: Any = None,
    params: Mapping[str, Any] | None = None,
    report: Report | None = None,
) -> Exploration:
    """Write a page on which the graph of a tensor can be looked at and its backward pass stepped through.

    ``loss`` is a tensor, or a function that computes one: then the page also knows which module made which node. It is
    one HTML file that needs no network; without a ``path`` it goes to a temporary file. A notebook shows it by itself.
    The pass is run once for it, hooks included, but ``.grad`` and the graph stay as they were. The findings of a
    ``report`` are marked, beside what stands out anyway.
    """
    known = names(caller(), params)
    recording = None
    if callable(loss) and not hasattr(loss, "grad_fn"):
        name = getattr(loss, "__name__", "")
        loss, recording = _run(loss)
        if name.isidentifier():
            known.add(name, loss)
    return exploration(loss, known, recording, gradient, path, report)


def exploration(
    loss: Any, known: Names, recording: Recording | None, gradient: Any, path: Any, report: Report | None = None
) -> Exploration:
    """The same, for someone who knows the names and has recorded the modules."""
    roots = roots_of(loss, "explore()")
    html = page_of(data_of(roots, known, recording, gradient, report))
    if path is None:
        with tempfile.NamedTemporaryFile("w", suffix=".html", prefix="facula-", delete=False, encoding="utf-8") as file:
            file.write(html)
        return Exploration(Path(file.name), html)
    Path(path).write_text(html, encoding="utf-8")
    return Exploration(Path(path), html)


class Exploration:
    """A page that was written."""

    def __init__(self, path: Path, html: str) -> None:
        self.path = path
        """Where it is."""
        self.html = html

    def open(self) -> None:
        """Show it in a browser."""
        import webbrowser  # loaded when first used

        webbrowser.open(self.path.absolute().as_uri())

    def _repr_html_(self) -> str:
        style = "width:100%;height:720px;border:1px solid #8884;border-radius:8px"
        return f'<iframe title="the graph" style="{style}" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"the graph is in {self.path}"


def _run(function: Callable[[], Any]) -> tuple[Any, Recording]:
    with recorded() as recording:
        return function(), recording


def data_of(
    roots: tuple[Any, ...],
    known: Names,
    recording: Recording | None,
    gradient: Any = None,
    report: Report | None = None,
) -> dict[str, Any]:
    """All that the page tells."""
    graph = read(roots, known, LIMIT)
    files = files_of(graph)
    tensors = Tensors(graph.nodes)
    marks = Marks(graph)
    steps: list[list[Any]] = []
    if report is not None:
        marks.add_findings(report.findings)
    if not any(vertex.kind == "folded" for vertex in graph.vertices):
        marks.look_at_graph(roots)
        reason = _no_steps(graph, roots, gradient)
        if reason:
            graph.notes.append(reason)
        else:
            steps = replayed(graph, _backward(roots[0], gradient), tensors, marks)
            marks.look_at_pass()
    else:
        graph.notes.append("There are no gradients to step through.")
    paths, classes = module_paths(graph, recording)
    folded = folding(graph, paths, classes)
    number = {file.filename: i for i, file in enumerate(files)}
    vertices = []
    for vertex in graph.vertices:
        source = vertex.source
        saved = saved_by(vertex.node) if vertex.kind == OPERATION else []
        vertices.append({
            "k": vertex.kind,
            "n": vertex.name,
            "l": vertex.label,
            "f": -1 if source is None else number[source.filename],
            "i": 0 if source is None else source.line,
            "c": folded.cluster_of[vertex.index],
            "m": ".".join(paths[vertex.index]),
            "v": -1 if vertex.tensor is None or vertex.tensor.is_meta else tensors.add(vertex.tensor),
            "s": [
                [one.name, list(one.shape), one.dtype, one.bytes, one.cut, tensors.add(one.tensor)]
                for one in saved
            ],
            "x": vertex.count,
        })  # fmt: skip
    return {
        "title": f"{graph.vertices[0].name}{value(roots[0])}",
        "nodes": graph.nodes,
        "notes": graph.notes + [file.note for file in files if file.note],
        "files": [{"n": file.name, "p": file.filename, "first": file.first, "t": file.lines} for file in files],
        "clusters": [[outer, group.name, group.title, group.kind, group.count] for outer, group in folded.clusters],
        "vertices": vertices,
        "edges": [[v.index, target, nr, input] for v in graph.vertices for target, nr, input in v.edges],
        "tensors": tensors.told,
        "steps": steps,
        "marks": [list(mark) for mark in marks.found],
    }


def _backward(root: Any, gradient: Any) -> Steps:
    """The pass to replay. It warns of nothing: what is unusual is marked on the page."""
    (start,) = differentiate._starting_grads((root,), (gradient,))
    return Steps([(root._edge(), start.to(root.dtype))], keep_graph=True, create_graph=False)


def _no_steps(graph: Graph, roots: tuple[Any, ...], gradient: Any) -> str:
    """Why there is nothing to step through, if so."""
    if len(roots) > 1:
        return "There are several outputs: explore one of them to step through its backward pass."
    if gradient is None and roots[0].numel() != 1:
        name, shape = graph.vertices[0].name, list(roots[0].shape)
        return (
            f"{name} is of shape {shape}, and backward begins with one number: explore its sum() or mean(), or pass "
            "gradient= to step through the backward pass."
        )
    for vertex in graph.vertices:
        by = freed_by(vertex.node) if vertex.kind == OPERATION else None
        if by is not None:
            return (
                f"The graph was freed by the backward call at {by}, so there are no gradients to step through: explore "
                "it before that call, or call backward(retain_graph=True) there."
            )
    return ""


def page_of(data: dict[str, Any]) -> str:
    """The page itself. Nothing in the data can end the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {
        "TITLE": escape(str(data["title"])),
        "STYLE": (_HERE / "page.css").read_text(encoding="utf-8"),
        "SCRIPT": "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS),
        "DATA": text,
    }
    html = (_HERE / "page.html").read_text(encoding="utf-8")
    before, *rest = html.split("{{")
    return before + "".join(parts[name] + after for name, _, after in (part.partition("}}") for part in rest))
