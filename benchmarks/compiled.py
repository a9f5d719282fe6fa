"""``--group compile``: steps as they are and compiled, by PyTorch, by facula's two back ends, by jax where it is there.

All in one run, round by round in turn, each in a process of its own. Compiled programs are kept in empty folders, so
that the first steps are the ones of a new program. ``--quick`` leaves torch.compile out, which takes minutes.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from facula.native import cache

from .curves import Curve, curves
from .data import same
from .groups import PEERS
from .measure import ROUND_SECONDS, Failure, Plan, Reading, Result, Sample, Worker, interleaved
from .report import facts, table_line, time_text

WAYS = {
    "torch": "PyTorch", "torch:inductor": "torch.compile", "facula": "facula", "facula:c": "facula compiled, C",
    "facula:numpy": "facula compiled, NumPy", "jax": "jax.jit",
}  # fmt: skip
START, END = "<!-- figures -->", "<!-- end of figures -->"


class Aim(NamedTuple):
    """What is measured, and the ratios aimed at: C to PyTorch, C to torch.compile, NumPy to PyTorch."""

    letter: str
    name: str
    title: str
    eager: float | None = None
    compiled: float | None = None
    numpy: float | None = None


AIMS = [
    Aim("a", "chain_mul", "chain of 100 mul", 0.01, None, 0.15),
    Aim("b", "scalar_graph", "1,000 scalar operations", 0.01, None, 0.15),
    Aim("c", "tiny_mlp", "tiny MLP step", 0.02, 0.02, 0.12),
    Aim("d", "small_mlp", "small MLP step, Adam", 0.35, 0.3, 0.6),
    Aim("e", "large_mlp", "large MLP step", 1.0, 1.0, 1.05),
    Aim("f", "cnn", "CNN step", 0.7, 0.6, 0.95),
    Aim("g", "residual_block", "residual block", 0.9, 0.7, 0.95),
    Aim("h", "gpt_step", "character GPT step, AdamW", 0.65, 0.85, 0.9),
    Aim("i", "lstm_step", "LSTM step", 0.8, None, 1.2),
    Aim("j", "expression_1M_backward", "expression on 1M", 0.15, 0.3, 0.6),
    Aim("j", "expression_10M_backward", "expression on 10M", 0.15, 0.3, 0.3),
    Aim("k", "hvp_of_tiny_mlp", "Hessian-vector product of the tiny MLP", 0.1),
    Aim("k", "hessian_of_rosenbrock_by_func", "Hessian of Rosenbrock", 0.05),
    Aim("k", "wgan_gp_step", "WGAN-GP step", 0.3),
    Aim("n", "per_sample_gradients", "per-sample gradients", 0.2),
]
SIZES = [Aim("", f"expression_of_{n}", f"expression on {n:,}") for n in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)]


class Found(NamedTuple):
    aim: Aim
    results: dict[str, Result]
    first: dict[str, float]
    """Seconds until a program was ready: those of the first steps."""


def ways(quick: bool) -> list[str]:
    left_out = {"torch:inductor"} if quick else set()
    if importlib.util.find_spec("jax") is None:
        left_out.add("jax")
    return [way for way in WAYS if way not in left_out]


def run(quick: bool, plan: Plan, threads: int, wanted: Sequence[str], write: Path | None, command: str) -> int:
    """The table and the picture; the exit status is 1 if a workload could not be compared."""
    aims = [aim for aim in AIMS if not wanted or {aim.letter, aim.name} & set(wanted)]
    sizes = [] if wanted and "sizes" not in wanted else SIZES
    those = ways(quick)
    print("", *header(those), sep="\n")
    rows: list[Found] = []
    with tempfile.TemporaryDirectory() as folder:
        for found in measured([*aims, *sizes], those, threads, plan, Path(folder)):
            print(line(found, those), flush=True)
            rows.append(found)
    if write is not None:
        print(*written(write, command, rows, those, plan.clock))
    return int(len(rows) < len(aims) + len(sizes))


def measured(aims: Sequence[Aim], those: list[str], threads: int, plan: Plan, folder: Path) -> Iterator[Found]:
    """Rows as they are found; a way that fails or computes something else is told and left out of its row."""
    empty = {"FACULA_CACHE": str(folder / "facula"), "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor")}
    (folder / "facula").mkdir(mode=0o700)
    for library in cache.folder().glob("native-*.so"):  # is built once for a machine, not for a program
        shutil.copy(library, folder / "facula")
    workers: dict[str, Worker] = {}
    try:
        for aim in aims:
            known = {}
            for way in those:
                if way == "jax" and aim.name not in PEERS["jax"]:
                    continue
                try:
                    worker = workers.get(way) or workers.setdefault(way, Worker(way, threads, empty))
                    known[way] = worker.ask("prepare", aim.name)
                except Failure as failure:
                    print(f"{aim.name}: {failure}")
                    workers.pop(way).close()
            reference = known.get("torch")
            for way, it in list(known.items()):
                if reference is None or not same(it["value"], reference["value"]):
                    print(f"{aim.name}: {way} computes {it['value']}")
                    del known[way]
            if "torch" not in known:
                continue
            yield Found(aim, _rounds(workers, known, plan), {way: it["first"] for way, it in known.items()})
    finally:
        for worker in workers.values():
            worker.close()


def _rounds(workers: dict[str, Worker], known: dict[str, dict[str, float]], plan: Plan) -> dict[str, Result]:
    steps = {way: max(1, int(ROUND_SECONDS / max(it["seconds"], 1e-9))) for way, it in known.items()}

    def take(way: str) -> Sample:
        wall, cpu, waited = workers[way].ask("round", steps[way])
        seconds = cpu if plan.clock == "cpu" else wall
        return Sample(None, {"": Reading(seconds / steps[way], waited > 0.08 * wall)})

    return interleaved(list(known), take, plan)[""]


# ---- the table


def header(those: Sequence[str]) -> list[str]:
    columns = ["", "workload", *[WAYS[way] for way in those], "C / PyTorch", "C / torch.compile", "NumPy / PyTorch"]
    return [table_line([*columns, "compiling: C, torch.compile"]), "|" + "---|" * (len(columns) + 1)]


def line(found: Found, those: Sequence[str]) -> str:
    results = found.results
    times = ["" if way not in results else time_text(results[way].least) for way in those]
    ratios = [
        _ratio(results, "facula:c", "torch", found.aim.eager),
        _ratio(results, "facula:c", "torch:inductor", found.aim.compiled),
        _ratio(results, "facula:numpy", "torch", found.aim.numpy),
    ]
    first = [f"{found.first[way]:.2g} s" for way in ("facula:c", "torch:inductor") if way in found.first]
    return table_line([found.aim.letter, found.aim.title, *times, *ratios, ", ".join(first)])


def _ratio(results: dict[str, Result], of: str, to: str, aim: float | None) -> str:
    """Bold if it misses what is aimed at."""
    if of not in results or to not in results:
        return ""
    ratio = results[of].least / results[to].least
    shown = f"{ratio:.3f}" if ratio < 0.1 else f"{ratio:.2f}"
    return shown if aim is None else f"{shown} ({aim:g})" if ratio <= aim else f"**{shown}** ({aim:g})"


def written(directory: Path, command: str, rows: Sequence[Found], those: Sequence[str], clock: str) -> list[Path]:
    """The table goes into docs/compiling.md, the picture beside it; returns their paths."""
    page, picture = directory / "compiling.md", directory / "compiling.svg"
    peers = [way for way in those if way == "jax"]
    main = [row for row in rows if row.aim.letter]
    sized = [row for row in rows if not row.aim.letter]
    text = [
        "", f"Made by `{command}`: the least time of a step, all ways in turn; in parentheses what is aimed at, bold",
        "where it is missed. The last column is the time of the first steps, with the making of their programs.", "",
        *[f"- {fact}" for fact in facts(clock, peers)], "",
        *header(those), *[line(row, those) for row in main], "",
    ]  # fmt: skip
    if sized:
        text += ["![Time of a step against the number of elements](compiling.svg)", ""]
        of = [Curve(WAYS[way], [(_size(r), r.results[way].least) for r in sized if way in r.results]) for way in those]
        title = "sigmoid(x)*tanh(y)+exp(-x*x), forward + backward: seconds against elements"
        picture.write_text(curves(title, [curve for curve in of if curve.points]))
    before, _, rest = (page.read_text() if page.exists() else f"{START}{END}").partition(START)
    _, _, after = rest.partition(END)
    page.write_text("\n".join([f"{before}{START}", *text, f"{END}{after}"]))
    return [page, picture]


def _size(row: Found) -> float:
    return float(row.aim.name.rpartition("_")[2])
