// What stands beside the graph: the program's text, and the details of a node.

const by = id => document.getElementById(id);
const place = v => D.files[v.f].n + ":" + v.i;
const KEYWORDS = /^(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;
const TOKEN = /(#.*$)|("""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b\d[\w.]*\b)|([A-Za-z_]\w*)/g;

// A line of Python with its colours.
function coloured(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const kind = match[1] ? "co" : match[2] ? "st" : match[3] ? "nu" : KEYWORDS.test(match[0]) ? "kw" : "";
    if (!kind) continue;
    parts.push(text.slice(at, match.index), make("span", { class: kind }, match[0]));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

class SourcePanel {
  constructor(app) {
    this.app = app;
    this.file = -1;
    this.nodes = D.files.map(() => new Map());  // line -> vertices
    D.vertices.forEach((v, i) => {
      if (v.f < 0) return;
      if (!this.nodes[v.f].has(v.i)) this.nodes[v.f].set(v.i, []);
      this.nodes[v.f].get(v.i).push(i);
    });
    D.files.forEach((file, i) => by("tabs").append(make("button", {
      role: "tab", title: file.p, "aria-selected": "false", "aria-controls": "code", onclick: () => this.show(i),
    }, file.n)));
    if (D.files.length) this.show(0);
    else by("code").append(make("p", { class: "dim", style: "padding:0 12px" }, "No line of a program is known for these nodes."));
  }

  show(number) {
    if (number === this.file) return;
    this.file = number;
    this.lines = new Map();
    [...by("tabs").children].forEach((tab, i) => tab.setAttribute("aria-selected", String(i === number)));
    const file = D.files[number], rows = file.t.map((text, i) => {
      const line = file.first + i, nodes = this.nodes[number].get(line);
      const row = make("div", {
        class: nodes ? "line has" : "line", tabindex: nodes ? 0 : null, role: nodes ? "button" : null,
        "aria-label": nodes ? `line ${line}, ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"}: ${text.trim()}` : null,
      }, make("span", { class: "no" }, String(line)), make("span", { class: "dot" }, nodes ? (nodes.length > 9 ? "●" : String(nodes.length)) : ""), make("span", {}, ...coloured(text)));
      if (nodes) {
        row.addEventListener("click", () => this.app.light(nodes, true));
        row.addEventListener("keydown", event => { if (event.key === "Enter") this.app.light(nodes, true); });
        row.addEventListener("mouseenter", () => this.app.light(nodes, false));
        row.addEventListener("mouseleave", () => this.app.light(null, false));
      }
      this.lines.set(line, row);
      return row;
    });
    if (!rows.length) rows.push(make("p", { class: "dim", style: "padding:0 12px" }, "This file cannot be shown."));
    by("code").replaceChildren(...rows);
  }

  mark(vertex, kind, scroll) {
    for (const row of by("code").querySelectorAll("." + kind)) row.classList.remove(kind);
    const v = vertex === null ? null : D.vertices[vertex];
    if (!v || v.f < 0) return;
    if (scroll) this.show(v.f);
    const row = this.file === v.f ? this.lines.get(v.i) : null;
    if (!row) return;
    row.classList.add(kind);
    if (scroll) this.scroll(v);
  }

  scroll(v) {
    const row = this.file === v.f ? this.lines.get(v.i) : null;
    if (!row) return;
    const code = by("code"), top = row.offsetTop;
    if (top < code.scrollTop + 30 || top > code.scrollTop + code.clientHeight - 50) code.scrollTop = top - code.clientHeight / 2;
  }
}

const bytesTold = n => (n < 1024 ? n + " B" : n < 1048576 ? (n / 1024).toFixed(1) + " KB" : (n / 1048576).toFixed(1) + " MB");
const SYMBOLS = { "not finite": "∞", dead: "0", zero: "0", huge: "↑", cut: "✂", "switched off": "✂", unused: "–", changed: "≠", summed: "Σ", shape: "□" };
const SOFT = new Set(["cut", "switched off", "dead", "unused", "unreached"]);

class DetailPanel {
  constructor(app) { this.app = app; }

  show(item, step) {
    const panel = by("panel"), parts = [];
    if (item && item.cluster) parts.push(...this.cluster(item));
    else if (item) parts.push(...this.vertex(item.vertex, step));
    else parts.push(...this.overview());
    panel.replaceChildren(...parts);
  }

  overview() {
    const saved = D.vertices.reduce((sum, v) => sum + v.s.reduce((s, one) => s + one[3], 0), 0);
    const leaves = D.vertices.filter(v => v.k === "leaf").length;
    const parts = [make("h2", {}, D.title), make("p", { class: "dim" },
      `${D.nodes.toLocaleString("en")} nodes, ${leaves} ${leaves === 1 ? "leaf" : "leaves"}, ${bytesTold(saved)} saved for backward.`)];
    if (D.steps.length) parts.push(make("p", {}, "Press → to step through the backward pass, or space to play it."));
    parts.push(...this.marks(D.marks));
    return parts;
  }

  marks(marks) {
    if (!marks.length) return [];
    const most = 60, parts = [make("h3", {}, "What stands out")];
    for (const [vertex, kind, text] of marks.slice(0, most)) {
      const soft = SOFT.has(kind) ? " soft" : "";
      parts.push(vertex < 0 ? make("div", { class: "mark plain" + soft }, text) : make("div", {
        class: "mark" + soft, tabindex: 0, role: "button", onclick: () => this.app.select(vertex, true),
        onkeydown: event => { if (event.key === "Enter") this.app.select(vertex, true); },
      }, make("b", {}, D.vertices[vertex].n), " " + text));
    }
    if (marks.length > most) parts.push(make("p", { class: "dim" }, `and ${marks.length - most} more`));
    return parts;
  }

  cluster(item) {
    const c = item.cluster, folded = item.kind === "folded";
    let bytes = 0;
    const within = new Set(this.app.verticesIn(c));
    for (const i of within) for (const one of D.vertices[i].s) bytes += one[3];
    const parts = [make("h2", {}, c.name), make("p", { class: "dim" }, [c.title, `${c.size} nodes`, bytesTold(bytes) + " saved"].filter(Boolean).join(" · ")),
      make("p", {}, make("button", { onclick: () => this.app.toggle(c.id) }, folded ? "Unfold (Enter)" : "Fold (Enter)"))];
    parts.push(...this.marks(D.marks.filter(([vertex]) => within.has(vertex))));
    return parts;
  }

  vertex(i, at) {
    const v = D.vertices[i], parts = [];
    const step = this.app.stepOf.get(i), known = step !== undefined && step <= at, S = known ? D.steps[step] : null;
    const kinds = { output: "output: backward begins here", leaf: "leaf: gradients are added up in its .grad", operation: "operation", folded: `${v.x.toLocaleString("en")} nodes of this kind` };
    parts.push(make("h2", {}, v.k === "leaf" ? v.n || "leaf" : v.n), make("p", { class: "dim" }, kinds[v.k]));
    const badges = [];
    if (v.l) badges.push(make("span", { class: "badge mono" }, v.l));
    if (v.m) badges.push(make("span", { class: "badge mono" }, v.m));
    if (v.f >= 0) badges.push(make("a", { class: "badge mono", role: "button", tabindex: 0, onclick: () => this.app.source.mark(i, "lit", true) }, place(v)));
    if (v.k === "leaf") badges.push(make("span", { class: "badge" }, "AccumulateGrad"));
    if (badges.length) parts.push(make("p", {}, ...badges));
    parts.push(...this.marks(D.marks.filter(([vertex]) => vertex === i)));
    if (S && v.k === "leaf") parts.push(...this.accumulation(i, S));
    else if (S) parts.push(...this.chainRule(i, S));
    else if (step !== undefined) parts.push(make("p", { class: "dim" }, `It runs at step ${step + 1}. `,
      make("a", { role: "button", tabindex: 0, onclick: () => this.app.go(step) }, "Go there")));
    if (v.v >= 0) parts.push(make("h3", {}, "Value"), tensorView(v.v, v.n || "leaf"));
    if (v.s.length) {
      parts.push(make("h3", {}, "Saved for backward, " + bytesTold(v.s.reduce((sum, one) => sum + one[3], 0))));
      for (const [name, shape, dtype, , cut, t] of v.s) {
        parts.push(t >= 0 ? tensorView(t, name) : make("p", { class: "mono" }, `${name} [${shape.join(", ")}] ${dtype ? "" : "kept by a hook"}`));
        if (cut) parts.push(make("p", { class: "dim" }, "✂ cut off by " + cut));
      }
    }
    return parts;
  }

  chainRule(i, [, arrived, sent, , , formulas]) {
    const parts = [make("h3", {}, "Chain rule")], edges = this.app.edgesFrom[i];
    const together = formulas.length > 1 && formulas.every(([, text, numbers]) => text && text === formulas[0][1] && !numbers && text !== "g");
    if (together) parts.push(make("div", { class: "rule formula" }, make("span", { class: "name" }, formulas.map(([name]) => "∂L/∂" + name).join(", ") + " = "), formulas[0][1]));
    else formulas.forEach(([name, text, numbers], e) => {
      const target = edges[e] !== undefined ? D.vertices[D.edges[edges[e]][1]] : null;
      parts.push(make("div", { class: "rule" },
        make("div", { class: "formula" }, make("span", { class: "name" }, `∂L/∂${name} = `), text || "its backward() of g"),
        numbers ? make("div", { class: "numbers" }, numbers + (sent[e] >= 0 && D.tensors[sent[e]].t ? "  (first element)" : "")) : null,
        target ? make("div", { class: "dim" }, "→ " + (target.n || "leaf")) : null));
    });
    parts.push(make("h3", {}, "Arrives (g)"), ...this.sum(i));
    arrived.forEach((t, nr) => parts.push(tensorView(t, arrived.length > 1 ? `output ${nr}` : "g = ∂L/∂output")));
    if (sent.length) parts.push(make("h3", {}, "Goes on"));
    sent.forEach((t, e) => parts.push(tensorView(t, "∂L/∂" + (formulas[e] ? formulas[e][0] : e))));
    return parts;
  }

  // Where several edges meet, gradients are added up.
  sum(i) {
    const terms = this.app.edgesInto[i].map(e => this.app.carried[e]).filter(t => t >= 0);
    if (terms.length < 2) return [];
    const few = terms.slice(0, 8).map(short).join(" + ") + (terms.length > 8 ? " + …" : "");
    return [make("div", { class: "rule" }, make("div", { class: "formula" }, `g is the sum of ${terms.length} gradients`), make("div", { class: "numbers" }, few))];
  }

  accumulation(i, [, arrived, , before, after]) {
    const parts = [make("h3", {}, "Accumulation in .grad"), ...this.sum(i)], small = t => t >= 0 && D.tensors[t].v && D.tensors[t].v.length === 1;
    const text = before >= 0 ? ".grad += g" : ".grad = g  (it was None)";
    parts.push(make("div", { class: "rule" }, make("div", { class: "formula" }, text),
      small(after) ? make("div", { class: "numbers" }, (before >= 0 ? short(before) + " + " : "") + short(arrived[0]) + (before >= 0 ? " = " + short(after) : "")) : null));
    if (before >= 0) parts.push(tensorView(before, ".grad before"));
    parts.push(tensorView(arrived[0], "g"), tensorView(after, ".grad after"));
    return parts;
  }
}
