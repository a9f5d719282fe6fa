"""Every form of call in every state: the quick ways do what the general one does, and what PyTorch does.

Compared are values, graph, saved values, versions, gradients, errors, and what facula knows of lines.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import facula

from .conformance.compare import differences
from .conformance.observe import name_of

Form = Callable[..., Any]
Shapes = list[tuple[int, ...]]

A, B, V, SQUARE, BATCH = (2, 3), (2, 3), (3,), (3, 3), (2, 3, 3)

FORMS: dict[str, tuple[Form, Shapes]] = {
    # elementwise
    "exp": (lambda t, x: x.exp(), [A]),
    "neg": (lambda t, x: -x, [A]),
    "relu": (lambda t, x: t.relu(x), [A]),
    "mul": (lambda t, x, y: x * y, [A, B]),
    "broadcast add": (lambda t, x, y: x + y, [A, V]),
    "mul of one tensor": (lambda t, x: x * x, [A]),
    "div by a number": (lambda t, x: x / 3, [A]),
    "a number minus": (lambda t, x: 2.5 - x, [A]),
    "pow of a number": (lambda t, x: x**3, [A]),
    "add with alpha": (lambda t, x, y: t.add(x, y, alpha=2), [A, B]),
    "leaky_relu": (lambda t, x: t.nn.functional.leaky_relu(x, 0.3), [A]),
    "gelu": (lambda t, x: t.nn.functional.gelu(x, approximate="tanh"), [A]),
    "where": (lambda t, x, y: t.where(x > y, x, y), [A, B]),
    "clamp": (lambda t, x: x.clamp(-0.5, 0.5), [A]),
    "clamp by tensors": (lambda t, x, y, z: t.clamp(x, y, z), [A, B, V]),
    "lerp": (lambda t, x, y: t.lerp(x, y, 0.3), [A, B]),
    "comparison": (lambda t, x, y: x < y, [A, B]),
    # reductions
    "sum": (lambda t, x: x.sum(), [A]),
    "mean over one": (lambda t, x: x.mean(1), [A]),
    "max over one": (lambda t, x: x.max(0), [A]),
    "var_mean": (lambda t, x: t.var_mean(x, 1), [A]),
    "cumsum": (lambda t, x: x.cumsum(1), [A]),
    "sort": (lambda t, x: x.sort(1), [A]),
    "argmax": (lambda t, x: x.argmax(1), [A]),
    # products
    "matmul": (lambda t, x, y: x @ y, [A, SQUARE]),
    "matmul of a vector": (lambda t, x, y: x @ y, [A, V]),
    "matmul of vectors": (lambda t, x, y: x @ y, [V, V]),
    "matmul of batches": (lambda t, x, y: x @ y, [BATCH, SQUARE]),
    "mm": (lambda t, x, y: t.mm(x, y), [A, SQUARE]),
    "bmm": (lambda t, x, y: t.bmm(x, y), [BATCH, BATCH]),
    "addmm": (lambda t, x, y, z: t.addmm(x, y, z), [V, A, SQUARE]),
    "linear": (lambda t, x, w: t.nn.functional.linear(x, w), [A, SQUARE]),
    "linear with bias": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), [A, SQUARE, V]),
    "linear of batches": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), [BATCH, SQUARE, V]),
    "outer": (lambda t, x, y: t.outer(x, y), [V, V]),
    "einsum": (lambda t, x, y: t.einsum("ij,jk->ik", x, y), [A, SQUARE]),
    # several tensors, several results
    "stack": (lambda t, x, y: t.stack([x, y]), [A, B]),
    "cat": (lambda t, x, y: t.cat([x, y], 1), [A, B]),
    "topk": (lambda t, x: x.topk(2), [A]),
    "aminmax": (lambda t, x: t.aminmax(x, dim=1), [A]),
    # views
    "view": (lambda t, x: x.view(3, 2), [A]),
    "reshape": (lambda t, x: x.reshape(-1), [A]),
    "transpose": (lambda t, x: x.t(), [A]),
    "select": (lambda t, x: x[0], [A]),
    "slice": (lambda t, x: x[:, 1:], [A]),
    "several indices": (lambda t, x: x[1:, None, -1], [A]),
    "expand": (lambda t, x: x.expand(2, 2, 3), [A]),
    "unsqueeze": (lambda t, x: x.unsqueeze(1), [A]),
    "diagonal": (lambda t, x: x.diagonal(), [SQUARE]),
    "view of a view": (lambda t, x: x.t()[1], [A]),
    "unbind": (lambda t, x: x.unbind(0), [A]),
    "split": (lambda t, x: x.split(2, 1), [A]),
    # indexing
    "index by numbers": (lambda t, x: x[[0, 1, 0]], [A]),
    "index_select": (lambda t, x: x.index_select(1, t.tensor([2, 0])), [A]),
    "gather": (lambda t, x: x.gather(1, t.tensor([[0], [2]])), [A]),
    "masked_fill": (lambda t, x: x.masked_fill(x > 0, 1.5), [A]),
    # networks
    "softmax": (lambda t, x: x.softmax(1), [A]),
    "log_softmax": (lambda t, x: t.log_softmax(x, 1), [A]),
    "cross_entropy": (lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([2, 0])), [A]),
    "mse_loss": (lambda t, x, y: t.nn.functional.mse_loss(x, y), [A, B]),
    "layer_norm": (lambda t, x, w, b: t.nn.functional.layer_norm(x, (3,), w, b), [A, V, V]),
    "conv2d": (lambda t, x, w, b: t.nn.functional.conv2d(x, w, b), [(1, 2, 4, 4), (3, 2, 2, 2), V]),
    "batch_norm": (lambda t, x, w, b: t.nn.functional.batch_norm(x, None, None, w, b, True), [(5, 3), V, V]),
    "attention": (lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v), [(1, 2, 3, 4)] * 3),
    "max_pool2d": (lambda t, x: t.nn.functional.max_pool2d(x, 2), [(1, 2, 4, 4)]),
    "embedding": (lambda t, w: t.nn.functional.embedding(t.tensor([1, 0, 1]), w), [A]),
    "to another dtype": (lambda t, x: x.double(), [A]),
    "clone": (lambda t, x: x.clone(), [A]),
    # in place and out=
    "mul_": (lambda t, x, y: x.mul_(y), [A, B]),
    "mul_ by a number": (lambda t, x: x.mul_(2), [A]),
    "exp_": (lambda t, x: x.exp_(), [A]),
    "copy_": (lambda t, x, y: x.copy_(y), [A, B]),
    "addmm_": (lambda t, x, y, z: x.addmm_(y, z), [A, A, SQUARE]),
    "in place on a view": (lambda t, x: [x[0].mul_(2), x], [A]),
    "setitem": (lambda t, x, y: [x.__setitem__((slice(None), 0), y), x], [A, (2,)]),
    "out= of exp": (lambda t, x: t.exp(x, out=t.empty(2, 3)), [A]),
    "out= of add": (lambda t, x, y: t.add(x, y, out=t.empty(2, 3)), [A, B]),
    "out= of mm": (lambda t, x, y: t.mm(x, y, out=t.empty(2, 3)), [A, SQUARE]),
    # what is refused
    "shapes that do not fit": (lambda t, x, y: x * y, [A, (2,)]),
    "matrices that do not fit": (lambda t, x, y: x @ y, [A, A]),
    "no such dimension": (lambda t, x: x.sum(7), [A]),
    "a view that cannot be": (lambda t, x: x.view(4, 2), [A]),
}  # fmt: skip


def numbers(shapes: Shapes, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def with_history(t: Any, arrays: list[np.ndarray]) -> list[Any]:
    """Inputs that need a gradient and may be written to."""
    return [t.from_numpy(x.copy()).requires_grad_().clone() for x in arrays]


# ---- what is seen


def told(t: Any, value: Any) -> Any:
    """A value in plain words."""
    if isinstance(value, t.Tensor):
        value = value.detach()
        return [str(value.dtype), list(value.shape), value.double().tolist()]
    if isinstance(value, (list, tuple)):
        return [told(t, v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def tensors(t: Any, out: Any) -> list[Any]:
    return [out] if isinstance(out, t.Tensor) else [x for x in out if isinstance(x, t.Tensor)]


def views(outs: list[Any]) -> list[Any]:
    """Those whose version others can see: how a result that is new was made is nobody's business."""
    return [x for x in outs if x._is_view()]


def nodes(roots: list[Any]) -> Iterator[Any]:
    """The nodes of a graph, each once, in an order that both libraries share."""
    seen: set[Any] = set()
    todo = [x.grad_fn for x in reversed(roots)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            todo += [n for n, _ in reversed(node.next_functions)]


def saved(t: Any, node: Any) -> dict[str, Any]:
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return {name: attempt(lambda name: told(t, getattr(node, name)), name) for name in names}


def attempt(fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return fn(*args)
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as e:
        return {"raises": type(e).__name__, "message": str(e).split("\n")[0]}


def seen_of(t: Any, outs: list[Any], inputs: list[Any]) -> dict[str, Any]:
    """All that a user can see of a call, and of the way back."""
    graph = list(nodes(outs))
    return {
        "values": [told(t, x) for x in outs],
        "requires_grad": [x.requires_grad for x in outs],
        "output_nr": [x.output_nr for x in outs],
        "inference": [x.is_inference() for x in outs],
        "views": [x._is_view() for x in outs],
        "versions": [attempt(lambda x: x._version, x) for x in (*inputs, *views(outs))],
        "graph": [[name_of(n), [[name_of(below), nr] for below, nr in n.next_functions]] for n in graph],
        "saved": [saved(t, n) for n in graph],
        "anomaly": ["traceback_" in n.metadata for n in graph if name_of(n) != "AccumulateGrad"],
        "gradients": attempt(lambda: gradients(t, outs, inputs)),
    }


def gradients(t: Any, outs: list[Any], inputs: list[Any]) -> Any:
    loss = sum((x * (x.detach() + 1.5)).sum() for x in outs if x.requires_grad)
    wanted = [x for x in inputs if x.requires_grad]
    return told(t, t.autograd.grad(loss, wanted, allow_unused=True)) if wanted and isinstance(loss, t.Tensor) else None


# ---- states


class State:
    """How inputs are made, what is on while the form is called, and what else is to be seen then."""

    cut: str | None = None
    """How the results lost their history, if they did."""
    tolerance = (2e-5, 2e-6)
    place: Any = None
    """What function's first line did that, if not the form's."""

    def inputs(self, t: Any, arrays: list[np.ndarray]) -> list[Any]:
        return with_history(t, arrays)

    def on(self, t: Any) -> Any:
        return nullcontext()

    def run(self, t: Any, form: Form, arrays: list[np.ndarray]) -> Any:
        inputs = self.inputs(t, arrays)
        with self.on(t):
            outs = attempt(lambda: tensors(t, form(t, *inputs)))
        return outs if isinstance(outs, dict) else attempt(lambda: seen_of(t, outs, inputs))


class NoGrad(State):
    cut = "no_grad()"

    def on(self, t: Any) -> Any:
        return t.no_grad()


class InferenceMode(State):
    cut = "inference_mode()"

    def on(self, t: Any) -> Any:
        return t.inference_mode()


class Anomaly(State):
    def on(self, t: Any) -> Any:
        return t.autograd.set_detect_anomaly(True)


class InferenceInput(State):
    """The first input is an inference tensor."""

    def inputs(self, t: Any, arrays: list[np.ndarray]) -> list[Any]:
        with t.inference_mode():
            first = t.from_numpy(arrays[0].copy()).clone()
        return [first, *with_history(t, arrays[1:])]


class Detached(State):
    cut = "detach()"
    place = staticmethod(lambda x: x.detach())

    def inputs(self, t: Any, arrays: list[np.ndarray]) -> list[Any]:
        return list(map(self.place, with_history(t, arrays)))


class FirstDetached(State):
    def inputs(self, t: Any, arrays: list[np.ndarray]) -> list[Any]:
        first, *rest = with_history(t, arrays)
        return [first.detach(), *rest]


class TensorHooks(State):
    def inputs(self, t: Any, arrays: list[np.ndarray]) -> list[Any]:
        found = with_history(t, arrays)
        for x in found:
            x.register_hook(lambda g: 2 * g)
        return found


class SavedTensorHooks(State):
    """What is saved goes through two functions."""

    def on(self, t: Any) -> Any:
        return t.autograd.graph.saved_tensors_hooks(lambda x: x.detach().clone(), lambda x: x)


class Profiler(State):
    def on(self, t: Any) -> Any:
        return t.autograd.profiler.profile()


class Autocast(State):
    tolerance = (2e-2, 2e-2)

    def on(self, t: Any) -> Any:
        return t.autocast("cpu", dtype=t.bfloat16)


class Vmap(State):
    def run(self, t: Any, form: Form, arrays: list[np.ndarray]) -> Any:
        batches = [t.from_numpy(np.stack([x, x[::-1] - 1])).requires_grad_() for x in arrays]
        outs = attempt(lambda: t.func.vmap(lambda *xs: tuple(tensors(t, form(t, *[x.clone() for x in xs]))))(*batches))
        if isinstance(outs, dict):
            return outs
        return {"values": [told(t, x) for x in outs], "gradients": attempt(lambda: gradients(t, list(outs), batches))}


class Jvp(State):
    def run(self, t: Any, form: Form, arrays: list[np.ndarray]) -> Any:
        at, along = ([t.from_numpy(x.copy()) for x in given] for given in (arrays, [np.cos(x) for x in arrays]))
        outs = attempt(
            lambda: t.func.jvp(
                lambda *xs: tuple(tensors(t, form(t, *[x.clone() for x in xs]))), tuple(at), tuple(along)
            )
        )
        return outs if isinstance(outs, dict) else [told(t, x) for x in outs]


STATES: dict[str, State] = {
    "plain": State(), "no_grad": NoGrad(), "inference mode": InferenceMode(), "anomaly": Anomaly(),
    "inference input": InferenceInput(), "detached": Detached(), "first detached": FirstDetached(),
    "tensor hooks": TensorHooks(), "saved-tensor hooks": SavedTensorHooks(), "profiler": Profiler(),
    "autocast": Autocast(), "vmap": Vmap(), "jvp": Jvp(),
}  # fmt: skip

each_form = pytest.mark.parametrize("form", FORMS)
each_state = pytest.mark.parametrize("state", STATES)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def differing(expected: Any, found: Any, state: State) -> list[str]:
    """What is different. Of saved values, those that both have a name for: the names are a matter of each operator."""
    if "saved" in expected and "saved" in found:
        for e, f in zip(expected["saved"], found["saved"]):
            for only in e.keys() ^ f.keys():
                e.pop(only, None), f.pop(only, None)
    return differences(expected, found, "", *state.tolerance)


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11), reason="the oracle is not installed"
)
@each_state
@each_form
def test_as_in_pytorch(form: str, state: str) -> None:
    import torch

    fn, shapes = FORMS[form]
    expected, found = (STATES[state].run(t, fn, numbers(shapes)) for t in (torch, facula))
    if "raises" in expected and "raises" in STATES["plain"].run(torch, fn, numbers(shapes)):
        assert found.get("raises") == expected["raises"]  # refused anyway: which refusal comes first is no matter
    elif "raises" in expected and expected["raises"] == "NotImplementedError":
        assert "raises" not in found  # facula has derivatives that PyTorch does not have
    else:
        assert not differing(expected, found, STATES[state])


@each_state
@each_form
def test_as_on_the_general_path(form: str, state: str) -> None:
    """Which hooks that leave alone what is saved force every call to take."""
    fn, shapes = FORMS[form]

    def general(t: Any, *inputs: Any) -> Any:
        with t.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            return fn(t, *inputs)

    expected, found = (STATES[state].run(facula, f, numbers(shapes)) for f in (general, fn))
    assert not differences(expected, found)


# ---- provenance, which PyTorch does not have


def called(form: str, state: State) -> tuple[list[Any], set[Any]]:
    """The results of a form (none if it is refused), and the nodes that it made."""
    fn, shapes = FORMS[form]
    inputs = state.inputs(facula, numbers(shapes))
    before = set(nodes(inputs))
    with state.on(facula):
        outs = attempt(lambda: tensors(facula, fn(facula, *inputs)))
    made = outs if isinstance(outs, dict) else attempt(lambda: set(nodes(outs)) - before)
    return ([], set()) if isinstance(made, dict) else (outs, made)


def line_of(fn: Any) -> str:
    return f"{__file__}:{fn.__code__.co_firstlineno}"


@pytest.mark.parametrize("state", [name for name, state in STATES.items() if state.cut])
@pytest.mark.parametrize("form", [name for name in FORMS if "out=" not in name])  # which keep what they had
def test_the_cut_is_known(form: str, state: str) -> None:
    how = STATES[state]
    outs, _ = called(form, how)
    place = line_of(FORMS[form][0]) if how.place is None else line_of(how.place)
    for x in outs:
        if x.is_floating_point() and not x.requires_grad:
            with pytest.raises(RuntimeError, match="does not require grad") as caught:
                x.sum().backward()
            assert f"{how.cut} at {place}" in str(caught.value)


@pytest.mark.parametrize("state", ["plain", "anomaly", "first detached", "saved-tensor hooks", "profiler", "autocast"])
@each_form
def test_nodes_know_their_line(form: str, state: str) -> None:
    outs, made = called(form, STATES[state])
    assert {str(node.source) for node in made} == {line_of(FORMS[form][0])} or not any(x.requires_grad for x in outs)
