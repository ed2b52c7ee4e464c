// The drawing: cards and branches as SVG, of those nodes only that are in sight.
import { s } from "../../webpage/assets/common.mjs";
import { clipped, colourOf, plural } from "./dom.mjs";
import { childrenOf, classesOf, isLeaf } from "./walk.mjs";
import { branchLabel, deviation, factsOf, hiddenBelow, isEmpty, sizeOf, spoken, titleOf } from "./words.mjs";

export const CARD = { width: 150, height: 84 };
export const PITCH = { x: 164, y: 148 };
const INSET = 12;
const FONTS = { title: "650 13px", facts: "11.5px", label: "12px" }; // as in tree.css
const STRAIGHT = 24; // the last piece of a branch, behind its label
const FAR = 0.32; // at smaller scales nobody reads: cards are drawn without text
const CLOSEST = 4; // pixels between two cards of a level; nearer ones fall together

/** Makes a drawing of a tree inside an SVG element. */
export function createDrawing(tree, svg, prefix) {
  const branches = s("g", { "aria-hidden": "true" });
  const cards = s("g", { role: "presentation" });
  const layer = s("g", { role: "presentation" }, branches, cards);
  svg.append(layer);
  const drawing = { tree, svg, prefix, branches, cards, layer, cardOf: new Map(), branchOf: new Map() };
  drawing.scale = tree.labels ? null : meansOf(tree);
  return drawing;
}

/** Brings the drawing up to date. `place` is a layout, `view` = { x, y, scale }, `state` what is marked. */
export function draw(drawing, place, view, state) {
  const far = view.scale < FAR;
  if (far !== drawing.far || place !== drawing.place) clear(drawing);
  Object.assign(drawing, { far, place });
  drawing.family ||= getComputedStyle(drawing.svg).fontFamily; // none before a notebook shows the drawing
  drawing.svg.classList.toggle("far", far);
  drawing.layer.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const seen = nodesInSight(drawing, place, view);
  keepOnly(drawing.cardOf, new Set(seen), drawing.cards, (node) => card(drawing, node, state));
  const ends = new Set(seen);
  for (const node of seen) if (state.unfolded.has(node)) childrenOf(drawing.tree, node).forEach((c) => ends.add(c));
  ends.delete(0);
  keepOnly(drawing.branchOf, ends, drawing.branches, (node) => branch(drawing, node));
  mark(drawing, state);
}

function clear(drawing) {
  drawing.cards.replaceChildren();
  drawing.branches.replaceChildren();
  drawing.cardOf.clear();
  drawing.branchOf.clear();
}

function keepOnly(elements, wanted, layer, make) {
  for (const [node, element] of elements) {
    if (wanted.has(node)) continue;
    element.remove();
    elements.delete(node);
  }
  const fresh = document.createDocumentFragment();
  for (const node of wanted) {
    if (elements.has(node)) continue;
    elements.set(node, make(node));
    fresh.append(elements.get(node));
  }
  layer.append(fresh);
}

/** The top left corner of a node's card. */
export const corner = (tree, place, node) => ({ x: place.x.get(node) * PITCH.x, y: tree.depth[node] * PITCH.y });

function nodesInSight(drawing, place, view) {
  const { width, height } = drawing.svg.getBoundingClientRect();
  const first = Math.max(0, Math.floor(-view.y / view.scale / PITCH.y) - 1);
  const last = Math.min(place.levels.length - 1, Math.ceil((height - view.y) / view.scale / PITCH.y));
  const left = -view.x / view.scale / PITCH.x - 1;
  const right = (width - view.x) / view.scale / PITCH.x + 1;
  const apart = CLOSEST / (view.scale * PITCH.x);
  const seen = [];
  for (let depth = first; depth <= last; depth++) {
    const level = place.levels[depth];
    let before = -Infinity;
    // One more on either side: their branches may cross what is in sight.
    for (let k = Math.max(0, firstFrom(level, place.x, left) - 1); k < level.length && before <= right; k++) {
      if (place.x.get(level[k]) - before < apart) continue;
      before = place.x.get(level[k]);
      seen.push(level[k]);
    }
  }
  return seen;
}

/** Position of the first node of a level at or right of `left`. */
function firstFrom(level, x, left) {
  let low = 0;
  let high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x.get(level[middle]) < left) low = middle + 1;
    else high = middle;
  }
  return low;
}

function card(drawing, node, state) {
  const { tree, place, far } = drawing;
  const { x, y } = corner(tree, place, node);
  const leaf = isLeaf(tree, node);
  const parent = tree.parent[node];
  const group = s("g", {
    id: `${drawing.prefix}-${node}`,
    class: leaf ? "card leaf" : "card",
    transform: `translate(${x} ${y})`,
    "data-node": node,
    role: "treeitem",
    "aria-label": spoken(tree, node),
    "aria-level": tree.depth[node] + 1,
    "aria-setsize": parent < 0 ? 1 : tree.n_children[parent],
    "aria-posinset": parent < 0 ? 1 : node - tree.first_child[parent] + 1,
    "aria-expanded": leaf ? null : String(state.unfolded.has(node)),
    "aria-selected": "false",
  });
  group.append(s("rect", { class: "paper", width: CARD.width, height: CARD.height, rx: leaf ? 16 : 6 }));
  const content = far ? bar(drawing, node, 8, CARD.height - 16) : inside(drawing, node, state);
  group.append(s("g", { "aria-hidden": "true" }, content));
  return group;
}

function inside(drawing, node, state) {
  const { tree } = drawing;
  const leaf = isLeaf(tree, node);
  const text = (name, x, y, content, room) =>
    s("text", { class: name, x, y }, clipped(content, room, `${FONTS[name]} ${drawing.family}`));
  const dot = leaf && tree.labels ? 15 : 0;
  const room = CARD.width - 2 * INSET;
  const parts = [
    text("title", INSET + dot, 23, titleOf(tree, node), room - dot),
    text("facts", INSET, 41, isEmpty(tree, node) || tree.n_rows[node] ? plural(tree.n_rows[node], "row") : sizeOf(tree, node), room),
    text("facts", INSET, 57, factsOf(tree, node), room),
    bar(drawing, node, 66, 8),
  ];
  if (dot) parts.push(s("circle", { cx: INSET + 5, cy: 18.5, r: 5, fill: colourOf(tree, tree.decision[node]) }));
  if (node > 0) parts.push(text("label", CARD.width / 2, -9, branchLabel(tree, node), PITCH.x - 8));
  if (!leaf) parts.push(handle(tree, node, state.unfolded.has(node)));
  return parts;
}

/** The small button that folds and unfolds. */
function handle(tree, node, open) {
  const content = open ? "−" : `+${hiddenBelow(tree, node)}`;
  const width = 14 + 7 * content.length;
  return s(
    "g",
    { class: open ? "handle open" : "handle", transform: `translate(${CARD.width / 2} ${CARD.height})` },
    s("rect", { class: "reach", x: -width / 2 - 8, y: -9, width: width + 16, height: 28 }),
    s("rect", { x: -width / 2, y: -9, width, height: 18, rx: 9 }),
    s("text", { y: 4 }, content),
  );
}

function bar(drawing, node, y, height) {
  return drawing.tree.labels ? classBar(drawing.tree, node, y, height) : meanBar(drawing, node, y, height);
}

/** The classes side by side, each as wide as its share of the weight. */
function classBar(tree, node, y, height) {
  const room = CARD.width - 2 * INSET;
  const classes = classesOf(tree, node).sort((a, b) => a.label - b.label);
  const whole = classes.reduce((sum, one) => sum + one.weight, 0);
  const parts = [s("rect", { class: "track", x: INSET, y, width: room, height, rx: 2 })];
  let x = INSET;
  for (const { label, weight } of classes) {
    const width = whole > 0 ? (room * weight) / whole : 0;
    if (width > 0) parts.push(s("rect", { x, y, width, height, fill: colourOf(tree, label) }));
    x += width;
  }
  return s("g", {}, parts);
}

/** The mean between the smallest and the largest there is, with a standard deviation to both sides. */
function meanBar({ tree, scale }, node, y, height) {
  const room = CARD.width - 2 * INSET;
  const at = (value) => INSET + (room * (Math.min(Math.max(value, scale.low), scale.high) - scale.low)) / scale.length;
  const mean = tree.mean[node];
  const [left, right] = [at(mean - deviation(tree, node)), at(mean + deviation(tree, node))];
  return s(
    "g",
    {},
    s("rect", { class: "track", x: INSET, y: y + height / 2 - 1, width: room, height: 2 }),
    s("rect", { class: "spread", x: left, y: y + height / 2 - 2, width: Math.max(0, right - left), height: 4, rx: 2 }),
    s("rect", { class: "mean", x: at(mean) - 2, y, width: 4, height, rx: 2 }),
  );
}

function meansOf(tree) {
  const low = tree.mean.reduce((least, mean, node) => Math.min(least, mean - deviation(tree, node)), Infinity);
  const high = tree.mean.reduce((most, mean, node) => Math.max(most, mean + deviation(tree, node)), -Infinity);
  return { low, high, length: high - low || 1 };
}

/** A branch from a parent to a child: the more rows, the wider. */
function branch({ tree, place }, node) {
  const from = corner(tree, place, tree.parent[node]);
  const to = corner(tree, place, node);
  const [x0, y0, x1, y1] = [from.x + CARD.width / 2, from.y + CARD.height, to.x + CARD.width / 2, to.y];
  const middle = (y0 + y1 - STRAIGHT) / 2;
  return s("path", {
    class: "branch",
    d: `M${x0} ${y0}C${x0} ${middle + 8} ${x1} ${middle - 8} ${x1} ${y1 - STRAIGHT}V${y1}`,
    "stroke-width": 1.25 + (9 * tree.weight[node]) / (tree.weight[0] || 1),
  });
}

/** Marks what is selected, active, found and lit. */
function mark(drawing, state) {
  const { cardOf, branchOf, svg } = drawing;
  svg.classList.toggle("lit", state.lit.size > 0);
  for (const [node, element] of cardOf) {
    element.classList.toggle("selected", node === state.selected);
    element.classList.toggle("active", node === state.active);
    element.classList.toggle("found", state.found.has(node));
    element.classList.toggle("reached", state.lit.has(node));
    element.setAttribute("aria-selected", String(node === state.selected));
  }
  for (const [node, element] of branchOf) {
    element.classList.toggle("reached", state.lit.has(node));
    element.style.strokeOpacity = 0.3 + 0.7 * (state.lit.get(node) ?? 1); // a part of a row is fainter
  }
  svg.setAttribute("aria-activedescendant", cardOf.has(state.active) ? `${drawing.prefix}-${state.active}` : "");
}
