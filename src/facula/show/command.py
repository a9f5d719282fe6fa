"""``facula explore script.py``: run a program, and show the graph of its last backward call.

NOTE [kept graphs]: a backward call frees its graph, and an optimizer then changes the parameters in place. So what the
nodes saved and what the leaves held is kept from just before the last call: references to what was saved, copies of the
leaves. They are put back for as long as it takes to write the page. The program itself runs as it always does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd import engine
from .modules import Recording, recorded
from .names import Names, caller, names
from .page import exploration

USAGE = "explore takes [-o graph.html] [--loss NAME] [--backward N] script.py [args...]"


class Kept:
    """A graph as it was before a backward call."""

    def __init__(self, root: Any, gradient: Any) -> None:
        self.root = root
        self.gradient = gradient
        self.names = names(caller())
        task = engine.Task(True, False)
        engine._survey(task, [root._edge()])
        self.nodes = [(node, node.saved, node.versions) for node in task.order]
        self.leaves = [
            (leaf.variable, leaf.variable._array.copy(), _version(leaf.variable), _copied(leaf.variable.grad))
            for leaf in list[Any](task.leaves)
        ]

    @contextmanager
    def back(self) -> Iterator[None]:
        """Put everything back as it was then."""
        now = [
            (leaf, leaf._array.copy(), _version(leaf), leaf._meta.grad if leaf._meta is not None else None)
            for leaf, *_ in self.leaves
        ]
        freed = [(node, node.saved, node.versions) for node, *_ in self.nodes]
        self._put(self.nodes, self.leaves)
        try:
            yield
        finally:
            self._put(freed, now)

    def _put(self, nodes: Any, leaves: Any) -> None:
        for node, saved, versions in nodes:
            node.saved, node.versions = saved, versions
        for leaf, array, version, grad in leaves:
            if leaf._array.flags.writeable:
                np.copyto(leaf._array, array)
            if leaf._counter is not None:
                leaf._counter[0] = version
            leaf._meta.grad = grad


def _version(tensor: Any) -> int:
    return 0 if tensor._counter is None else int(tensor._counter[0])


def _copied(grad: Any) -> Any:
    return None if grad is None else grad.detach().clone()


class Watcher:
    """Keeps the graph of the last backward call, or of the one with a given number."""

    def __init__(self, number: int | None, recording: Recording) -> None:
        self.number = number
        self.count = 0
        self.kept: Kept | None = None
        self.recording = recording
        self.calls: list[Any] = []
        self._before: list[Any] = []

    def keep(self, root: Any, gradient: Any) -> None:
        self.count += 1
        calls = self._before + self.recording.calls  # two losses may share what was called before the first
        self._before = self.recording.calls
        self.recording.forget()
        if self.number is None or self.count == self.number:
            self.kept = Kept(root, gradient)
            self.calls = calls

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at backward calls. Tensor's method is replaced meanwhile: the hot path knows nothing of this."""
        method, watcher = Tensor.backward, self

        def backward(self: Any, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
            if self.requires_grad and not engine.state.modes.backward_depth:
                watcher.keep(self, gradient)
            method(self, gradient, *args, **kwargs)

        Tensor.backward = backward  # type: ignore[method-assign]
        try:
            yield
        finally:
            Tensor.backward = method  # type: ignore[method-assign]


def run(arguments: list[str]) -> int:
    """The command. It exits with 1 if there is no graph to show, with 2 if it was called wrongly."""
    options, rest = _options(arguments)
    if options is None or not rest:
        print(f"facula: {USAGE}", file=sys.stderr)
        return 2
    from .._torch import run as runner  # loaded when first used

    with recorded() as recording:
        watcher = Watcher(options["backward"], recording)
        try:
            with watcher.watching():
                code = runner.run(rest)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    if code:
        return int(code)
    main = vars(sys.modules["__main__"])
    known = Names()
    for name, value in list(main.items()):
        if not name.startswith("_"):
            known.add(name, value)
    return _write(options, watcher, main, known)


def _write(options: dict[str, Any], watcher: Watcher, main: dict[str, Any], known: Names) -> int:
    kept, name = watcher.kept, options["loss"]
    try:
        if name is not None and name not in main:
            raise ValueError(f"the program has no variable {name} at its end")
        if kept is not None and (name is None or main[name] is kept.root):
            recording = Recording()
            recording.calls = watcher.calls
            with kept.back():
                page = exploration(kept.root, kept.names, recording, kept.gradient, options["output"])
        elif name is None and options["backward"] is not None:
            calls = f"{watcher.count} backward call{'' if watcher.count == 1 else 's'}"
            raise ValueError(f"the program made {calls}, so there is no number {options['backward']}")
        else:
            page = exploration(
                _last(main) if name is None else main[name], known, watcher.recording, None, options["output"]
            )
    except (ValueError, TypeError) as error:
        print(f"facula: {error}", file=sys.stderr)
        return 1
    print(page)
    return 0


def _last(main: dict[str, Any]) -> Any:
    """The last variable that holds a tensor with a history; 'loss' if there is one."""
    with_history = {
        name: value
        for name, value in main.items()
        if isinstance(value, Tensor) and value.grad_fn is not None and not name.startswith("_")
    }
    if not with_history:
        raise ValueError("the program made no backward call, and none of its variables holds a tensor with a history")
    return with_history.get("loss", list(with_history.values())[-1])


def _options(arguments: list[str]) -> tuple[dict[str, Any] | None, list[str]]:
    options: dict[str, Any] = {"output": "graph.html", "loss": None, "backward": None}
    names = {"-o": "output", "--output": "output", "--loss": "loss", "--backward": "backward"}
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        name, *after = rest
        if name not in names or not after or (names[name] == "backward" and not after[0].isdigit()):
            return None, rest
        options[names[name]] = int(after[0]) if names[name] == "backward" else after[0]
        rest = after[1:]
    if "-o" in rest[1:] and rest[0].endswith(".py"):  # also after the script: facula explore script.py -o graph.html
        at = rest.index("-o", 1)
        if at + 1 < len(rest):
            options["output"] = rest[at + 1]
            del rest[at : at + 2]
    return options, rest
