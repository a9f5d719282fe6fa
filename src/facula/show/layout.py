"""Where the boxes of a graph go: layers from top to bottom, few crossings, straight edges. No Graphviz.

The page does the same in JavaScript (``page/layout.js``), since it lays out anew whenever something is folded; a test
compares the two.

1. Layers: each box stands below all that lead to it. Edges over several layers get a waypoint in each.
2. Order in a layer: sweeps down and up, each box at the mean position of its neighbours; the order with the fewest
   crossings stays.
3. Positions: sweeps again. In each layer the sum of squared distances to the neighbours is least, under the condition
   that nothing overlaps: an isotonic regression, solved exactly by pooling.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Sequence
from itertools import pairwise
from typing import NamedTuple

GAP = 26.0
"""Between neighbours in a layer."""
RISE = 34.0
"""Between layers."""
ORDER_SWEEPS = 8
PLACE_SWEEPS = 12
SIDE_PULL, WAY_PULL = 0.15, 4.0
"""How strongly leaves and waypoints draw others towards them; anything else does with 1."""


class Layout(NamedTuple):
    x: list[float]
    """The centres of the boxes."""
    y: list[float]
    routes: list[list[tuple[float, float]]]
    """For each edge the points it goes through: from the bottom of a box to the top of another."""
    width: float
    height: float
    layers: list[list[int]]
    """Boxes from left to right, and waypoints, which have the numbers after those of the boxes."""


def layered(
    sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], side: Container[int] = ()
) -> Layout:
    """Lay out boxes of the given (width, height); they come in topological order, as far as there is one.

    Edges to those at the ``side`` pull less: the others stand straight below each other.
    """
    n = len(sizes)
    layer = _layers_of(n, edges)
    chains = _waypoints(n, layer, edges)
    layers: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for box, number in enumerate(layer):
        layers[number].append(box)
    above: list[list[int]] = [[] for _ in layer]
    below: list[list[int]] = [[] for _ in layer]
    for chain in chains:
        for u, v in pairwise(chain):
            if layer[v] == layer[u] + 1:
                below[u].append(v)
                above[v].append(u)
    layers = _ordered(layers, above, below)
    widths = [sizes[i][0] if i < n else 4.0 for i in range(len(layer))]
    heights = [sizes[i][1] if i < n else 0.0 for i in range(len(layer))]
    pulls = [SIDE_PULL if i in side else 1.0 if i < n else WAY_PULL for i in range(len(layer))]
    x = _placed(layers, above, below, widths, pulls)
    y = [0.0] * len(layer)
    top = 0.0
    for row in layers:
        tallest = max([heights[i] for i in row])
        for i in row:
            y[i] = top + heights[i] / 2
        top += tallest + RISE
    left = min([x[i] - widths[i] / 2 for i in range(len(layer))], default=0.0)
    x = [value - left for value in x]
    width = max([x[i] + widths[i] / 2 for i in range(len(layer))], default=0.0)
    routes = [_route(chain, x, y, heights) for chain in chains]
    return Layout(x[:n], y[:n], routes, width, max(top - RISE, 0.0), layers)


def side_boxes(leaves: Sequence[bool], edges: Sequence[tuple[int, int]]) -> set[int]:
    """The leaves, and what leads to one leaf alone: the transposition of a weight."""
    onward: list[list[int]] = [[] for _ in leaves]
    for u, v in edges:
        onward[u].append(v)
    side: set[int] = set()
    for box in reversed(range(len(leaves))):
        if leaves[box] or (len(onward[box]) == 1 and onward[box][0] in side):
            side.add(box)
    return side


def _layers_of(n: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way to each box. Edges that lead back to an earlier box do not count."""
    layer = [0] * n
    following: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        if u < v:
            following[u].append(v)
    for u in range(n):
        for v in following[u]:
            layer[v] = max(layer[v], layer[u] + 1)
    return layer


def _waypoints(n: int, layer: list[int], edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Each edge as a chain of boxes and waypoints; ``layer`` grows by those.

    An edge that would take too many (a weight used at the beginning and at the end of a long loop) goes straight.
    """
    left = 4 * n + 1000
    chains = [[u, v] for u, v in edges]
    for _, number in sorted((layer[v] - layer[u], i) for i, (u, v) in enumerate(edges)):
        u, v = edges[number]
        span = layer[v] - layer[u]
        if span <= 1 or span - 1 > left:
            continue
        left -= span - 1
        first = len(layer)
        layer.extend(range(layer[u] + 1, layer[v]))
        chains[number] = [u, *range(first, len(layer)), v]
    return chains


def _ordered(layers: list[list[int]], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    position = [0.0] * len(above)
    for row in layers:
        for i, box in enumerate(row):
            position[box] = i
    best, fewest = layers, None
    for sweep in range(ORDER_SWEEPS):
        down = sweep % 2 == 0
        for row in layers if down else reversed(layers):
            wanted = {}
            for box in row:
                near = above[box] if down else below[box]
                wanted[box] = sum([position[other] for other in near]) / len(near) if near else position[box]
            row.sort(key=wanted.__getitem__)
            for i, box in enumerate(row):
                position[box] = i
        count = _crossings(layers, below, position)
        if fewest is None or count < fewest:
            best, fewest = [row[:] for row in layers], count
        if not count:
            break
    return best


def _crossings(layers: list[list[int]], below: list[list[int]], position: list[float]) -> int:
    """How many pairs of edges cross: for each edge the earlier ones that end further right."""
    total = 0
    for row in layers:
        ends: list[float] = []
        for box in row:
            for target in sorted([position[other] for other in below[box]]):
                total += len(ends) - bisect_left(ends, target + 0.5)
                insort(ends, target)
    return total


def _placed(
    layers: list[list[int]], above: list[list[int]], below: list[list[int]], widths: list[float], pulls: list[float]
) -> list[float]:
    x = [0.0] * len(above)
    for row in layers:
        at = 0.0
        for box in row:
            x[box] = at + widths[box] / 2
            at += widths[box] + GAP
    for sweep in range(PLACE_SWEEPS):
        down = sweep % 2 == 0
        both = sweep >= PLACE_SWEEPS - 2
        for row in layers if down else reversed(layers):
            wanted, weights = [], []
            for box in row:
                near = above[box] + below[box] if both else above[box] if down else below[box]
                total = sum([pulls[other] for other in near])
                wanted.append(sum([pulls[other] * x[other] for other in near]) / total if near else x[box])
                weights.append(pulls[box] * total if near else 0.01)
            for box, value in zip(row, _pooled(row, wanted, weights, widths)):
                x[box] = value
    return x


def _pooled(row: list[int], wanted: list[float], weights: list[float], widths: list[float]) -> list[float]:
    """The positions nearest to the wanted ones at which nothing overlaps."""
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (widths[left] + widths[right]) / 2 + GAP)
    blocks: list[list[float]] = []  # [mean, weight, count]
    for want, weight, offset in zip(wanted, weights, offsets):
        block = [want - offset, weight, 1.0]
        while blocks and blocks[-1][0] > block[0]:
            mean, mass, count = blocks.pop()
            total = mass + block[1]
            block = [(mean * mass + block[0] * block[1]) / total, total, count + block[2]]
        blocks.append(block)
    positions = [mean for mean, _, count in blocks for _ in range(int(count))]
    return [position + offset for position, offset in zip(positions, offsets)]


def _route(chain: list[int], x: list[float], y: list[float], heights: list[float]) -> list[tuple[float, float]]:
    first, last = chain[0], chain[-1]
    if y[last] <= y[first]:  # an edge back up: out at the side
        return [(x[first], y[first]), (x[last], y[last])]
    points = [(x[first], y[first] + heights[first] / 2)]
    points += [(x[i], y[i]) for i in chain[1:-1]]
    return [*points, (x[last], y[last] - heights[last] / 2)]
