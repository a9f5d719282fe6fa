"""The kernels of the native library: against formulas, against facula's own, with several threads, after a fork."""

from __future__ import annotations

from pathlib import Path

import pytest

from facula.native.check import CASES

from .native_library import needs_compiler, program, python, shared_folder

pytestmark = needs_compiler


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


@pytest.mark.parametrize("case", sorted(CASES))
def test_random_calls_agree_with_formulas(folder: Path, case: str) -> None:
    done = python(folder, "-m", "facula.native.check", "200", "--only", case)
    assert done.returncode == 0, done.stderr


def test_calls_through_ctypes_check_the_same(folder: Path) -> None:
    said = program(folder, """
from facula.native import library
library.Library._layout_holds = lambda self: False
from facula.native import check
assert not library.load().is_direct
assert check.run(300, 1) == 0
""")
    assert "agree" in said


def test_the_number_of_threads_changes_no_bit(folder: Path) -> None:
    program(folder, """
import numpy as np
from facula.native import library
from facula.native import kernels as K
r = np.random.default_rng(0)
def draw(*shape):
    return r.standard_normal(shape).astype("f4")
x, g = draw(700, 900), draw(700, 900)
images, weight, up = draw(9, 16, 30, 30), draw(24, 16, 3, 3), draw(9, 24, 30, 30)
many, square = draw(9, 96, 30, 30), draw(96, 96, 3, 3)
q, k, v = draw(2, 3, 300, 16), draw(2, 3, 300, 16), draw(2, 3, 300, 16)
steps, gates, recurrent = K.Steps.of([50] * 20), draw(1000, 4 * 64), draw(4 * 64, 64) / 64
h = np.zeros((50, 64), "f4")
target = r.integers(0, 900, 700)
def everything():
    yield K.sum_all(draw.x), K.sum_rows(x), K.sum_columns(x), K.gelu(x), K.gelu_backward(g, x)
    yield K.softmax(x), K.log_softmax(x), K.softmax_backward(g, x), K.matmul(x, g.T), K.matmul(x.T, g)
    yield K.matmul(q, k.swapaxes(2, 3))
    y, m, i = K.layer_norm(x, None, None, 1e-5)
    yield (y, m, i, *K.layer_norm_backward(g, x, m, i, None))
    yield K.cross_entropy(x, target)
    same = ((1, 1), (1, 1), (1, 1), 1)
    yield K.convolution(images, weight, None, *same), K.convolution_input_gradient(up, weight, images.shape, *same)
    yield (K.convolution_weight_gradient(up, images, weight.shape, *same),)
    yield K.convolution(many, square, None, *same), K.convolution_weight_gradient(many, many, square.shape, *same)
    flat = images.reshape(9, 16, -1)
    m, i = K.batch_moments(flat)
    yield (m, i, *K.batch_norm_backward(flat, flat, m, i, None, True))
    y, m, i = K.group_norm(flat, 4, None, None, 1e-5)
    yield (y, *K.group_norm_backward(flat, flat, m, i, 4, None))
    y, logs = K.attention(q, k, v, None, True)
    yield (y, logs, *K.attention_backward(v, q, k, v, y, logs, None, True))
    out, a, b, kept = K.lstm(gates, recurrent, h, h, steps)
    yield (out, a, b, *K.lstm_backward(out, h, h, recurrent, steps, kept))
    p, s, t = x.copy(), g.copy(), np.abs(g)
    K.adam_(p, g, s, t, None, share=0.1, beta2=0.99, eps=1e-8, size=-0.01)
    out = np.zeros((50, 900), "f4")
    K.index_add_(out, 0, target % 50, x)
    yield p, s, t, out
draw.x = draw(3_000_001)
results = []
for n in (1, 2, 3):
    library.load().set_threads(n)
    results.append([part.tobytes() for parts in everything() for part in parts])
assert len(results[0]) > 40
for other in results[1:]:
    assert [i for i, (a, b) in enumerate(zip(results[0], other)) if a != b] == []
""")


def test_a_forked_process_starts_threads_of_its_own(folder: Path) -> None:
    said = program(folder, """
import os, threading
import numpy as np
from facula.native import library
from facula.native import kernels as K
library.load().set_threads(3)
x = np.random.default_rng(0).standard_normal((600, 600)).astype("f4")
expected = K.matmul(x, x)
stop = False
def busy():  # so that a fork may come while helpers are at work
    while not stop:
        K.matmul(x, x)
other = threading.Thread(target=busy)
other.start()
def child():
    for _ in range(3):
        assert (K.matmul(x, x) == expected).all()
    os._exit(7)
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        child()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
stop = True
other.join()
print("done")
""", PYTHONWARNINGS="ignore")  # fmt: skip
    assert said == "done\n"


def test_several_threads_of_python_may_call_at_once(folder: Path) -> None:
    program(folder, """
import threading
import numpy as np
from facula.native import library
from facula.native import kernels as K
library.load().set_threads(2)
r = np.random.default_rng(0)
inputs = [r.standard_normal((200 + 10 * i, 300)).astype("f4") for i in range(4)]
right = [(K.matmul(x, x.T), K.gelu(x)) for x in inputs]
wrong = []
def work(i):
    for _ in range(40):
        if not (K.matmul(inputs[i], inputs[i].T) == right[i][0]).all() or not (K.gelu(inputs[i]) == right[i][1]).all():
            wrong.append(i)
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not wrong
""")


def test_other_threads_of_python_run_beside_long_kernels(folder: Path) -> None:
    program(folder, """
import threading, time
import numpy as np
from facula.native import library
from facula.native import kernels as K
library.load().set_threads(1)
x = np.ones((1200, 1200), "f4")
K.matmul(x, x)
seen, stop = [0], False
def count():
    while not stop:
        seen[0] += 1
        time.sleep(0)
other = threading.Thread(target=count)
other.start()
most = 0
for _ in range(5):
    before = seen[0]
    K.matmul(x, x)
    most = max(most, seen[0] - before)
stop = True
other.join()
assert most > 10, most
""")


def test_set_num_threads_reaches_the_library(folder: Path) -> None:
    said = program(folder, """
import facula
from facula.native import library
found = library.load()
for n in (3, 1):
    facula.set_num_threads(n)
    print(found.dll.facula_get_threads())
""")
    assert said == "3\n1\n"


@pytest.mark.parametrize("value", ["np.inf", "np.nan", "3e38"])
def test_convolutions_by_tiles_keep_infinities_where_they_belong(folder: Path, value: str) -> None:
    program(folder, f"""
import numpy as np
from facula.native import kernels as K
r = np.random.default_rng(0)
x, w = r.standard_normal((2, 32, 40, 40)).astype("f4"), r.standard_normal((32, 32, 3, 3)).astype("f4")
how = (1, 1), (1, 1), (1, 1), 1
clean = K.convolution(x, w, None, *how)
clean_back = K.convolution_input_gradient(x, w, x.shape, *how)
x[1, 4, 10, 20] = {value}
seen = np.zeros(clean.shape, bool)
seen[1, :, 9:12, 19:22] = True
for found, expected in (
    (K.convolution(x, w, None, *how), clean), (K.convolution_input_gradient(x, w, x.shape, *how), clean_back)
):
    np.testing.assert_allclose(found[~seen], expected[~seen], 1e-4, 1e-4)
    assert (np.isnan(found[seen]) if {value} != {value} else np.abs(found[seen]) > 1e30).all()
assert K.convolution_weight_gradient(clean, x, w.shape, *how) is None or {value} == 3e38
""")


def test_agrees_with_the_kernels_of_numpy(folder: Path) -> None:
    """What an operator gives today is what its native kernel gives, up to rounding."""
    program(folder, """
import numpy as np
import facula as torch
import facula.nn.functional as F
from facula.native import kernels as K
r = np.random.default_rng(0)
def near(found, expected, tolerance):
    expected = expected.detach().numpy()
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, tolerance, tolerance)
for d, tolerance in (("f4", 2e-5), ("f8", 1e-12)):
    def draw(*shape):
        return r.standard_normal(shape).astype(d)
    def tensor(x):
        return torch.tensor(x, requires_grad=True)
    for _ in range(10):
        n, w = r.integers(1, 200, 2)
        x, g = draw(n, w), draw(n, w)
        for name, own, back, uses_output in (
            ("softmax", K.softmax, K.softmax_backward, True),
            ("log_softmax", K.log_softmax, K.log_softmax_backward, True),
            ("gelu", K.gelu, K.gelu_backward, False), ("silu", K.silu, K.silu_backward, False),
            ("tanh", K.tanh, K.tanh_backward, True), ("sigmoid", K.sigmoid, K.sigmoid_backward, True),
            ("relu", K.relu, K.relu_backward, True),
        ):
            t = tensor(x)
            y = getattr(F, name)(t, -1) if "softmax" in name else getattr(F, name)(t)
            y.backward(torch.tensor(g))
            near(own(x), y, tolerance)
            near(back(g, own(x) if uses_output else x), t.grad, 4 * tolerance)
        weight, bias = draw(w), draw(w)
        t, tw, tb = tensor(x), tensor(weight), tensor(bias)
        y = F.layer_norm(t, (int(w),), tw, tb, 1e-2)
        y.backward(torch.tensor(g))
        own = K.layer_norm(x, weight, bias, 1e-2)
        near(own[0], y, 4 * tolerance)
        for a, b in zip(K.layer_norm_backward(g, x, own[1], own[2], weight), (t.grad, tw.grad, tb.grad)):
            near(a, b, 50 * tolerance)
        target = r.integers(0, w, n)
        t = tensor(x)
        loss = F.cross_entropy(t, torch.tensor(target))
        loss.backward()
        sums, shares = K.cross_entropy(x, target)
        near(np.asarray(sums[0] / sums[1]), loss, tolerance)
        near(K.cross_entropy_backward(shares, target, 1 / float(sums[1])), t.grad, tolerance)
    for stride, padding, dilation, groups in ((1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1), (3, 1, 1, 4)):
        x, weight, bias = draw(3, 8, 15, 17), draw(12, 8 // groups, 3, 3), draw(12)
        t, tw, tb = tensor(x), tensor(weight), tensor(bias)
        y = F.conv2d(t, tw, tb, stride, padding, dilation, groups)
        g = draw(*y.shape)
        y.backward(torch.tensor(g))
        rest = ((stride,) * 2, (padding,) * 2, (dilation,) * 2, groups)
        near(K.convolution(x, weight, bias, *rest), y, 10 * tolerance)
        near(K.convolution_input_gradient(g, weight, x.shape, *rest), t.grad, 10 * tolerance)
        near(K.convolution_weight_gradient(g, x, weight.shape, *rest), tw.grad, 50 * tolerance)
    x = draw(2, 5, 13, 14)
    y, index = F.max_pool2d(torch.tensor(x), 3, 2, 1, return_indices=True)
    own = K.max_pool(x, y.shape[2:], (3, 3), (2, 2), (1, 1), (1, 1))
    rows, columns = np.ogrid[:7, :7]
    places = (2 * rows - 1 + own[1] // 3) * 14 + 2 * columns - 1 + own[1] % 3
    assert (own[0] == y.numpy()).all() and (places == index.numpy()).all()
    near(K.average_pool(x, (7, 7), (3, 3), (2, 2), (1, 1), False, None),
         F.avg_pool2d(torch.tensor(x), 3, 2, 1, count_include_pad=False), tolerance)
    q, k, v = draw(2, 3, 90, 16), draw(2, 3, 90, 16), draw(2, 3, 90, 16)
    near(K.attention(q, k, v, None, True)[0],
         F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), is_causal=True), 10 * tolerance)
    for make, kind in ((torch.optim.Adam, "adam"), (torch.optim.AdamW, "adamw"), (torch.optim.SGD, "sgd")):
        p, g = draw(300), draw(300)
        t = tensor(p)
        options = {"momentum": 0.9, "nesterov": True} if kind == "sgd" else {"amsgrad": True}
        optimizer = make([t], lr=0.01, weight_decay=0.1, **options)
        mean, square, top, buffer = (np.zeros(300, d) for _ in range(4))
        for step in range(1, 6):
            t.grad = torch.tensor(g)
            optimizer.step()
            if kind == "sgd":
                K.sgd_(p, g, buffer, lr=0.01, momentum=0.9, decay=0.1, nesterov=True, first=step == 1)
            else:
                root = (1 - 0.999**step) ** 0.5
                decay = {"decay": 0.1} if kind == "adam" else {"shrink": 1 - 0.001}
                K.adam_(p, g, mean, square, top, share=1 - 0.9, beta2=0.999, eps=1e-8 * root,
                        size=-0.01 / (1 - 0.9**step) * root, **decay)
        near(p, t, tolerance)
""")
