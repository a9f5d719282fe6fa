// Tensors for the eye: numbers if they are few, else statistics and a heat map; pictures as pictures.

const D = JSON.parse(document.getElementById("data").textContent);

const numeric = x => (typeof x === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[x] : x);

function told(x, digits = 4) {
  x = numeric(x);
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "−inf";
  const text = Number.isInteger(x) && Math.abs(x) < 1e6 ? String(x) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−").replace("e+", "e");
}

const shapeOf = t => (t < 0 ? "" : "[" + D.tensors[t].s.join(", ") + "]");

// A tensor in a word: its number, or its norm.
function brief(t) {
  if (t < 0) return "";
  const T = D.tensors[t];
  if (!T.t) return short(t);
  return T.t[6] ? "nan" : T.t[7] ? "inf" : "‖" + told(T.t[4], 3) + "‖";
}

// The same with the shape, or the numbers if they are very few.
function short(t) {
  if (t < 0) return "";
  const T = D.tensors[t];
  if (T.v && T.v.length === 1) return told(T.v[0]);
  if (T.v && T.v.length <= 3) return "[" + T.v.map(x => told(x, 3)).join(", ") + "]";
  if (!T.t) return shapeOf(t);
  return T.t[6] ? "nan in " + shapeOf(t) : T.t[7] ? "inf in " + shapeOf(t) : "‖" + told(T.t[4], 3) + "‖ " + shapeOf(t);
}

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
};

const colourOf = (x, scale) => {
  x = numeric(x);
  if (!Number.isFinite(x)) return "var(--bad)";
  const part = scale ? Math.min(1, Math.abs(x) / scale) : 0;
  return `rgba(var(--${x < 0 ? "cold" : "warm"}),${(0.75 * part).toFixed(3)})`;
};

function tensorView(t, what) {
  const box = make("div", { class: "tensor" });
  if (t < 0) { box.append(make("div", { class: "what" }, make("span", {}, what), make("span", { class: "dim" }, "nothing"))); return box; }
  const T = D.tensors[t];
  box.append(make("div", { class: "what" }, make("span", {}, what), make("span", { class: "dim mono" }, T.d + " " + shapeOf(t))));
  if (T.p) box.append(pixels(T.p));
  else if (T.v) box.append(numbers(T));
  else if (T.h) box.append(heat(T.h));
  if (T.t && T.s.reduce((a, b) => a * b, 1) > 4) box.append(stats(T));
  return box;
}

function numbers(T) {
  const columns = T.s.length ? Math.max(1, T.s[T.s.length - 1]) : 1, table = make("table");
  let scale = 0;
  for (const x of T.v) if (Number.isFinite(numeric(x))) scale = Math.max(scale, Math.abs(numeric(x)));
  for (let i = 0; i < T.v.length; i += columns) {
    const row = make("tr");
    for (const x of T.v.slice(i, i + columns)) row.append(make("td", { style: `background:${colourOf(x, scale)}` }, told(x)));
    table.append(row);
  }
  if (!T.v.length) table.append(make("tr", {}, make("td", { class: "dim" }, "no elements")));
  return make("div", { class: "scroll" }, table);
}

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function picture(rows, columns, paint, label) {
  const canvas = make("canvas", { role: "img", "aria-label": label }), size = Math.max(4, Math.min(16, Math.floor(256 / Math.max(rows, columns))));
  canvas.width = columns; canvas.height = rows;
  canvas.style.width = columns * size + "px";
  canvas.style.aspectRatio = `${columns} / ${rows}`;
  const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) image.data.set([...paint(i), 255], 4 * i);
  context.putImageData(image, 0, 0);
  return canvas;
}

function heat([rows, columns, scale, text]) {
  const bytes = bytesOf(text), style = getComputedStyle(document.documentElement);
  const rgb = name => style.getPropertyValue(name).split(",").map(Number);
  const warm = rgb("--warm"), cold = rgb("--cold"), dark = document.documentElement.dataset.theme === "dark";
  const ground = dark ? [18, 23, 29] : [255, 255, 255];
  const paint = i => {
    if (!bytes[i]) return [217, 45, 200];
    const x = (bytes[i] - 128) / 127, to = x < 0 ? cold : warm, part = Math.sqrt(Math.abs(x));
    return ground.map((g, j) => g + (to[j] - g) * part);
  };
  return picture(rows, columns, paint, `heat map, ${rows} by ${columns}, from −${told(scale)} (blue) to ${told(scale)} (orange)`);
}

function pixels([rows, columns, channels, text]) {
  const bytes = bytesOf(text);
  return picture(rows, columns, i => [0, 1, 2].map(j => bytes[i * channels + (channels === 3 ? j : 0)]), `picture, ${rows} by ${columns}`);
}

function stats(T) {
  const [low, high, mean, spread, norm, zeros, nans, infs] = T.t, grid = make("div", { class: "stats" });
  const add = (name, value) => grid.append(make("b", {}, name), make("span", { class: "mono" }, value));
  add("least", told(low)); add("greatest", told(high)); add("mean", told(mean)); add("std", told(spread)); add("norm", told(norm));
  if (zeros) add("zeros", String(zeros));
  if (nans) add("NaN", String(nans));
  if (infs) add("infinite", String(infs));
  return grid;
}
