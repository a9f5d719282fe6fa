const FLOW = 420; // milliseconds that gradients take along an edge

// The page: what is selected, at which step the backward pass stands, and what keys and pointers do.

class App {
  constructor() {
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.step = -1;                     // how many steps have run, less one
    this.selected = null;               // a box or group
    this.litVertices = null;
    this.stepOf = new Map(D.steps.map(([vertex], i) => [vertex, i]));
    this.edgesFrom = D.vertices.map(() => []);
    this.edgesInto = D.vertices.map(() => []);
    D.edges.forEach(([u, v], i) => { this.edgesFrom[u].push(i); this.edgesInto[v].push(i); });
    this.sentAt = new Array(D.edges.length).fill(-1);   // the step after which an edge has carried its gradient
    this.carried = new Array(D.edges.length).fill(-1);  // and the tensor that it carried
    D.steps.forEach(([vertex, arrived, sent], i) => {
      this.edgesFrom[vertex].forEach((edge, e) => { this.sentAt[edge] = i; this.carried[edge] = sent[e]; });
    });
    D.vertices.forEach((v, i) => {      // backward begins with the gradient of the output
      if (v.k !== "output") return;
      for (const edge of this.edgesFrom[i]) {
        const first = this.stepOf.get(D.edges[edge][1]);
        if (first !== undefined) { this.sentAt[edge] = -1; this.carried[edge] = D.steps[first][1][D.edges[edge][2]]; }
      }
    });
    this.theme(new URLSearchParams(location.hash.slice(1)).get("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"), false);
    by("title").textContent = D.title;
    by("count").textContent = `${D.nodes.toLocaleString("en")} nodes`;
    by("notes").append(...D.notes.map(note => make("p", {}, note)));
    this.graph = new Graph(D, measure);
    this.source = new SourcePanel(this);
    this.details = new DetailPanel(this);
    this.view = new View(by("graph"), this.graph);
    this.symbols = new Map(D.marks.filter(([vertex]) => vertex >= 0).map(([vertex, kind]) => [vertex, kind]));
    this.legend();
    this.graph.arrange();
    this.view.resize();
    this.view.begin();
    this.listen();
    this.player();
    this.show();
    if (D.steps.length) this.source.scroll(D.vertices[D.steps[0][0]]);
    this.hash();
    this.ready = true;
  }

  // ---- what is drawn

  state() {
    const marked = new Map(), symbol = new Map();
    for (const [vertex, kind] of this.symbols) {
      const key = this.graph.boxOf(vertex);
      if (marked.get(key) !== "hard") { marked.set(key, SOFT.has(kind) ? "soft" : "hard"); symbol.set(key, SYMBOLS[kind]); }
    }
    const now = this.step >= 0 ? this.graph.items.get(this.graph.boxOf(D.steps[this.step][0])) : null;
    const lit = this.litVertices ? new Set(this.litVertices.map(i => this.graph.boxOf(i))) : null;
    return {
      marked, symbol, now, lit, selected: this.selected,
      done: item => item.vertex !== undefined && (this.stepOf.get(item.vertex) ?? Infinity) <= this.step,
      saves: i => D.vertices[i].s.length > 0,
      gradOf: i => {
        const at = this.stepOf.get(i);
        if (at === undefined) return "";
        const before = D.steps[at][3], after = D.steps[at][4];
        if (at <= this.step) return after >= 0 ? ".grad " + brief(after) : "";
        return before >= 0 ? ".grad " + brief(before) : "";
      },
      flowed: edge => this.flowed(edge),
      labelOf: edge => {
        const carried = edge.numbers.filter(number => this.has(number));
        return carried.length > 3 ? `${carried.length} gradients` : carried.map(number => brief(this.carried[number])).join(", ");
      },
    };
  }

  has(number) { return D.steps.length && this.carried[number] >= 0 && (this.sentAt[number] <= this.step) && this.step >= 0; }

  flowed(edge) {
    let found = 0;
    for (const number of edge.numbers) {
      if (!this.has(number)) continue;
      if (this.sentAt[number] === this.step) return 2;
      found = 1;
    }
    return found;
  }

  paint() {
    if (this.painting) return;
    this.painting = requestAnimationFrame(now => {
      this.painting = 0;
      const state = this.state();
      state.flow = this.flowing ? (now - this.flowing) / FLOW : 1;
      this.view.draw(state);
      if (state.flow < 1) this.paint();
      else this.flowing = 0;
    });
  }

  paintNow() {
    if (this.painting) cancelAnimationFrame(this.painting);
    this.painting = 0;
    this.view.draw(this.state());
  }

  show() {
    const item = this.selected || (this.step >= 0 ? this.graph.items.get("v" + D.steps[this.step][0]) || { vertex: D.steps[this.step][0] } : null);
    this.details.show(item, this.step);
    let line = this.step;
    while (line > 0 && D.vertices[D.steps[line][0]].f < 0) line--;  // a leaf has no line: that of the node before
    this.source.mark(line >= 0 ? D.steps[line][0] : null, "now", true);
    by("slider").value = this.step + 1;
    const total = D.steps.length, v = this.step >= 0 ? D.vertices[D.steps[this.step][0]] : null;
    const name = v ? (v.k === "leaf" ? `AccumulateGrad ${v.n}` : v.n) : "before backward";
    by("where").textContent = total ? `${this.step + 1} / ${total}  ${name}` : "nothing to step through";
    by("slider").setAttribute("aria-valuetext", by("where").textContent);
    by("back").disabled = by("first").disabled = this.step < 0;
    by("forward").disabled = by("last").disabled = by("play").disabled = this.step >= total - 1;
    this.paint();
  }

  say(text) { by("said").textContent = text; }

  // ---- the backward pass

  go(step) {
    step = Math.max(-1, Math.min(D.steps.length - 1, step));
    this.step = step;
    this.selected = null;
    if (step >= 0) {
      const vertex = D.steps[step][0], item = this.graph.items.get(this.graph.boxOf(vertex));
      if (item) this.view.see(item);
      this.say(this.told(step));
      this.flowing = this.ready && !this.still.matches ? performance.now() : 0;
    } else this.say("Before backward.");
    this.show();
  }

  told(step) {
    const [vertex, arrived, sent, , after] = D.steps[step], v = D.vertices[vertex];
    const where = v.f >= 0 ? `, ${place(v)}` : "";
    const effect = v.k === "leaf" ? `.grad is now ${short(after)}` : `sends ${sent.map(short).join(" and ") || "nothing"}`;
    return `Step ${step + 1} of ${D.steps.length}: ${v.k === "leaf" ? "AccumulateGrad of " + (v.n || "a leaf") : v.n}${where}. ${arrived.map(short).join(" and ")} arrives, ${effect}.`;
  }

  play() {
    if (this.timer) { clearInterval(this.timer); this.timer = null; } else if (this.step < D.steps.length - 1) {
      this.timer = setInterval(() => { this.go(this.step + 1); if (this.step >= D.steps.length - 1) this.play(); }, Number(by("speed").value));
    }
    by("play").querySelector("path").setAttribute("d", this.timer ? "M3 2h3.5v12H3zM9.5 2H13v12H9.5z" : "M3 1l11 7-11 7z");
    by("play").setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }

  // ---- selection and folding

  select(vertex, move) {
    if (this.graph.reveal(vertex)) this.arrange();
    this.selected = this.graph.items.get(this.graph.boxOf(vertex));
    if (move) this.view.see(this.selected);
    this.source.mark(vertex, "lit", move);
    this.show();
    const v = D.vertices[vertex];
    this.say(`${v.k === "leaf" ? "leaf " + v.n : v.n}${v.f >= 0 ? ", " + place(v) : ""}`);
  }

  light(vertices, move) {
    this.litVertices = vertices;
    if (move && vertices) {
      for (const i of vertices.slice(0, 200)) this.graph.reveal(i);
      this.arrange();
      const keys = [...new Set(vertices.map(i => this.graph.boxOf(i)))];
      this.view.fit(keys);
      this.say(`${vertices.length} nodes of this line`);
      if (vertices.length === 1) this.select(vertices[0], false);
    }
    this.paint();
  }

  verticesIn(cluster) {
    const found = [...cluster.members];
    for (const g of cluster.groups) found.push(...this.verticesIn(this.graph.clusters[g]));
    return found;
  }

  toggle(id) {
    const key = "c" + id, before = this.graph.items.get(key);
    const [x, y] = before ? this.view.bounds(before) : [0, 0];
    if (!this.graph.folded.delete(id)) this.graph.folded.add(id);
    this.arrange();
    const after = this.graph.items.get(key);
    if (after) {                        // it stays where it was
      const [nx, ny] = this.view.bounds(after);
      this.view.at.x += (x - nx) * this.view.at.k;
      this.view.at.y += (y - ny) * this.view.at.k;
      this.selected = after;
      this.say(`${this.graph.clusters[id].name} ${this.graph.folded.has(id) ? "folded" : "unfolded"}`);
    }
    this.show();
  }

  foldAll(folded) {
    this.graph.folded = folded ? new Set(this.graph.clusters.map(c => c.id)) : new Set();
    this.arrange();
    this.view.begin();
    this.show();
  }

  arrange() {
    const key = this.selected && this.selected.key;
    this.graph.arrange();
    this.selected = key ? this.graph.items.get(key) || null : null;
  }

  // ---- search

  search(text) {
    const list = by("results"), words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const named = [], others = [];      // by their own names, or by those of their lines
    if (words.length) D.vertices.forEach((v, i) => {
      const line = v.f >= 0 ? place(v) + " " + (D.files[v.f].t[v.i - D.files[v.f].first] || "") : "";
      const own = [v.k === "leaf" ? "leaf accumulategrad" : v.k, v.n, v.l, v.m].join(" ").toLowerCase();
      if (words.every(word => own.includes(word))) named.push(i);
      else if (words.every(word => (own + " " + line.toLowerCase()).includes(word))) others.push(i);
    });
    this.found = [...named, ...others].slice(0, 50);
    this.choice = 0;
    list.replaceChildren(...this.found.map((i, n) => {
      const v = D.vertices[i];
      return make("li", { role: "option", "aria-selected": String(!n), onmousedown: event => { event.preventDefault(); this.choose(n); } },
        make("span", {}, v.n || "leaf", v.l ? "  " + v.l : ""), make("span", { class: "dim" }, [v.m, v.f >= 0 ? place(v) : v.k].filter(Boolean).join("  ")));
    }));
    if (words.length && !this.found.length) list.append(make("li", { class: "dim" }, "nothing found"));
    list.hidden = !words.length;
    this.litVertices = this.found.length ? this.found : null;
    this.paint();
  }

  choose(n) {
    if (!this.found || !this.found.length) return;
    const vertex = this.found[n];
    by("results").hidden = true;
    by("graph").focus();
    this.litVertices = null;
    this.select(vertex, true);
  }

  // ---- keys and pointers

  listen() {
    const canvas = by("graph"), on = (id, what) => by(id).addEventListener("click", what);
    on("fit", () => { this.view.fit(); this.paint(); });
    on("theme", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    on("fold-all", () => this.foldAll(true));
    on("unfold-all", () => this.foldAll(false));
    on("help", () => this.help());
    addEventListener("resize", () => { this.view.resize(); this.paint(); });
    new ResizeObserver(() => { if (by("graph").clientWidth !== this.view.w || by("graph").clientHeight !== this.view.h) { this.view.resize(); this.paint(); } }).observe(by("sheet"));
    addEventListener("keydown", event => this.key(event));
    by("search").addEventListener("input", event => this.search(event.target.value));
    by("search").addEventListener("blur", () => { by("results").hidden = true; });
    by("search").addEventListener("keydown", event => this.searchKey(event));
    let drag = null;
    canvas.addEventListener("pointerdown", event => {
      drag = { x: event.offsetX, y: event.offsetY, moved: false };
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
    });
    canvas.addEventListener("pointermove", event => {
      if (drag) {
        const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
        if (drag.moved || Math.abs(dx) + Math.abs(dy) > 4) {
          this.view.at.x += dx; this.view.at.y += dy;
          drag = { x: event.offsetX, y: event.offsetY, moved: true };
          canvas.classList.add("dragging");
          this.paint();
        }
        return;
      }
      this.hover(this.view.find(event.offsetX, event.offsetY));
    });
    canvas.addEventListener("pointerup", event => {
      if (drag && !drag.moved) this.click(this.view.find(event.offsetX, event.offsetY));
      drag = null;
      canvas.classList.remove("dragging");
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("dblclick", event => { const item = this.view.find(event.offsetX, event.offsetY); if (item && item.cluster) this.toggle(item.cluster.id); });
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      if (event.ctrlKey || !event.shiftKey) this.view.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
      else this.view.at.x -= event.deltaY;
      this.paint();
    }, { passive: false });
    this.divider("divider-left", "source", 1);
    this.divider("divider-right", "panel", -1);
  }

  divider(id, panel, sign) {
    by(id).addEventListener("pointerdown", event => {
      const start = event.clientX, width = by(panel).offsetWidth, move = e => { by(panel).style.width = width + sign * (e.clientX - start) + "px"; };
      const end = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", end); };
      addEventListener("pointermove", move);
      addEventListener("pointerup", end);
      event.preventDefault();
    });
  }

  hover(item) {
    if (item === this.over) return;
    this.over = item;
    by("graph").classList.toggle("over", Boolean(item));
    const vertex = item && item.vertex !== undefined ? item.vertex : null;
    this.source.mark(vertex, "lit", vertex !== null);
    by("graph").title = item ? (item.cluster ? headerOf(item.cluster).slice(2) + ": Enter or a double click " + (item.kind === "folded" ? "unfolds" : "folds") : this.markText(item.vertex)) : "";
  }

  markText(vertex) { return D.marks.filter(([v]) => v === vertex).map(([, , text]) => text).join("\n"); }

  click(item) {
    this.selected = item;
    this.litVertices = null;
    if (item && item.vertex !== undefined) this.select(item.vertex, false);
    else this.show();
  }

  key(event) {
    if (by("keys").open || event.target.tagName === "INPUT" && event.target.type === "search" || event.target.tagName === "SELECT") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowRight: () => this.go(this.step + 1), ArrowLeft: () => this.go(this.step - 1), Home: () => this.go(-1), End: () => this.go(D.steps.length - 1),
      ArrowDown: () => this.walk(this.edgesFrom, 1), ArrowUp: () => this.walk(this.edgesInto, 0), " ": () => this.play(),
      "/": () => by("search").focus(), f: () => { this.view.fit(); this.paint(); }, t: () => by("theme").click(), c: () => this.foldAll(true), e: () => this.foldAll(false),
      "+": () => { this.view.zoom(1.2); this.paint(); }, "=": () => { this.view.zoom(1.2); this.paint(); }, "-": () => { this.view.zoom(1 / 1.2); this.paint(); },
      Escape: () => { this.selected = null; this.litVertices = null; this.show(); }, "?": () => this.help(),
      Enter: () => { if (event.target === by("graph") || event.target === document.body) { const item = this.selected; if (item && item.cluster) this.toggle(item.cluster.id); } },
    };
    const inPanel = by("panel").contains(event.target) || by("code").contains(event.target);
    if (!keys[event.key] || (inPanel && /^(Arrow(Up|Down)|Home|End|Enter| )$/.test(event.key))) return;
    if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    if (event.key !== "Enter") event.preventDefault();
    keys[event.key]();
  }

  // Along the edges of the graph, from what is selected or runs.
  walk(edges, end) {
    let from = this.selected && this.selected.vertex;
    if (from === undefined || from === null) from = this.step >= 0 ? D.steps[this.step][0] : 0;
    const next = edges[from].map(e => D.edges[e][end])[0];
    if (next !== undefined) this.select(next, true);
  }

  searchKey(event) {
    if (event.key === "Escape") { event.target.value = ""; this.search(""); by("graph").focus(); } else if (event.key === "Enter") this.choose(this.choice || 0);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const options = by("results").children, n = this.found ? this.found.length : 0;
      if (!n) return;
      options[this.choice].setAttribute("aria-selected", "false");
      this.choice = (this.choice + (event.key === "ArrowDown" ? 1 : n - 1)) % n;
      options[this.choice].setAttribute("aria-selected", "true");
      options[this.choice].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    }
  }

  player() {
    by("slider").max = D.steps.length;
    by("slider").disabled = !D.steps.length;
    by("slider").addEventListener("input", event => this.go(Number(event.target.value) - 1));
    by("first").addEventListener("click", () => this.go(-1));
    by("back").addEventListener("click", () => this.go(this.step - 1));
    by("play").addEventListener("click", () => this.play());
    by("forward").addEventListener("click", () => this.go(this.step + 1));
    by("last").addEventListener("click", () => this.go(D.steps.length - 1));
    by("speed").addEventListener("change", () => { if (this.timer) { this.play(); this.play(); } });
  }

  theme(name, redraw = true) {
    document.documentElement.dataset.theme = name;
    if (redraw) { this.view.readColours(); this.show(); }
  }

  legend() {
    const add = (colour, text) => by("legend").append(make("span", {}, make("i", { style: `background:var(--${colour});border-color:var(--${colour}-edge, var(--${colour}))` }), text));
    const kinds = new Set(D.vertices.map(v => v.k));
    add("output", "output");
    add("operation", "operation");
    if (kinds.has("leaf")) add("leaf", "leaf");
    if (D.clusters.length || kinds.has("folded")) add("folded", "folded");
    if (D.vertices.some(v => v.s.length)) add("saved", "saves tensors");
    if (D.marks.length) add("bad", "stands out");
    if (D.steps.length) add("accent", "gradient");
  }

  help() {
    const rows = [["→ ←", "step forward, back"], ["space", "play, pause"], ["Home End", "to the beginning, to the end"], ["↓ ↑", "along the edges of the graph"], ["Enter", "fold or unfold what is selected"],
      ["c e", "fold all, unfold all"], ["/", "search"], ["f", "show everything"], ["+ −", "zoom, as the wheel does"], ["t", "light or dark"], ["Esc", "select nothing"]];
    by("keys").replaceChildren(make("table", {}, ...rows.map(([keys, text]) => make("tr", {}, make("td", {}, ...keys.split(" ").map(key => make("kbd", {}, key))), make("td", {}, text)))),
      make("form", { method: "dialog" }, make("button", {}, "Close")));
    by("keys").showModal();
  }

  // #step=3 begins at a step, #select=5 with a node, #unfold with everything unfolded, #all with all of it in view.
  hash() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.has("unfold")) this.foldAll(false);
    if (given.has("all")) { this.view.fit(); this.paint(); }
    if (given.has("step")) this.go(Number(given.get("step")) - 1);
    if (given.has("select")) this.select(Number(given.get("select")), true);
  }
}

const app = new App();
app.paintNow();
window.facula = { app, data: D, layered, sideBoxes, painted: performance.now() };
