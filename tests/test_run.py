"""``facula run``: programs written with ``import torch``, run as Python itself would run them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import facula

SHOW = """\
import sys
names = ("__name__", "__file__", "__package__", "__cached__", "__doc__")
print(sys.argv, sys.path[0], {n: globals()[n] for n in names}, __spec__ and __spec__.name)
print(sys.modules["__main__"].__dict__ is globals(), __builtins__, __annotations__)
"""


def python(*arguments: str, at: Path, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(facula.__file__).parent.parent)}
    command = [sys.executable, *options, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=at, env=environment)


def run(*arguments: str, at: Path, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return python("-m", "facula", "run", *arguments, at=at, options=options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Scripts in a package, behind a link, in a directory and in an archive."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "show.py").write_text(SHOW)
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "__main__.py").write_text(SHOW)
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        archive.writestr("__main__.py", SHOW)
    (tmp_path / "link.py").symlink_to(tmp_path / "package" / "show.py")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    ["package/show.py a -m b", "link.py", "-m package.show --flag", "bundle x", "archive", "-c {} y"],
    ids=["script", "link", "module", "directory", "archive", "code"],
)
def test_everything_is_as_python_has_it(folder: Path, arguments: str) -> None:
    given = ["import sys; print(sys.argv, sys.path[0])" if a == "{}" else a for a in arguments.split()]
    theirs, ours = python(*given, at=folder), run(*given, at=folder)
    assert theirs.returncode == 0, theirs.stderr
    assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, theirs.stderr, 0)


def test_with_safe_paths_the_folder_is_not_on_the_path(folder: Path) -> None:
    """``python -P`` leaves it out, and so does facula under it."""
    (folder / "paths.py").write_text("import sys; print(sys.argv[1] in sys.path)")
    assert run("paths.py", str(folder.resolve()), at=folder).stdout == "True\n"
    assert run("paths.py", str(folder.resolve()), at=folder, options=("-P",)).stdout == "False\n"


def test_a_training_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        """
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
steps = parser.parse_args().steps
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(-1, 1, 32, device=device).reshape(-1, 1)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
optimizer = optim.Adam(model.parameters(), lr=0.05)
losses = []
for _ in range(steps):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), x**2)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[-1] < losses[0] / 4, device, torch.__version__)
"""
    )
    done = run("train.py", "--steps", "60", at=tmp_path)
    assert (done.stdout, done.stderr) == ("True cpu 2.13.0\n", "")


@pytest.mark.parametrize("end", ["sys.exit(7)", "sys.exit()", "sys.exit('a message')", "pass"])
def test_exit_codes(tmp_path: Path, end: str) -> None:
    (tmp_path / "end.py").write_text(f"import atexit, sys\natexit.register(print, 'bye')\n{end}\n")
    theirs, ours = python("end.py", at=tmp_path), run("end.py", at=tmp_path)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    raise ValueError('wrong')\nf()\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('x') from e\n",
        "x = (1\n",
        "import sys\nsys.excepthook = lambda *a: print('mine', a[0].__name__, a[2].tb_lineno)\n1 / 0\n",
    ],
    ids=["raised", "chained", "syntax", "hook"],
)
def test_tracebacks_are_the_programs_own(tmp_path: Path, source: str) -> None:
    (tmp_path / "fails.py").write_text(source)
    for arguments in (["fails.py"], ["-m", "fails"]):
        theirs, ours = python(*arguments, at=tmp_path), run(*arguments, at=tmp_path)
        assert (ours.returncode, ours.stdout, ours.stderr) == (1, theirs.stdout, theirs.stderr)
        assert "facula" not in ours.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_it_as_python_ends(tmp_path: Path) -> None:
    done = run("-c", "raise KeyboardInterrupt", at=tmp_path)
    assert done.returncode == -signal.SIGINT
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    done = run("nothing.py", at=tmp_path)
    path = os.path.join(os.path.realpath(tmp_path), "nothing.py")
    assert done.returncode == 2
    assert done.stderr in (
        f"facula: can't open file {path!r}: [Errno 2] No such file or directory\n",
        f"facula: can't open file {str(tmp_path / 'nothing.py')!r}: [Errno 2] No such file or directory\n",
    )


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    done = run("-m", "nothing", at=tmp_path)
    assert done.returncode == 1
    assert "No module named nothing" in done.stderr


@pytest.mark.parametrize("arguments", [["-m"], ["-c"], ["--watch", "-m"]])
def test_a_command_line_that_lacks_something(tmp_path: Path, arguments: list[str]) -> None:
    done = run(*arguments, at=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("facula: run needs a script")


@pytest.mark.parametrize(("arguments", "given", "said"), [
    (["-", "a"], "import sys, torch; print(sys.argv, __name__, torch.ones(1))", "['-', 'a'] __main__ tensor([1.])\n"),
    ([], "import torch; print(torch.ones(1))", "tensor([1.])\n"),
    (["-i", "-c", "import torch; x = torch.ones(2)"], "print(x + 1)\n", ">>> tensor([2., 2.])\n>>> "),
    (["-i"], "print(torch.zeros(1))\n", ">>> tensor([0.])\n>>> "),
])  # fmt: skip
def test_what_comes_in(tmp_path: Path, arguments: list[str], given: str, said: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(facula.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-m", "facula", "run", *arguments], input=given, capture_output=True, text=True, cwd=tmp_path,
        env=environment,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, said), done.stderr


def test_help(tmp_path: Path) -> None:
    done = run("--help", at=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("usage: facula run") and not done.stderr


def test_functorch(tmp_path: Path) -> None:
    done = run("-c", """
import torch
from functorch import combine_state_for_ensemble, grad, make_functional, make_functional_with_buffers, vmap
x = torch.ones(4, 3)
f, p = make_functional(torch.nn.Linear(3, 2))
print(grad(lambda p: f(p, x).sum())(p)[1])
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).eval()
f, p, b = make_functional_with_buffers(net)
print(torch.equal(f(p, b, x), net(x)), len(b))
nets = [torch.nn.Linear(3, 2) for _ in range(3)]
f, p, b = combine_state_for_ensemble(nets)
print(torch.allclose(vmap(f, in_dims=(0, 0, None))(p, b, x), torch.stack([net(x) for net in nets])))
try:
    make_functional(net)
except RuntimeError as e:
    print(e)
""", at=tmp_path)  # fmt: skip
    assert done.stdout == (
        "tensor([4., 4.])\nTrue 3\nTrue\nmake_functional(model): `model` has buffers. Please use "
        "make_functional_with_buffers(model) instead.\n"
    ), done.stderr


def test_what_pickles_in_main_can_be_loaded_again(tmp_path: Path) -> None:
    (tmp_path / "pickles.py").write_text(
        """
import pickle
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
again = pickle.loads(pickle.dumps(Net()))
print(type(again) is Net, again.layer)
"""
    )
    assert run("pickles.py", at=tmp_path).stdout == "True Linear(in_features=2, out_features=1, bias=True)\n"


def test_new_processes_have_the_name_too(tmp_path: Path) -> None:
    (tmp_path / "spawns.py").write_text(
        """
import torch
import torch.multiprocessing as mp

def work(i, given):
    if i > 0:
        print(i, torch.__version__, (given * i).tolist(), flush=True)
        raise ValueError("too many")

if __name__ == "__main__":
    try:
        mp.spawn(work, (torch.ones(2),), nprocs=2)
    except mp.ProcessRaisedException as e:
        print("ValueError: too many" in str(e), e.error_index)
"""
    )
    done = run("spawns.py", at=tmp_path)
    lines = done.stdout.splitlines()
    assert "1 2.13.0 [1.0, 1.0]" in lines and lines[-1] == "True 1", done.stderr
