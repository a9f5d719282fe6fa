"""``facula tour``: what the library does, shown in the terminal by doing it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import CodeType
from typing import Any

import facula as torch

WIDTH = 78


class Screen:
    """Prints titles, lines of a program as they run, and what they give; with colours on a terminal."""

    def __init__(self) -> None:
        tty = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.colours = tty and "NO_COLOR" not in os.environ
        self.animates = tty
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        self.unicode = encoding.startswith("utf")
        self.scope: dict[str, Any] = {"torch": torch}
        self.started = time.perf_counter()

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours else text

    def title(self, number: int, text: str) -> None:
        rule = ("─" if self.unicode else "-") * max(0, WIDTH - len(text) - 5)
        print("\n" + self.paint(f"{number}. {text} {rule}", "1;36"))

    def say(self, text: str) -> None:
        print(self.paint(text, "2"))

    def run(self, program: str) -> None:
        """Run a small program, showing each statement; the value of an expression is printed below it."""
        import ast  # loaded when first used

        lines = program.strip("\n").splitlines()
        name = f"<tour {len(self.scope)}>"
        for statement in ast.parse(program.strip("\n"), name).body:
            first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
            source = lines[first - 1 : statement.end_lineno]
            for i, line in enumerate(source):
                print(self.paint((">>> " if i == 0 else "... ") + line, "33"))
            if isinstance(statement, ast.Expr):
                code: CodeType = compile(ast.Expression(statement.value), name, "eval")
                value = eval(code, self.scope)
                if value is not None:
                    print(value)
            else:
                exec(compile(ast.Module([statement], []), name, "exec"), self.scope)

    def file(self, name: str, program: str) -> None:
        """Show a program with its line numbers, and run it under the name of a file."""
        program = program.strip("\n")
        print(self.paint(f"{name}:", "2"))
        for number, line in enumerate(program.splitlines(), 1):
            print(self.paint(f"{number:4d}  {line}", "33"))
        exec(compile(program, name, "exec"), self.scope)

    def error(self, action: Callable[[], Any]) -> None:
        """Run what must fail, and show the message within the width of the page."""
        try:
            action()
        except RuntimeError as e:
            for paragraph in f"{type(e).__name__}: {e}".splitlines():
                print(self.paint(wrapped(paragraph), "31"))

    def bar(self, done: int, total: int, note: str) -> None:
        """A progress bar, redrawn in place on a terminal; otherwise printed once, when full."""
        if not self.animates and done < total:
            return
        full, empty = ("█", "░") if self.unicode else ("#", ".")
        filled = 30 * done // total
        text = f"[{full * filled}{empty * (30 - filled)}] step {done:3d}/{total}  {note}"
        print(("\r" if self.animates else "") + text, end="\n" if done == total else "", flush=True)


def wrapped(text: str) -> str:
    import textwrap  # loaded when first used

    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def picture(image: Any, unicode: bool = True) -> list[str]:
    """An image with values from 0 to 1 as lines of blocks, two characters a pixel."""
    shades = " ░▒▓█" if unicode else " .:*#"
    rows = image.detach().clamp(0, 1).tolist()
    return ["".join(shades[round(v * (len(shades) - 1))] * 2 for v in row) for row in rows]


def side_by_side(**pictures: list[str]) -> str:
    rows = [[f"{name:<16}" for name in pictures], *zip(*pictures.values())]
    return "\n".join("  " + "    ".join(f"{cell:<16}" for cell in row).rstrip() for row in rows)


TARGET = (
    "..####..",
    ".#....#.",
    "#.#..#.#",
    "#......#",
    "#.#..#.#",
    "#..##..#",
    ".#....#.",
    "..####..",
)


def run() -> None:
    screen = Screen()
    print(screen.paint(f"facula {torch.__version__}: a little torch", "1") + " - PyTorch's autograd on NumPy alone")
    for number, (title, part) in enumerate(PARTS, 1):
        screen.title(number, title)
        part(screen)
    from .native import command  # loaded when first used

    print("\n" + wrapped(f"Kernels in C for large arrays (facula native): {command.line()}."))
    seconds = time.perf_counter() - screen.started
    print(f"\nThat took {seconds:.1f} s. In your own program: " + screen.paint("import facula as torch", "1"))


def tensors(screen: Screen) -> None:
    screen.run("""
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
w = torch.tensor([0.5, -1.], requires_grad=True)
x * w
""")


def graph(screen: Screen) -> None:
    screen.say("Every operation leaves a node; next_functions lead on towards the leaves.")
    screen.run("loss = (x * w).sum() + (w * w).sum()\ntorch.draw(loss)")


def backward(screen: Screen) -> None:
    screen.run("loss.backward()\nw.grad")
    screen.say("A second backward adds to what is there:")
    screen.run("(x * w).sum().backward()\nw.grad\nw.grad = None")


def hooks(screen: Screen) -> None:
    screen.run("""
y = x * w
handle = y.register_hook(lambda g: print("gradient of y:", g.tolist()))
(y * 2).sum().backward()
handle.remove()
""")


def custom(screen: Screen) -> None:
    screen.run("""
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1)
t = torch.tensor([3.], requires_grad=True)
y = Clip.apply(t * 10)
type(y.grad_fn).__name__
(y * 5).backward()
t.grad
""")
    screen.say("(5 was clipped to 1, then multiplied by 10.)")


def second(screen: Screen) -> None:
    screen.run("""
t = torch.tensor(3., requires_grad=True)
(first,) = torch.autograd.grad(t ** 3, t, create_graph=True)
(second,) = torch.autograd.grad(first, t)
first.item(), second.item()
""")


def in_place(screen: Screen) -> None:
    screen.say("exp keeps its result for the backward pass. Changing it in between is an error,")
    screen.say("and the message names both lines:")
    screen.file(
        "model.py",
        """
def forward(t):
    y = t.exp()
    y += 1
    return y.sum()
""",
    )
    screen.say(">>> forward(t).backward()")
    screen.error(lambda: screen.scope["forward"](screen.scope["t"]).backward())


def training(screen: Screen) -> None:
    screen.say("64 pixels, started at random, learn to be a picture:")
    torch.manual_seed(0)
    target = torch.tensor([[float(c == "#") for c in row] for row in TARGET])
    image = torch.nn.Parameter(torch.rand(8, 8))
    before = picture(image, screen.unicode)
    optimizer = torch.optim.SGD([image], lr=2.0, momentum=0.8)
    loss_of = torch.nn.MSELoss()
    steps = 60
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        loss = loss_of(image, target)
        loss.backward()
        optimizer.step()
        screen.bar(step, steps, f"loss {loss.item():.6f}")
        if screen.animates:
            time.sleep(0.01)
    after = picture(image, screen.unicode)
    print(side_by_side(before=before, after=after, target=picture(target, screen.unicode)))


PARTS: tuple[tuple[str, Callable[[Screen], None]], ...] = (
    ("Tensors", tensors),
    ("The graph", graph),
    ("Backward, and accumulation", backward),
    ("Hooks", hooks),
    ("A function of your own", custom),
    ("A second derivative", second),
    ("An error that tells where", in_place),
    ("Training", training),
)
