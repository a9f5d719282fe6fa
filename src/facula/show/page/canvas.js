// Drawing what is visible of the graph, and finding what is under the pointer.

const CHIP = 22; // room for .grad below a leaf
const FONT = '12px "DejaVu Sans Mono", Menlo, Consolas, monospace', BOLD = "bold " + FONT, LINE = 16;

const ruler = document.createElement("canvas").getContext("2d");
const widthOf = (text, font = FONT) => { ruler.font = font; return ruler.measureText(text).width; };

const measure = {
  box(lines, below = 0) {
    let w = 0;
    for (const [text, style] of lines) w = Math.max(w, widthOf(text, style === "strong" ? BOLD : FONT));
    return { lines, w: w + 20, h: lines.length * LINE + 10 + below, below };
  },
  vertex(v, i) {
    if (v.k === "output") return this.box([[v.n, "strong"], [short(v.v), ""]]);
    if (v.k === "leaf") return this.box([["AccumulateGrad", "dim"], [v.n || "leaf", "strong"], [D.tensors[v.v].s.length ? shapeOf(v.v) : short(v.v), ""]], CHIP);
    const lines = [[v.n, "strong"]];
    if (v.k === "folded") lines.push(["× " + v.x.toLocaleString("en"), ""]);
    if (v.l) lines.push([v.l, ""]);
    if (v.f >= 0) lines.push([place(v), "dim"]);
    return this.box(lines);
  },
  cluster(c) {
    const lines = [["▸ " + c.name + (c.count > 1 ? "  ×" + c.count : ""), "strong"]];
    if (c.title) lines.push([c.title, ""]);
    lines.push([c.size.toLocaleString("en") + (c.size === 1 ? " node" : " nodes"), "dim"]);
    const box = this.box(lines);
    return c.count > 1 ? { ...box, h: box.h + 6 } : box;
  },
  header(c) { return widthOf(headerOf(c), BOLD); },
};
const headerOf = c => "▾ " + c.name + (c.count > 1 ? "  ×" + c.count : "") + (c.title ? "  " + c.title : "");

// A point on the curve that trace() draws.
function along(points, part) {
  const lengths = points.slice(1).map(([x, y], i) => Math.hypot(x - points[i][0], y - points[i][1]));
  let left = part * lengths.reduce((sum, length) => sum + length, 0), i = 0;
  while (i < lengths.length - 1 && left > lengths[i]) left -= lengths[i++];
  const u = lengths[i] ? Math.min(1, left / lengths[i]) : 1, [x, y] = points[i], [px, py] = points[i + 1], bend = (py - y) / 2, v = 1 - u;
  const mix = (a, b, c, d) => v * v * v * a + 3 * v * v * u * b + 3 * v * u * u * c + u * u * u * d;
  return [mix(x, x, px, px), mix(y, y + bend, py - bend, py)];
}

class View {
  constructor(canvas, graph) {
    this.canvas = canvas;
    this.graph = graph;
    this.at = { x: 0, y: 0, k: 1 };
    this.context = canvas.getContext("2d");
    this.colours = {};
    this.readColours();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["bg", "panel", "ink", "dim", "edge", "accent", "accent-soft", "focus", "operation", "operation-edge", "leaf", "leaf-edge",
      "output", "output-edge", "folded", "folded-edge", "group", "group-edge", "bad", "saved", "mark"])
      this.colours[name] = style.getPropertyValue("--" + name).trim();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas, ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    this.w = w; this.h = h; this.ratio = ratio;
  }

  fit(keys = null) {
    let l = 0, t = 0, r = this.graph.width, b = this.graph.height;
    if (keys && keys.length) {
      l = t = Infinity; r = b = -Infinity;
      for (const key of keys) {
        const box = this.bounds(this.graph.items.get(key));
        l = Math.min(l, box[0]); t = Math.min(t, box[1]); r = Math.max(r, box[2]); b = Math.max(b, box[3]);
      }
    }
    const k = Math.min(1.25, (this.w - 40) / Math.max(r - l, 1), (this.h - 36) / Math.max(b - t, 1));
    const readable = keys ? Math.min(1, Math.max(k, 0.6)) : k;
    this.at = { k: readable, x: this.w / 2 - readable * (l + r) / 2, y: this.h / 2 - readable * (t + b) / 2 };
  }

  // A graph that is too large to be read as a whole is shown from its output on.
  begin() {
    this.fit();
    if (this.at.k >= 0.72) return;
    const first = this.graph.list.find(item => item.kind === "output") || this.graph.list[0];
    if (!first) return;
    const k = Math.min(1, Math.max(0.72, (this.w - 40) / this.graph.width));
    this.at = { k, x: this.w / 2 - k * first.cx, y: 30 - k * (first.cy - first.h / 2) };
  }

  bounds(item) {
    if (item.kind === "group") return [item.left, item.top, item.left + item.w, item.top + item.h];
    return [item.cx - item.w / 2, item.cy - item.h / 2, item.cx + item.w / 2, item.cy + item.h / 2];
  }

  // Bring a box into view, with room for what follows below it.
  see(item, margin = 16) {
    const [l, t, r, b] = this.bounds(item), { x, y, k } = this.at;
    const below = Math.min(110, this.h / 5, (this.graph.height - b) * k + margin);
    if (l * k + x < margin || r * k + x > this.w - margin) this.at.x = this.w / 2 - k * (l + r) / 2;
    if (t * k + y < margin || b * k + y > this.h - below) this.at.y = this.h * 0.42 - k * (t + b) / 2;
  }

  zoom(factor, px = this.w / 2, py = this.h / 2) {
    const k = Math.min(3, Math.max(0.02, this.at.k * factor)), change = k / this.at.k;
    this.at = { k, x: px - (px - this.at.x) * change, y: py - (py - this.at.y) * change };
  }

  find(px, py) {
    const x = (px - this.at.x) / this.at.k, y = (py - this.at.y) / this.at.k;
    for (let i = this.graph.list.length - 1; i >= 0; i--) {
      const item = this.graph.list[i];
      if (Math.abs(x - item.cx) <= item.w / 2 && Math.abs(y - item.cy) <= item.h / 2) return item;
    }
    let found = null;
    for (const item of this.graph.groups)
      if (x >= item.left && x <= item.left + item.w && y >= item.top && y <= item.top + HEADER + 6 && (!found || item.depth > found.depth)) found = item;
    return found;
  }

  draw(state) {
    const c = this.context, { x, y, k } = this.at, col = this.colours;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.fillStyle = col.bg;
    c.fillRect(0, 0, this.w, this.h);
    c.setTransform(this.ratio * k, 0, 0, this.ratio * k, this.ratio * x, this.ratio * y);
    const l = -x / k, t = -y / k, r = (this.w - x) / k, b = (this.h - y) / k;
    const texts = k > 0.32;
    this.drawn = 0;
    for (const g of this.graph.groups) {
      if (g.left > r || g.top > b || g.left + g.w < l || g.top + g.h < t) continue;
      c.fillStyle = g.depth % 2 ? col.group : col.bg;
      c.strokeStyle = state.selected === g ? col.focus : col["group-edge"];
      c.lineWidth = (state.selected === g ? 2.5 : 1) / Math.min(1, Math.max(k, 0.5));
      this.round(g.left, g.top, g.w, g.h, 10);
      c.fill(); c.stroke();
      if (texts) {
        c.font = BOLD; c.fillStyle = col.dim; c.textAlign = "left";
        c.fillText(headerOf(g.cluster), g.left + PAD - 4, g.top + 18);
      }
    }
    this.drawEdges(state, l, t, r, b, k, texts);
    if (k < 0.16) this.drawFar(state, l, t, r, b);
    else for (const item of this.graph.list) {
      if (item.cx - item.w / 2 > r || item.cx + item.w / 2 < l || item.cy - item.h / 2 > b || item.cy + item.h / 2 < t) continue;
      this.drawBox(item, state, texts);
      this.drawn++;
    }
    if (texts) this.drawLabels(state, l, t, r, b, k);
    if (state.flow < 1) this.drawFlow(state, l, t, r, b);
  }

  // The gradients of the current step on their way along the edges.
  drawFlow(state, l, t, r, b) {
    const c = this.context, part = 1 - (1 - state.flow) ** 2;
    for (const e of this.graph.edges) {
      const [el, et, er, eb] = e.bounds;
      if (el > r || et > b || er < l || eb < t || state.flowed(e) !== 2) continue;
      const [x, y] = along(e.points, part);
      c.beginPath(); c.arc(x, y, 6.5, 0, 7);
      c.fillStyle = this.colours.accent; c.fill();
      c.strokeStyle = this.colours.panel; c.lineWidth = 2; c.stroke();
    }
  }

  // From far away boxes are but spots of colour; the ones that matter are drawn as they are.
  drawFar(state, l, t, r, b) {
    const c = this.context, col = this.colours, paths = new Map(), special = [];
    for (const item of this.graph.list) {
      const left = item.cx - item.w / 2, top = item.cy - item.h / 2;
      if (left > r || left + item.w < l || top > b || top + item.h < t) continue;
      this.drawn++;
      if (item === state.now || item === state.selected || state.marked.has(item.key) || (state.lit && state.lit.has(item.key))) { special.push(item); continue; }
      const colour = state.done(item) ? col.accent : col[item.kind + "-edge"] || col["operation-edge"];
      if (!paths.has(colour)) paths.set(colour, new Path2D());
      paths.get(colour).rect(left, top, item.w, item.h);
    }
    for (const [colour, path] of paths) { c.fillStyle = colour; c.fill(path); }
    for (const item of special) this.drawBox(item, state, false);
  }

  round(x, y, w, h, radius) {
    this.context.beginPath();
    this.context.roundRect(x, y, w, h, Math.min(radius, h / 2));
  }

  drawBox(item, state, texts) {
    const c = this.context, col = this.colours, kind = item.kind, h = item.h - (item.below || 0);
    const left = item.cx - item.w / 2, top = item.cy - item.h / 2;
    const radius = kind === "leaf" || kind === "output" ? 12 : kind === "folded" ? 8 : 5;
    const now = state.now === item, selected = state.selected === item, lit = state.lit && state.lit.has(item.key);
    const stacked = item.cluster && item.cluster.count > 1;
    if (now) { c.shadowColor = col.accent; c.shadowBlur = 18 * this.ratio * this.at.k; }
    c.lineWidth = Math.max(now || selected ? 2.6 : 1.3, (now ? 2 : 0.6) / this.at.k);
    c.strokeStyle = now ? col.accent : selected ? col.focus : col[kind + "-edge"] || col["operation-edge"];
    if (stacked) {
      c.fillStyle = col[kind];
      this.round(left + 5, top + 6, item.w - 10, h - 6, radius); c.fill(); c.stroke();
      this.round(left, top, item.w, h - 5, radius);
    } else this.round(left, top, item.w, h, radius);
    c.fillStyle = lit ? col.mark : state.done(item) && kind === "operation" ? col["accent-soft"] : col[kind] || col.operation;
    c.fill();
    c.shadowBlur = 0;
    c.stroke();
    const mark = state.marked.get(item.key);
    if (mark) {
      c.strokeStyle = mark === "soft" ? col.accent : col.bad;
      c.lineWidth = 2; c.setLineDash([5, 3]);
      this.round(left - 4, top - 4, item.w + 8, h + 8, radius + 3); c.stroke();
      c.setLineDash([]);
      this.flag(left + item.w + 2, top - 2, mark === "soft" ? col.accent : col.bad, state.symbol.get(item.key));
    }
    if (!texts) return;
    c.textAlign = "center";
    item.lines.forEach(([text, style], i) => {
      c.font = style === "strong" ? BOLD : FONT;
      c.fillStyle = style === "dim" ? col.dim : col.ink;
      c.fillText(text, item.cx, top + 5 + LINE * (i + 0.75));
    });
    if (item.vertex !== undefined && state.saves(item.vertex)) {
      c.fillStyle = col.saved;
      this.round(left + 6, top + h - 3.5, item.w - 12, 3.5, 2); c.fill();
    }
    const grad = item.kind === "leaf" ? state.gradOf(item.vertex) : "";
    if (grad) {
      c.font = BOLD;
      const w = Math.max(widthOf(grad, BOLD) + 14, 40);
      c.fillStyle = col.accent;
      this.round(item.cx - w / 2, top + h + 3, w, 18, 9); c.fill();
      c.fillStyle = col.panel;
      c.fillText(grad, item.cx, top + h + 16);
    }
  }

  flag(x, y, colour, symbol) {
    const c = this.context;
    c.beginPath(); c.arc(x, y, 9, 0, 7); c.fillStyle = colour; c.fill();
    c.fillStyle = this.colours.panel; c.font = BOLD; c.textAlign = "center"; c.fillText(symbol || "!", x, y + 4);
  }

  drawEdges(state, l, t, r, b, k, texts) {
    const c = this.context, col = this.colours, fine = k > 0.2;
    const seen = [];
    for (const e of this.graph.edges) {
      const [el, et, er, eb] = e.bounds;
      if (el > r || et > b || er < l || eb < t) continue;
      seen.push(e);
    }
    this.edgesDrawn = seen.length;
    for (const [flowed, colour] of [[0, col.edge], [1, col.accent]]) {
      c.beginPath();
      for (const e of seen) if (state.flowed(e) === flowed) this.trace(e.points, fine);
      c.strokeStyle = colour;
      c.lineWidth = Math.max(flowed ? 1.8 : 1.3, 0.7 / k);
      c.stroke();
    }
    c.beginPath();
    for (const e of seen) if (state.flowed(e) === 2) this.trace(e.points, fine);
    c.strokeStyle = col.accent; c.lineWidth = Math.max(3.5, 1.5 / k); c.stroke();
    if (!texts) return;
    for (const e of seen) {
      const [x, y] = e.points[e.points.length - 1];
      c.fillStyle = state.flowed(e) ? col.accent : col.edge;
      c.beginPath(); c.moveTo(x, y); c.lineTo(x - 4.2, y - 8); c.lineTo(x + 4.2, y - 8); c.fill();
    }
  }

  trace(points, fine) {
    const c = this.context;
    let [x, y] = points[0];
    c.moveTo(x, y);
    for (let i = 1; i < points.length; i++) {
      const [px, py] = points[i];
      if (fine) { const bend = (py - y) / 2; c.bezierCurveTo(x, y + bend, px, py - bend, px, py); } else c.lineTo(px, py);
      x = px; y = py;
    }
  }

  // Where edges part, near their ends; where they meet, near their beginnings.
  labelPlace({ a, b, points }) {
    const last = points.length - 1;
    if (a.outs > 1 && !(b.ins > a.outs)) return [points[last][0] + 7, points[last][1] - 8];
    if (b.ins > 1) return [points[0][0] + 7, points[0][1] + 15];
    const i = Math.floor(last / 2), [ax, ay] = points[i], [bx, by] = points[Math.min(i + 1, last)];
    return [(ax + bx) / 2 + 7, (ay + by) / 2 + 4];
  }

  // The values of gradients beside the edges that they went along.
  drawLabels(state, l, t, r, b, k) {
    if (k < 0.55) return;
    const c = this.context, col = this.colours;
    c.font = FONT; c.textAlign = "left";
    let shown = 0;
    for (const e of this.graph.edges) {
      const flowed = state.flowed(e);
      if (!flowed || shown > 120) continue;
      const [el, et, er, eb] = e.bounds;
      if (el > r || et > b || er < l || eb < t) continue;
      const text = state.labelOf(e);
      if (!text) continue;
      const [x, y] = this.labelPlace(e), w = widthOf(text);
      c.globalAlpha = 0.88; c.fillStyle = col.bg; c.fillRect(x - 2, y - 11, w + 4, 15); c.globalAlpha = 1;
      c.fillStyle = flowed === 2 ? col.accent : col.dim;
      c.fillText(text, x, y);
      shown++;
    }
  }
}
