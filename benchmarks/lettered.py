"""What is measured by default, under letters, with the ratios to PyTorch that are aimed at."""

from __future__ import annotations

from typing import NamedTuple

from .workloads import CHAINS


class Entry(NamedTuple):
    """One row: what is measured, and the ratios aimed at with one thread and with two.

    ``name`` is a workload's or, for what gives several readings, ``<task>/<reading>``.
    """

    letter: str
    name: str
    title: str
    targets: tuple[float, float] | None = None
    native: tuple[float, float] | None = None
    """The ratios aimed at with the native library."""

    @property
    def task(self) -> str:
        return self.name.partition("/")[0]

    @property
    def reading(self) -> str:
        return self.name.partition("/")[2]

    @property
    def in_bytes(self) -> bool:
        return self.reading in ("peak", "graph", "above")

    def target(self, threads: int, native: bool = False) -> float | None:
        targets = self.native if native else self.targets
        return targets[min(threads, 2) - 1] if targets else None


_EXPRESSION = "sigmoid(x)*tanh(y)+exp(-x*x)"

LETTERED = [
    Entry("a", "chain_mul_recorded", "100 mul on 4 floats, forward"),
    Entry("a", "chain_mul", "100 mul on 4 floats, forward + backward", (0.5, 0.5)),
    Entry("a", "chain_tanh_add_recorded", "50 tanh + 50 add on 4 floats, forward"),
    Entry("a", "chain_tanh_add", "50 tanh + 50 add on 4 floats, forward + backward", (0.5, 0.5)),
    Entry("b", "scalar_graph", "1,000 scalar operations, forward + backward", (0.5, 0.5)),
    Entry("c", "tiny_mlp", "tiny MLP step (16, 10-32-2, MSE, SGD)", (0.4, 0.4)),
    Entry("d", "small_mlp", "small MLP step (64, 784-128-64-10, Adam)", (0.75, 0.8), (0.6, 0.6)),
    Entry("e", "large_mlp", "large MLP step (256, 1024-2048-2048-1000, momentum)", (1.05, 1.1), (1.02, 1.02)),
    Entry("f", "cnn", "CNN step (32x1x28x28, conv 32, conv 64, max-pool, linear)", (1.2, 1.4), (0.8, 0.8)),
    Entry("g", "residual_block", "residual block (8x64x56x56, 2 conv + batch norm)", (1.2, 1.4), (0.95, 0.95)),
    Entry("h", "gpt_step", "character GPT step (8x64, 4 layers, 4 heads, d 128, AdamW)", (1.0, 1.2), (0.8, 0.8)),
    Entry("i", "lstm_step", "LSTM step (32x50, 32 to 128)", (1.4, 1.6), (0.85, 0.85)),
    Entry("j", "expression_1M_backward", f"{_EXPRESSION} on 1M, forward + backward", (0.6, 0.7), (0.5, 0.5)),
    Entry("j", "expression_10M_backward", f"{_EXPRESSION} on 10M, forward + backward", (0.35, 0.4), (0.3, 0.3)),
    Entry("k", "hvp_of_tiny_mlp", "Hessian-vector product of the tiny MLP", (0.6, 0.6)),
    Entry("k", "hessian_of_rosenbrock", "Hessian of Rosenbrock in 20 dimensions (autograd.functional)", (0.6, 0.6)),
    Entry("k", "hessian_of_rosenbrock_by_func", "Hessian of Rosenbrock in 20 dimensions (func)", (0.6, 0.6)),
    Entry("k", "wgan_gp_step", "WGAN-GP step (critic and generator)", (0.6, 0.6)),
    Entry("l", "long_chain/total", "chain of 1,000,000: forward + backward + deletion", (0.7, 0.7)),
    Entry("l", "long_chain/forward", "chain of 1,000,000: forward"),
    Entry("l", "long_chain/backward", "chain of 1,000,000: backward"),
    Entry("l", "long_chain/deletion", "chain of 1,000,000: deletion"),
    Entry("l", "long_chain/peak", "chain of 1,000,000: peak memory", (1.2, 1.2)),
    Entry("l", "long_chain/graph", "chain of 1,000,000: of which above the start"),
    Entry("m", "one_tensor_used_often", "one tensor used 100,000 times, forward + backward", (0.8, 0.8)),
    Entry("n", "per_sample_gradients", "per-sample gradients by vmap, batch 256", (0.6, 0.6)),
    Entry("o", "import", "import, from process start", (0.15, 0.15)),
    Entry("o", "hello_gradient", "hello gradient, from process start", (0.15, 0.15)),
    Entry("p", "memory_of_large_mlp/peak", "peak memory of the large MLP", (1.0, 1.0)),
    Entry("p", "memory_of_large_mlp/above", "peak memory of the large MLP: of which above the start"),
    Entry("p", "memory_of_gpt/peak", "peak memory of the character GPT", (1.0, 1.0)),
    Entry("p", "memory_of_gpt/above", "peak memory of the character GPT: of which above the start"),
    *[Entry("s", name, f"chain of {n:,}, forward + backward") for name, n in CHAINS.items()],
]
"""Letter ``s`` has sizes of a graph: the time per operation must not grow with them."""


def chosen(entries: list[Entry], wanted: list[str]) -> list[Entry]:
    """Those with a letter, a name or a task that is wanted; all of them if nothing is."""
    unknown = set(wanted) - {key for e in entries for key in (e.letter, e.name, e.task)}
    if unknown:
        raise SystemExit(f"no such workload: {', '.join(sorted(unknown))}")
    return [e for e in entries if not wanted or {e.letter, e.name, e.task} & set(wanted)]
