// The drawing: cards and branches as SVG, of those nodes only that are in sight.
import { s } from "../../webpage/assets/common.mjs";
import { clipped, colourOf } from "./dom.mjs";
import { corner, FONTS, INSET, partInWindow } from "./geometry.mjs";
import { branchShade, cardShade, FAR_OFF, FARTHEST_OFF, NEAR } from "./shade.mjs";
import { childrenOf, classesOf, isLeaf } from "./walk.mjs";
import { branchLabel, deviation, factsOf, hiddenBelow, rowsText, spoken, titleOf } from "./words.mjs";

const STRAIGHT = { TB: 24, LR: 64 }; // the last piece of a branch, behind its label
const FAR = 0.32; // at smaller scales nobody reads: cards are drawn without text
const FARTHEST_SCALE = 0.12; // at smaller ones a card is a few pixels: its colour is all there is to see
const CLOSEST = 4; // pixels between two cards of a level; nearer ones fall together
const AROUND = 0.5; // of the window: what is drawn on each side of it while cards without text are panned

/** Makes a drawing of a tree inside an SVG element. */
export function createDrawing(tree, svg, prefix) {
  const branches = s("g", { "aria-hidden": "true" });
  const cards = s("g", { role: "presentation" });
  const layer = s("g", { role: "presentation" }, branches, cards);
  svg.append(s("defs", {}, patternsOf(tree, prefix)), layer);
  const drawing = { tree, svg, prefix, branches, cards, layer, cardOf: new Map(), branchOf: new Map() };
  drawing.scale = tree.labels ? null : meansOf(tree);
  return drawing;
}

/** The family of the drawing's text; there is none before a notebook shows the drawing. */
export function familyOf(drawing) {
  drawing.family ||= getComputedStyle(drawing.svg).fontFamily;
  return drawing.family;
}

/**
 * Brings the drawing up to date. `place` is a layout, `geometry` its sizes, `view` = { x, y, scale }, `size` the
 * window's { width, height }, `state` what is marked. `everything` draws each node with its text, wherever it is.
 */
export function draw(drawing, place, geometry, view, size, state, everything = false) {
  const far = everything || view.scale >= FAR ? NEAR : view.scale >= FARTHEST_SCALE ? FAR_OFF : FARTHEST_OFF;
  const { shade } = state;
  const same = far === drawing.far && place === drawing.place && geometry === drawing.geometry && shade === drawing.shade;
  if (!same) clear(drawing);
  Object.assign(drawing, { far, place, geometry, shade });
  familyOf(drawing);
  drawing.svg.classList.toggle("far", far !== NEAR);
  drawing.svg.classList.toggle("farthest", far === FARTHEST_OFF);
  drawing.svg.classList.toggle("shaded", shade !== null);
  drawing.svg.classList.toggle("LR", geometry.orientation === "LR");
  drawing.layer.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const seen = everything ? place.nodes : nodesInSight(drawing, view, size);
  const isSeen = seen === drawing.seen; // then nothing comes or goes
  drawing.seen = seen;
  const fresh = isSeen ? [] : keepOnly(drawing.cardOf, new Set(seen), drawing.cards, (node) => card(drawing, node, state));
  const grown = isSeen ? [] : keepOnly(drawing.branchOf, endsOf(drawing, seen, state), drawing.branches, (node) => branch(drawing, node));
  if (isMarked(drawing, state)) mark(drawing, state, fresh, grown);
  else mark(drawing, state, [...drawing.cardOf.keys()], [...drawing.branchOf.keys()]);
}

/** The nodes whose branches are drawn. From afar branches between cards that fall together would only be a blur. */
function endsOf({ tree, far }, seen, { unfolded }) {
  const ends = new Set(seen);
  for (const node of far === NEAR ? seen : []) if (unfolded.has(node)) childrenOf(tree, node).forEach((c) => ends.add(c));
  ends.delete(0);
  return ends;
}

/** Whether the marks of the last drawing still hold; then only what is new needs marks. */
function isMarked(drawing, { selected, active, found, lit }) {
  const before = drawing.marked;
  drawing.marked = { selected, active, found, lit };
  return before?.selected === selected && before.active === active && before.found === found && before.lit === lit;
}

function clear(drawing) {
  drawing.cards.replaceChildren();
  drawing.branches.replaceChildren();
  drawing.cardOf.clear();
  drawing.seen = undefined;
  drawing.branchOf.clear();
}

/** Removes elements that are not wanted, and makes those that are missing; returns the nodes of these. */
function keepOnly(elements, wanted, layer, make) {
  for (const [node, element] of elements) {
    if (wanted.has(node)) continue;
    element.remove();
    elements.delete(node);
  }
  const fresh = [...wanted].filter((node) => !elements.has(node));
  const added = document.createDocumentFragment();
  for (const node of fresh) {
    elements.set(node, make(node));
    added.append(elements.get(node));
  }
  layer.append(added);
  return fresh;
}

/** The nodes to draw. The same list comes back as long as it has all that is in the window. */
function nodesInSight(drawing, view, size) {
  const { place, geometry, far, sight } = drawing;
  const apart = Math.max(1, CLOSEST / (view.scale * geometry.step.breadth));
  const isMoved = sight?.place === place && sight.geometry === geometry && sight.apart === apart && sight.far === far;
  const part = partInWindow(geometry, view, size);
  if (isMoved && holds(sight.breadth, part.breadth) && holds(sight.depth, part.depth)) return sight.nodes;
  const [breadth, depth] = [part.breadth, part.depth].map((ends) => widened(ends, isMoved && far !== NEAR ? AROUND : 0));
  drawing.sight = { place, geometry, apart, far, breadth, depth, nodes: nodesIn(drawing, apart, breadth, depth) };
  return drawing.sight.nodes;
}

const holds = (whole, part) => whole[0] <= part[0] && part[1] <= whole[1];
const widened = ([low, high], share) => [low - share * (high - low), high + share * (high - low)];

/** The nodes in a part of the layout. */
function nodesIn(drawing, apart, breadth, depth) {
  const { place } = drawing;
  const levels = levelsApart(drawing, apart);
  const [left, right] = [breadth[0] - 1, breadth[1] + 1];
  const seen = [];
  for (const level of levels.slice(Math.max(0, Math.floor(depth[0]) - 1), Math.max(0, Math.ceil(depth[1]) + 1))) {
    // One more on either side: their branches may cross what is in sight.
    const end = firstFrom(level, place.x, right) + 1;
    for (const node of level.slice(Math.max(0, firstFrom(level, place.x, left) - 1), end)) seen.push(node);
  }
  return seen;
}

/**
 * The levels, without nodes that are closer than this to the one before, in cards: they would fall together with it. The choice
 * does not depend on the window: else every movement would choose others, and draw all of them anew.
 */
function levelsApart(drawing, apart) {
  const { place, thin } = drawing;
  if (apart <= 1) return place.levels; // a layout puts cards no closer than this
  if (thin?.place === place && thin.apart === apart) return thin.levels;
  const thinned = (level) => {
    let before = -Infinity;
    return level.filter((node) => {
      const isApart = place.x[node] - before >= apart;
      if (isApart) before = place.x[node];
      return isApart;
    });
  };
  drawing.thin = { place, apart, levels: place.levels.map(thinned) };
  return drawing.thin.levels;
}

/** Position of the first node of a level at or right of `left`. */
export function firstFrom(level, x, left) {
  let low = 0;
  let high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[level[middle]] < left) low = middle + 1;
    else high = middle;
  }
  return low;
}

function card(drawing, node, state) {
  const { tree, place, far, geometry } = drawing;
  const { x, y } = corner(geometry, tree, place, node);
  const leaf = isLeaf(tree, node);
  const parent = tree.parent[node];
  const group = s("g", {
    id: `${drawing.prefix}-${node}`,
    class: leaf ? "card leaf" : "card",
    transform: `translate(${x} ${y})`,
    style: cardShade(tree, state.shade, node, far),
    "data-node": node,
    role: "treeitem",
    "aria-label": spoken(tree, node),
    "aria-level": tree.depth[node] + 1,
    "aria-setsize": parent < 0 ? 1 : tree.n_children[parent],
    "aria-posinset": parent < 0 ? 1 : node - tree.first_child[parent] + 1,
    "aria-expanded": leaf ? null : String(state.unfolded.has(node)),
    "aria-selected": "false",
  });
  const { width, height } = geometry.card;
  group.append(s("rect", { class: "paper", width, height, rx: leaf ? 16 : 6 }));
  if (far === NEAR) group.append(s("g", { "aria-hidden": "true" }, inside(drawing, node, state)));
  else if (far === FAR_OFF && drawing.shade === null) group.append(bar(drawing, node, 8, height - 16));
  return group;
}

function inside(drawing, node, state) {
  const { tree, geometry } = drawing;
  const { card: size, orientation, gap } = geometry;
  const leaf = isLeaf(tree, node);
  const text = (name, x, y, content, room) =>
    s("text", { class: name, x, y }, clipped(content, room, `${FONTS[name]} ${drawing.family}`));
  const dot = leaf && tree.labels ? 15 : 0;
  const room = size.width - 2 * INSET;
  const parts = [
    text("title", INSET + dot, 20, titleOf(tree, node), room - dot),
    text("facts", INSET, 36, rowsText(tree, node), room),
    text("facts", INSET, 51, factsOf(tree, node), room),
    bar(drawing, node, 58, 8),
  ];
  if (dot) parts.push(s("circle", { cx: INSET + 5, cy: 15.5, r: 5, fill: fillOf(drawing, tree.decision[node]) }));
  if (node > 0 && orientation === "LR") {
    parts.push(text("label", -8, size.height / 2 - 7, branchLabel(tree, node), gap.depth - 24));
  } else if (node > 0) {
    parts.push(text("label", size.width / 2, -9, branchLabel(tree, node), size.width + gap.breadth - 6));
  }
  if (!leaf) parts.push(handle(drawing, node, state.unfolded.has(node)));
  return parts;
}

/** The small button that folds and unfolds. */
function handle({ tree, geometry }, node, open) {
  const content = open ? "−" : `+${hiddenBelow(tree, node)}`;
  const width = 14 + 7 * content.length;
  const { card: size, orientation } = geometry;
  const [x, y] = orientation === "LR" ? [size.width + (open ? 0 : width / 2 - 9), size.height / 2] : [size.width / 2, size.height];
  return s(
    "g",
    { class: open ? "handle open" : "handle", transform: `translate(${x} ${y})` },
    s("rect", { class: "reach", x: -width / 2 - 8, y: -9, width: width + 16, height: 28 }),
    s("rect", { x: -width / 2, y: -9, width, height: 18, rx: 9 }),
    s("text", { y: 4 }, content),
  );
}

// ---- colours

/** What a class is filled with in the drawing: its colour, or its pattern where the colours are not enough. */
export const fillOf = ({ tree, prefix }, label) =>
  tree.patterns[label] ? `url(#${prefix}-${tree.colours[label]})` : colourOf(tree, label);

/** What is cut out of the colour: the same patterns as in view/hatching.py. */
const HATCHES = {
  stripes: (line) => [line("M-1 1L1 -1M-1 7L7 -1M5 7L7 5")],
  dots: () => [s("circle", { class: "hatch", cx: 3, cy: 3, r: 1.5 })],
  grid: (line) => [line("M0 3H6M3 0V6")],
};

/** The patterns of the classes that have one; each has its colour beneath. */
function patternsOf(tree, prefix) {
  if (!tree.labels) return [];
  const line = (d) => s("path", { class: "hatch", d });
  const names = new Map(tree.colours.map((colour, label) => [colour, tree.patterns[label]]));
  return [...names].filter(([, pattern]) => pattern).map(([colour, pattern]) =>
    s(
      "pattern",
      { id: `${prefix}-${colour}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
      s("rect", { width: 6, height: 6, fill: `var(--${colour})` }),
      HATCHES[pattern](line),
    ),
  );
}

function bar(drawing, node, y, height) {
  return drawing.tree.labels ? classBar(drawing, node, y, height) : meanBar(drawing, node, y, height);
}

/** The classes side by side, each as wide as its share of the weight. */
function classBar(drawing, node, y, height) {
  const { tree, geometry } = drawing;
  const room = geometry.card.width - 2 * INSET;
  const classes = classesOf(tree, node).sort((a, b) => a.label - b.label);
  const whole = classes.reduce((sum, one) => sum + one.weight, 0);
  const parts = [s("rect", { class: "track", x: INSET, y, width: room, height, rx: 2 })];
  let x = INSET;
  for (const { label, weight } of classes) {
    const width = whole > 0 ? (room * weight) / whole : 0;
    if (width > 0) parts.push(s("rect", { x, y, width, height, fill: fillOf(drawing, label) }));
    x += width;
  }
  return s("g", {}, parts);
}

/** The mean between the smallest and the largest there is, with a standard deviation to both sides. */
function meanBar({ tree, scale, geometry }, node, y, height) {
  const room = geometry.card.width - 2 * INSET;
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

// ---- branches and marks

/** A branch from a parent to a child: the more rows, the wider. */
function branch({ tree, place, geometry, shade }, node) {
  return s("path", {
    class: "branch",
    d: branchPath(geometry, corner(geometry, tree, place, tree.parent[node]), corner(geometry, tree, place, node)),
    style: branchShade(tree, shade, node),
    "stroke-width": 1.25 + (9 * tree.weight[node]) / (tree.weight[0] || 1),
  });
}

function branchPath({ orientation, card: { width, height } }, from, to) {
  const straight = STRAIGHT[orientation];
  if (orientation === "LR") {
    const [x0, y0, x1, y1] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
    const middle = (x0 + x1 - straight) / 2;
    return `M${x0} ${y0}C${middle + 8} ${y0} ${middle - 8} ${y1} ${x1 - straight} ${y1}H${x1}`;
  }
  const [x0, y0, x1, y1] = [from.x + width / 2, from.y + height, to.x + width / 2, to.y];
  const middle = (y0 + y1 - straight) / 2;
  return `M${x0} ${y0}C${x0} ${middle + 8} ${x1} ${middle - 8} ${x1} ${y1 - straight}V${y1}`;
}

/** Marks what is selected, active, found and lit among some cards and branches. */
function mark(drawing, state, cards, branches) {
  const { cardOf, branchOf, svg } = drawing;
  svg.classList.toggle("lit", state.lit.size > 0);
  for (const node of cards) {
    const element = cardOf.get(node);
    element.classList.toggle("selected", node === state.selected);
    element.classList.toggle("active", node === state.active);
    element.classList.toggle("found", state.found.has(node));
    element.classList.toggle("reached", state.lit.has(node));
    element.setAttribute("aria-selected", String(node === state.selected));
  }
  for (const node of branches) {
    const element = branchOf.get(node);
    element.classList.toggle("reached", state.lit.has(node));
    element.style.strokeOpacity = 0.3 + 0.7 * (state.lit.get(node) ?? 1); // a part of a row is fainter
  }
  svg.setAttribute("aria-activedescendant", cardOf.has(state.active) ? `${drawing.prefix}-${state.active}` : "");
}
