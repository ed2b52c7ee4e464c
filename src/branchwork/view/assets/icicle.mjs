// The overview of a tree that does not fit into its window: an icicle. Every level is a row, every node a cell as wide
// as its share of the rows, in the colour of its class. What is outside of the window lies under a veil.
//
//     [            root            ]
//     [   node 1   ][    node 2    ]
import { h, s } from "../../webpage/assets/common.mjs";
import { partInWindow } from "./geometry.mjs";
import { firstFrom } from "./draw.mjs";
import { ownShade, shadeOf } from "./shade.mjs";

const TALLEST_ROW = 12;
const TALLEST = 84; // the whole overview, in pixels
const NARROWEST_CELL = 0.4; // pixels; narrower ones are part of the cell above
const NARROWEST_MARK = 6; // pixels of the window's mark
const STEPS = 8; // of strength: cells of one colour and strength are one path

/** Makes the overview. `onPick` is called with a node that is clicked, `onHover` with a node, or -1, and the event. */
export function createIcicle(tree, { onPick, onHover }) {
  const cells = s("svg", { class: "cells", "aria-hidden": "true" });
  const veil = s("path", { class: "veil", "fill-rule": "evenodd" });
  const frame = s("path", { class: "window" });
  const about = "Overview: each row is a level of the tree, each cell a node, as wide as its share of the rows";
  const svg = s("svg", { role: "img", "aria-label": about }, veil, frame);
  const element = h("div", { class: "icicle", hidden: true }, cells, svg); // two layers: cells are painted only once
  const icicle = { tree, element, svg, cells, veil, frame, levels: 1 + tree.depth.reduce((a, b) => Math.max(a, b), 0) };
  const nodeUnder = (event) => {
    const box = svg.getBoundingClientRect();
    return nodeAtPoint(icicle, event.clientX - box.left, event.clientY - box.top);
  };
  svg.addEventListener("click", (event) => onPick(nodeUnder(event)));
  svg.addEventListener("pointermove", (event) => onHover(nodeUnder(event), event));
  svg.addEventListener("pointerleave", (event) => onHover(-1, event));
  return icicle;
}

/** Where each node's cell begins and how wide it is, as parts of the whole width. */
function spansOf(tree) {
  const [start, width] = [new Float64Array(tree.n), new Float64Array(tree.n)];
  const size = tree.weight[0] > 0 ? tree.weight : tree.size; // of a tree from elsewhere rows may not be known
  width[0] = 1;
  for (let node = 0; node < tree.n; node++) {
    const [first, last] = [tree.first_child[node], tree.first_child[node] + tree.n_children[node]];
    let whole = 0;
    for (let child = first; child < last; child++) whole += size[child];
    for (let child = first, at = start[node]; child < last; child++) {
      start[child] = at;
      width[child] = whole > 0 ? (width[node] * size[child]) / whole : 0;
      at += width[child];
    }
  }
  return { start, width };
}

/** Draws all cells, in the colours of the answers or of a shading. */
export function drawIcicle(icicle, shade) {
  const { tree, element, svg, cells } = icicle;
  const width = element.clientWidth;
  if (element.hidden || !width) return;
  icicle.spans ??= spansOf(tree);
  icicle.edges ??= edgesOf(icicle.levels);
  const height = icicle.edges.at(-1);
  for (const layer of [cells, svg]) for (const [name, value] of Object.entries({ width, height })) layer.setAttribute(name, value);
  const pieces = new Map();
  for (let node = 0; node < tree.n; node++) {
    const wide = icicle.spans.width[node] * width;
    const [top, next] = [icicle.edges[tree.depth[node]], icicle.edges[tree.depth[node] + 1]];
    if (wide < NARROWEST_CELL || next <= top) continue; // of levels that fall on one pixel the last is drawn
    const bottom = next - (next - top > 4 ? 1 : 0);
    const look = lookOf(tree, shade, node);
    const gap = wide > 3 ? 0.5 : 0;
    const x = icicle.spans.start[node] * width;
    const piece = `M${x.toFixed(1)} ${top}h${(wide - gap).toFixed(1)}v${bottom - top}h${(gap - wide).toFixed(1)}z`;
    pieces.set(look, (pieces.get(look) ?? "") + piece);
  }
  cells.replaceChildren(...[...pieces].map(([look, d]) => s("path", { d, style: look })));
}

/** The top of each level and the bottom of the last, in whole pixels: the first levels are taller than those below. */
function edgesOf(levels) {
  const sizes = Array.from({ length: levels }, (_, depth) => 1 / (1 + Math.max(0, depth - 3) / 4));
  const unit = Math.min(TALLEST_ROW, TALLEST / sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  return [0, ...sizes.map((size) => Math.round((at += size * unit)))];
}

/** The colour of a cell: the purer its node, the stronger. */
function lookOf(tree, shade, node) {
  const { colour, part } = shadeOf(tree, shade ?? ownShade(tree, node), node);
  const strength = Math.round(part * STEPS) / STEPS;
  return `fill: color-mix(in oklab, ${colour} ${Math.round(15 + 85 * strength)}%, var(--ground))`;
}

/** Marks the part of the tree that is in the window. */
export function drawWindow(app) {
  const { icicle } = app;
  if (!icicle?.spans || icicle.element.hidden) return;
  const width = Number(icicle.svg.getAttribute("width"));
  const { breadth, depth } = partInWindow(app.geometry, app.view, app.size);
  const { levels, x } = app.place;
  const { start, width: wide } = icicle.spans;
  const last = Math.min(levels.length - 1, Math.floor(depth[1] - 0.2));
  const [down, up] = [[], []]; // the right and the left edge of what is in the window, from level to level
  for (let at = Math.max(0, Math.ceil(depth[0] - 0.3)); at <= last; at++) {
    const level = levels[at];
    const from = firstFrom(level, x, breadth[0] - 0.5);
    const to = firstFrom(level, x, breadth[1] - 0.4) - 1;
    if (from > to) continue;
    const [top, bottom] = [icicle.edges[at], icicle.edges[at + 1]];
    const [left, right] = [start[level[from]] * width, (start[level[to]] + wide[level[to]]) * width];
    down.push(`L${Math.max(right, left + NARROWEST_MARK)} ${top}V${bottom}`);
    up.unshift(`L${left} ${bottom}V${top}`);
  }
  const window = down.length ? `M${[...down, ...up].join("").slice(1)}z` : "";
  icicle.veil.setAttribute("d", `M0 0H${width}V${icicle.edges.at(-1)}H0z${window}`);
  icicle.frame.setAttribute("d", window);
}

/** The deepest node whose cell is at a point. */
function nodeAtPoint({ tree, spans, svg, edges }, x, y) {
  const at = x / Number(svg.getAttribute("width"));
  const deepest = edges.findLastIndex((top) => top <= y);
  let node = 0;
  while (tree.depth[node] < deepest && tree.n_children[node] > 0) {
    let child = tree.first_child[node];
    const last = child + tree.n_children[node] - 1;
    while (child < last && at >= spans.start[child] + spans.width[child]) child++;
    node = child;
  }
  return node;
}
