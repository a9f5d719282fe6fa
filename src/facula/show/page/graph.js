// The graph as it is folded at the moment: which boxes are visible, where they stand, how edges run between them.

const BUDGET = 150;          // as many boxes are visible at first, at most
let nextUid = 1;
const PAD = 16, HEADER = 26; // inside an unfolded group

class Graph {
  constructor(data, measure) {
    this.data = data;
    this.measure = measure;
    this.vertices = data.vertices;
    this.clusters = data.clusters.map(([parent, name, title, kind, count], id) =>
      ({ id, parent, name, title, kind, count, groups: [], members: [], size: 0 }));
    this.top = { id: -1, parent: null, groups: [], members: [], name: "", kind: "top" };
    for (const c of this.clusters) this.outer(c).groups.push(c.id);
    this.vertices.forEach((v, i) => (v.c < 0 ? this.top : this.clusters[v.c]).members.push(i));
    for (let i = this.clusters.length - 1; i >= 0; i--) {
      const c = this.clusters[i];
      c.size = c.members.length;
      for (const g of c.groups) c.size += this.clusters[g].size;
    }
    this.layouts = new Map();
    this.folded = new Set();
    this.foldToBudget();
  }

  outer(cluster) { return cluster.parent < 0 ? this.top : this.clusters[cluster.parent]; }

  // A small graph is unfolded. In a large one what repeats is folded, and the rest is unfolded level by level, while
  // there is room.
  foldToBudget() {
    if (this.vertices.length <= BUDGET) return;
    this.folded = new Set(this.clusters.map(c => c.id));
    let room = BUDGET - this.top.members.length - this.top.groups.length, level = this.top.groups;
    while (level.length) {
      const single = level.map(id => this.clusters[id]).filter(c => c.count === 1);
      for (const c of single) room -= c.members.length + c.groups.length;
      if (room < 0) return;
      for (const c of single) this.folded.delete(c.id);
      level = single.flatMap(c => c.groups);
    }
  }

  // The box that stands for a vertex: itself, or the outermost folded group that it is in.
  boxOf(vertex) {
    let found = "v" + vertex;
    for (let c = this.vertices[vertex].c; c >= 0; c = this.clusters[c].parent) if (this.folded.has(c)) found = "c" + c;
    return found;
  }

  reveal(vertex) {
    let changed = false;
    for (let c = this.vertices[vertex].c; c >= 0; c = this.clusters[c].parent) changed = this.folded.delete(c) || changed;
    return changed;
  }

  arrange() {
    this.items = new Map();      // visible boxes and unfolded groups by key
    const root = this.open(this.top, null);
    const edges = new Map();     // drawn edges: one for all between the same two boxes
    const boxes = this.vertices.map((_, i) => this.boxOf(i));
    this.data.edges.forEach(([u, v], number) => {
      const a = boxes[u], b = boxes[v];
      if (a === b) return;
      const key = a + ">" + b;
      if (!edges.has(key)) edges.set(key, { a: this.items.get(a), b: this.items.get(b), numbers: [], points: [] });
      edges.get(key).numbers.push(number);
    });
    this.edges = [...edges.values()];
    for (const edge of this.edges) {
      edge.a.outs = (edge.a.outs || 0) + 1;
      edge.b.ins = (edge.b.ins || 0) + 1;
      this.thread(edge);
    }
    this.lay(root);
    this.place(root, 0, 0);
    for (const edge of this.edges) this.join(edge);
    this.width = root.w;
    this.height = root.h;
    this.list = [...this.items.values()].filter(item => item.kind !== "group");
    this.groups = [...this.items.values()].filter(item => item.kind === "group");
  }

  open(cluster, parent) {
    const item = { key: "c" + cluster.id, kind: "group", cluster, parent, children: [], inner: [], known: new Map(), entries: new Map(), exits: new Map() };
    item.depth = parent ? parent.depth + 1 : 0;
    if (cluster.id >= 0) this.items.set(item.key, item);
    for (const id of cluster.groups) {
      const c = this.clusters[id];
      if (!this.folded.has(id)) { item.children.push(this.open(c, item)); continue; }
      const { lines, w, h } = this.measure.cluster(c);
      const box = { key: "c" + id, kind: "folded", cluster: c, parent: item, depth: item.depth + 1, lines, w, h, order: this.orderOf(c) };
      this.items.set(box.key, box);
      item.children.push(box);
    }
    for (const i of cluster.members) {
      const v = this.vertices[i], { lines, w, h, below } = this.measure.vertex(v, i);
      const box = { key: "v" + i, kind: v.k, vertex: i, parent: item, depth: item.depth + 1, lines, w, h, below, order: i };
      this.items.set(box.key, box);
      item.children.push(box);
    }
    item.children.sort((a, b) => a.order - b.order);
    item.order = item.children.length ? item.children[0].order : 0;
    return item;
  }

  orderOf(cluster) {
    if (cluster.first === undefined) {
      cluster.first = Infinity;
      for (const i of cluster.members) cluster.first = Math.min(cluster.first, i);
      for (const g of cluster.groups) cluster.first = Math.min(cluster.first, this.orderOf(this.clusters[g]));
    }
    return cluster.first;
  }

  // Lead an edge through the groups that it leaves and enters: each has a port for it at its border.
  thread(edge) {
    let a = edge.a, b = edge.b;
    edge.segments = [];
    const out = [], into = [];
    while (a.parent !== b.parent) {
      if (a.parent.depth >= b.parent.depth) {
        const group = a.parent, port = this.port(group.exits, edge.b.key, group);
        out.push([group, this.segment(group, a, out.length ? out[out.length - 1][2] : null, port, null), port]);
        a = group;
      } else {
        const group = b.parent, port = this.port(group.entries, edge.a.key, group);
        into.push([group, this.segment(group, port, null, b, into.length ? into[into.length - 1][2] : null), port]);
        b = group;
      }
    }
    const across = this.segment(a.parent, a, out.length ? out[out.length - 1][2] : null, b, into.length ? into[into.length - 1][2] : null);
    edge.segments = [...out.map(o => [o[0], o[1]]), [a.parent, across], ...into.reverse().map(o => [o[0], o[1]])];
  }

  port(ports, key, group) {
    if (!ports.has(key)) ports.set(key, { kind: "port", w: 4, h: 0, parent: group });
    return ports.get(key);
  }

  // Edges that go through the same ports share the way between them.
  segment(group, start, startPort, end, endPort) {
    const key = [start, startPort, end, endPort].map(one => one ? one.uid ??= nextUid++ : 0).join();
    let found = group.known.get(key);
    if (!found) {
      found = { start, startPort, end, endPort, points: null };
      group.known.set(key, found);
      group.inner.push(found);
    }
    return found;
  }

  // The turns of a loop, and layers of one kind, look the same inside: each is laid out once.
  layout(widths, heights, edges, side, last) {
    const key = [widths, heights, edges.map(e => e.join(" ")), [...side], [...last]].join(";");
    if (!this.layouts.has(key)) {
      if (this.layouts.size > 500) this.layouts.clear();
      this.layouts.set(key, layered(widths, heights, edges, side, { last }));
    }
    return this.layouts.get(key);
  }

  lay(group) {
    for (const child of group.children) if (child.kind === "group") this.lay(child);
    const members = [...group.entries.values(), ...group.children, ...group.exits.values()];
    const at = new Map(members.map((m, i) => [m, i]));
    const edges = group.inner.map(s => [at.get(s.start), at.get(s.end), s.startPort ? s.startPort.x - s.start.w / 2 : 0, s.endPort ? s.endPort.x - s.end.w / 2 : 0]);
    const last = new Set();
    for (const port of group.exits.values()) last.add(at.get(port));
    const side = sideBoxes(members.map(m => m.kind === "leaf"), edges.map(([u, v]) => [u, v]));
    const result = this.layout(members.map(m => m.w), members.map(m => m.h), edges, side, last);
    const top = group.cluster.id < 0 ? 0 : HEADER, pad = group.cluster.id < 0 ? 0 : PAD;
    let extra = 0;
    if (group.cluster.id >= 0) extra = Math.max(0, this.measure.header(group.cluster) + 2 * PAD - result.width - 2 * pad);
    members.forEach((m, i) => {
      m.x = result.x[i] + pad + extra / 2;
      m.y = result.y[i] + pad + top;
    });
    group.inner.forEach((s, i) => { s.points = result.routes[i].map(([x, y]) => [x + pad + extra / 2, y + pad + top]); });
    group.w = result.width + 2 * pad + extra;
    group.h = result.height + 2 * pad + top;
    for (const port of group.entries.values()) port.border = [port.x, 0];
    for (const port of group.exits.values()) port.border = [port.x, group.h];
  }

  // From places inside a group to places on the canvas. x and y of a group are its left upper corner, of boxes the middle.
  place(group, left, top) {
    group.left = left;
    group.top = top;
    for (const child of group.children) {
      if (child.kind === "group") this.place(child, left + child.x - child.w / 2, top + child.y - child.h / 2);
      else { child.cx = left + child.x; child.cy = top + child.y; }
    }
  }

  join(edge) {
    const points = [];
    for (const [group, s] of edge.segments) {
      if (s.start.kind === "port") points.push([group.left + s.start.border[0], group.top + s.start.border[1]]);
      for (const [x, y] of s.points) points.push([group.left + x, group.top + y]);
      if (s.end.kind === "port") points.push([group.left + s.end.border[0], group.top + s.end.border[1]]);
    }
    edge.points = points.filter((p, i) => !i || Math.abs(p[0] - points[i - 1][0]) + Math.abs(p[1] - points[i - 1][1]) > 0.5);
    let l = Infinity, r = -Infinity, t = Infinity, b = -Infinity;
    for (const [x, y] of edge.points) { l = Math.min(l, x); r = Math.max(r, x); t = Math.min(t, y); b = Math.max(b, y); }
    edge.bounds = [l, t, r, b];
  }
}
