// Where boxes go: the same as layout.py, for whatever is folded at the moment. A test compares the two.
// Beyond it, edges may begin and end beside the middle of a box (dx), and boxes may have to be at the bottom (last).

const GAP = 26, RISE = 34, ORDER_SWEEPS = 8, PLACE_SWEEPS = 12, NARROW = 10, SIDE_PULL = 0.15, WAY_PULL = 4;

function layered(widths, heights, edges, side, options = {}) {
  const n = widths.length, last = options.last || new Set();
  const layer = layersOf(n, edges);
  let deepest = -1;
  for (const row of layer) deepest = Math.max(deepest, row);
  if (last.size) {
    let body = -1;
    for (let i = 0; i < n; i++) if (!last.has(i)) body = Math.max(body, layer[i]);
    for (const i of last) layer[i] = body + 1;
    deepest = body + 1;
  }
  const chains = waypoints(n, layer, edges);
  const total = layer.length;
  let layers = Array.from({ length: deepest + 1 }, () => []);
  for (let i = 0; i < total; i++) layers[layer[i]].push(i);
  const above = Array.from({ length: total }, () => []), below = Array.from({ length: total }, () => []);
  const aboveDx = Array.from({ length: total }, () => []), belowDx = Array.from({ length: total }, () => []);
  chains.forEach((chain, e) => {
    const [, , from = 0, to = 0] = edges[e];
    for (let i = 0; i + 1 < chain.length; i++) {
      const u = chain[i], v = chain[i + 1];
      if (layer[v] !== layer[u] + 1) continue;
      const out = i === 0 ? from : 0, into = i + 2 === chain.length ? to : 0;
      below[u].push(v); above[v].push(u);
      belowDx[u].push(into - out); aboveDx[v].push(out - into);
    }
  });
  layers = ordered(layers, above, below);
  const w = new Float64Array(total), h = new Float64Array(total), pulls = new Float64Array(total);
  for (let i = 0; i < total; i++) {
    w[i] = i < n ? widths[i] : 4;
    h[i] = i < n ? heights[i] : 0;
    pulls[i] = side.has(i) ? SIDE_PULL : i < n ? 1 : WAY_PULL;
  }
  const x = placed(layers, above, below, aboveDx, belowDx, w, pulls);
  const y = new Float64Array(total);
  let top = 0;
  layers.forEach((row, number) => {
    let tallest = 0;
    for (const i of row) tallest = Math.max(tallest, h[i]);
    for (const i of row) y[i] = top + h[i] / 2;
    const narrow = last.size && number === layers.length - 2 || !tallest && number === 0;
    top += tallest + (narrow ? NARROW : RISE);
  });
  let left = Infinity, right = 0;
  for (let i = 0; i < total; i++) left = Math.min(left, x[i] - w[i] / 2);
  if (total) for (let i = 0; i < total; i++) { x[i] -= left; right = Math.max(right, x[i] + w[i] / 2); }
  const routes = chains.map((chain, e) => route(chain, x, y, h, edges[e][2] || 0, edges[e][3] || 0));
  return { x, y, routes, width: right, height: Math.max(top - RISE, 0), layers };
}

function layersOf(n, edges) {
  const layer = new Array(n).fill(0), following = Array.from({ length: n }, () => []);
  for (const [u, v] of edges) if (u < v) following[u].push(v);
  for (let u = 0; u < n; u++) for (const v of following[u]) layer[v] = Math.max(layer[v], layer[u] + 1);
  return layer;
}

function waypoints(n, layer, edges) {
  let left = 4 * n + 1000;
  const chains = edges.map(([u, v]) => [u, v]);
  const spans = edges.map(([u, v], i) => [layer[v] - layer[u], i]);
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (const [span, number] of spans) {
    if (span <= 1 || span - 1 > left) continue;
    left -= span - 1;
    const [u, v] = edges[number], chain = [u];
    for (let row = layer[u] + 1; row < layer[v]; row++) { chain.push(layer.length); layer.push(row); }
    chain.push(v);
    chains[number] = chain;
  }
  return chains;
}

function ordered(layers, above, below) {
  const position = new Float64Array(above.length), wanted = new Float64Array(above.length);
  for (const row of layers) row.forEach((box, i) => { position[box] = i; });
  let best = layers, fewest = null;
  const downward = layers, upward = layers.slice().reverse();
  for (let sweep = 0; sweep < ORDER_SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? downward : upward) {
      for (const box of row) {
        const near = down ? above[box] : below[box];
        let sum = 0;
        for (const other of near) sum += position[other];
        wanted[box] = near.length ? sum / near.length : position[box];
      }
      if (row.length > 1) row.sort((a, b) => wanted[a] - wanted[b]);
      row.forEach((box, i) => { position[box] = i; });
    }
    const count = crossings(layers, below, position);
    if (fewest === null || count < fewest) { best = layers.map(row => row.slice()); fewest = count; }
    if (!count) break;
  }
  return best;
}

function crossings(layers, below, position) {
  let total = 0;
  for (const row of layers) {
    const ends = [];
    for (const box of row) {
      const targets = below[box].map(other => position[other]).sort((a, b) => a - b);
      for (const target of targets) {
        let low = 0, high = ends.length;
        while (low < high) { const mid = (low + high) >> 1; if (ends[mid] <= target) low = mid + 1; else high = mid; }
        total += ends.length - low;
        ends.splice(low, 0, target);
      }
    }
  }
  return total;
}

function placed(layers, above, below, aboveDx, belowDx, widths, pulls) {
  const x = new Float64Array(above.length);
  for (const row of layers) {
    let at = 0;
    for (const box of row) { x[box] = at + widths[box] / 2; at += widths[box] + GAP; }
  }
  const upward = layers.slice().reverse();
  for (let sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
    const down = sweep % 2 === 0, both = sweep >= PLACE_SWEEPS - 2;
    for (const row of down ? layers : upward) {
      const wanted = [], weights = [];
      for (const box of row) {
        let total = 0, sum = 0;
        for (let end = down || both ? 0 : 1; end < (down && !both ? 1 : 2); end++) {
          const near = end ? below[box] : above[box], dx = end ? belowDx[box] : aboveDx[box];
          for (let i = 0; i < near.length; i++) { total += pulls[near[i]]; sum += pulls[near[i]] * (x[near[i]] + dx[i]); }
        }
        wanted.push(total ? sum / total : x[box]);
        weights.push(total ? pulls[box] * total : 0.01);
      }
      const found = pooled(row, wanted, weights, widths);
      row.forEach((box, i) => { x[box] = found[i]; });
    }
  }
  return x;
}

function pooled(row, wanted, weights, widths) {
  const offsets = [0], means = [], masses = [], counts = [];
  for (let i = 1; i < row.length; i++) offsets.push(offsets[i - 1] + (widths[row[i - 1]] + widths[row[i]]) / 2 + GAP);
  for (let i = 0; i < row.length; i++) {
    let mean = wanted[i] - offsets[i], mass = weights[i], count = 1;
    while (means.length && means[means.length - 1] > mean) {
      const m = means.pop(), s = masses.pop(), c = counts.pop(), total = s + mass;
      mean = (m * s + mean * mass) / total; mass = total; count += c;
    }
    means.push(mean); masses.push(mass); counts.push(count);
  }
  const positions = [];
  means.forEach((mean, i) => { for (let c = 0; c < counts[i]; c++) positions.push(mean); });
  return positions.map((position, i) => position + offsets[i]);
}

function route(chain, x, y, h, from, to) {
  const first = chain[0], last = chain[chain.length - 1];
  if (y[last] <= y[first]) return [[x[first] + from, y[first]], [x[last] + to, y[last]]];
  const points = [[x[first] + from, y[first] + h[first] / 2]];
  for (let i = 1; i + 1 < chain.length; i++) points.push([x[chain[i]], y[chain[i]]]);
  points.push([x[last] + to, y[last] - h[last] / 2]);
  return points;
}

function sideBoxes(leaves, edges) {
  const onward = leaves.map(() => []), side = new Set();
  for (const [u, v] of edges) onward[u].push(v);
  for (let box = leaves.length - 1; box >= 0; box--) {
    if (leaves[box] || (onward[box].length === 1 && side.has(onward[box][0]))) side.add(box);
  }
  return side;
}
