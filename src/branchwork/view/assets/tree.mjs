// A tree to look at: pan, zoom, fold, search, hover, select, and follow a row. One element, no library.
//
//     mount(element, data, { title, embedded, among, selected, onSelect })
//         → { select(node), highlight(leaves), destroy() }
//
// The same module is a widget of a notebook (anywidget): its default export has `render`.
import { bringIntoView, fit, READABLE, redraw, redrawSoon, relayout, stopMotion, zoom } from "./camera.mjs";
import { h, s } from "../../webpage/assets/common.mjs";
import { swatch } from "./dom.mjs";
import { corner, createDrawing, PITCH } from "./draw.mjs";
import { createFollow } from "./follow.mjs";
import { firstUnfolded, layout } from "./layout.mjs";
import { showNode } from "./panel.mjs";
import { childrenOf, isLeaf, pathTo, readTree } from "./walk.mjs";
import { conditionInFull, factsOf, searchText, sizeOf, summary, titleOf } from "./words.mjs";

const FIRST_NODES = 100;
const MOST_REVEALED = 50; // leaves of a shared row that are unfolded for it
const RECOGNISABLE = 0.4; // the least scale at which lit leaves are shown all at once
const CLICK = 4; // pixels that a pointer may move in a click

const MOUNTED = Symbol.for("branchwork.mounted"); // in the document: every widget brings a module of its own

/** Shows a tree in an element. */
export function mount(element, data, options = {}) {
  const tree = readTree(data);
  const prefix = newPrefix();
  const first = options.selected in tree.feature ? options.selected : 0;
  const state = { unfolded: new Set(), selected: first, active: first, found: new Set(), lit: new Map() };
  const parts = build(element, tree, prefix, options);
  const drawing = createDrawing(tree, parts.svg, prefix);
  const app = { tree, state, parts, drawing, options, view: { x: 0, y: 0, scale: 1 }, gone: new AbortController() };
  parts.panel.before(createFollow(tree, prefix, (way) => light(app, way), (node) => goTo(app, node)));
  listen(app);
  showNode(tree, parts.panel, first);
  relayout(app);
  begin(app);
  const watcher = new ResizeObserver(() => (app.begun ? redraw(app) : begin(app)));
  watcher.observe(parts.svg);
  return {
    select: (node) => node !== state.selected && goTo(app, node),
    highlight: (leaves) => highlight(app, leaves),
    destroy: () => {
      app.gone.abort();
      watcher.disconnect();
      stopMotion(app);
      element.replaceChildren();
    },
  };
}

/** What the ids of a tree begin with: no two trees of a page have the same. */
function newPrefix() {
  document[MOUNTED] = (document[MOUNTED] ?? 0) + 1;
  return `bw${document[MOUNTED]}`;
}

/** The first look, as soon as there is a window: a notebook makes its widgets before it shows them. */
function begin(app) {
  app.begun = app.parts.svg.getBoundingClientRect().width > 0;
  if (!app.begun) return;
  app.state.unfolded = whatFits(app);
  relayout(app);
  fit(app, { smooth: false, least: READABLE });
  if (app.state.selected > 0) goTo(app, app.state.selected);
}

// ---- the page

function build(element, tree, prefix, options) {
  const called = (what) => (options.among ? `${what}, ${options.title}` : what); // one of several trees on a page
  const keys = h("p", { class: "keys", id: `${prefix}-keys` }, keysText(options));
  const spoken = { role: "tree", "aria-label": "Decision tree", "aria-describedby": keys.id };
  const svg = s("svg", { class: "canvas", tabindex: 0, ...spoken });
  const typed = { type: "search", class: "search", placeholder: "Search  /", autocomplete: "off" };
  const search = h("input", { ...typed, "aria-label": "Search" });
  const hits = h("span", { class: "hits", role: "status" });
  const tooltip = h("div", { class: "tooltip", role: "tooltip", hidden: true });
  const panel = h("section", { class: "node", "aria-label": called("Node") });
  const button = (name, text, label) =>
    h("button", { type: "button", "data-do": name, "aria-label": label, title: label }, text);
  const about = h("p", {}, h("span", {}, summary(tree)), legend(tree));
  const name = h("div", { class: "name" }, h("h1", {}, options.title || "Decision tree"), about);
  const searching = [search, button("previous", "‹", "Previous match"), button("next", "›", "Next match"), hits];
  const looking = [
    button("smaller", "−", "Zoom out (−)"),
    button("larger", "+", "Zoom in (+)"),
    button("fit", "Fit", "Fit the tree into the window (0)"),
    button("unfold", "Unfold all", "Unfold all nodes"),
    button("fold", "Fold", "Fold to the first levels"),
    button("theme", "◐", "Light or dark"),
  ];
  const whole = h(
    "div",
    { class: "whole" },
    h("header", {}, name, h("div", { class: "tools" }, searching), h("div", { class: "tools" }, looking)),
    h("div", { class: "stage" }, svg, tooltip, keys),
    h("aside", { "aria-label": called("Details") }, panel),
  );
  const root = h("div", { class: options.embedded ? "branchwork embedded" : "branchwork" }, whole);
  element.replaceChildren(root);
  return { root, svg, search, hits, tooltip, panel };
}

/** The classes and their colours, if these tell them apart. */
function legend(tree) {
  if (!tree.labels || tree.colours.includes("fo")) return [];
  return tree.labels.map((text, label) => h("span", { class: "class" }, swatch(tree, label), text));
}

const keysText = ({ embedded }) =>
  `arrows move · Enter selects · Space folds · / searches · + − 0 zoom${embedded ? " · Ctrl + wheel zooms" : ""}`;

/** As much of the tree as can be read at once. */
function whatFits({ tree, parts }) {
  const room = parts.svg.getBoundingClientRect().width / (PITCH.x * READABLE);
  let most = FIRST_NODES;
  let unfolded = firstUnfolded(tree, most);
  while (most > 3 && layout(tree, unfolded).width > room) {
    most = Math.floor(most * 0.8);
    unfolded = firstUnfolded(tree, most);
  }
  return unfolded;
}

// ---- what a reader does

/** Shows a node in the panel. */
function select(app, node) {
  if (!(node >= 0 && node < app.tree.n)) return;
  app.state.active = node;
  if (node !== app.state.selected) {
    app.state.selected = node;
    showNode(app.tree, app.parts.panel, node);
    app.options.onSelect?.(node);
  }
  redraw(app);
}

/** Unfolds the way to a node, shows and selects it. */
function goTo(app, node) {
  if (!(node >= 0 && node < app.tree.n)) return;
  reveal(app, [node]);
  select(app, node);
  bringIntoView(app, node);
}

/** Unfolds all that is above some nodes. */
function reveal(app, nodes) {
  const before = app.state.unfolded.size;
  for (const node of nodes) {
    for (const above of pathTo(app.tree, node).slice(0, -1)) app.state.unfolded.add(above);
  }
  if (app.state.unfolded.size !== before) relayout(app);
}

/** Folds or unfolds a node, which stays where it is on the screen. */
function toggle(app, node) {
  if (isLeaf(app.tree, node)) return;
  const before = corner(app.tree, app.place, node);
  if (!app.state.unfolded.delete(node)) app.state.unfolded.add(node);
  const hides = (other) => !app.state.unfolded.has(node) && pathTo(app.tree, other).slice(0, -1).includes(node);
  if (hides(app.state.active)) app.state.active = node;
  if (hides(app.state.selected)) select(app, node);
  app.place = layout(app.tree, app.state.unfolded);
  const after = corner(app.tree, app.place, node);
  app.view.x += (before.x - after.x) * app.view.scale;
  redraw(app);
}

/** Lights the way of a row, or none. */
function light(app, way) {
  app.state.lit = new Map();
  for (const { node, share } of way ? [...way.steps, ...way.leaves] : []) app.state.lit.set(node, share);
  if (way) reveal(app, way.leaves.slice(0, MOST_REVEALED).map(({ node }) => node));
  redraw(app);
  if (way) bringIntoView(app, way.leaves[0].node);
}

/** Lights the ways to some leaves, given as [leaf, rows]: each as strongly as its part of all rows. None: no light. */
function highlight(app, leaves) {
  const total = leaves.reduce((sum, [, rows]) => sum + rows, 0);
  const lit = new Map();
  for (const [leaf, rows] of leaves) {
    for (const node of pathTo(app.tree, leaf)) lit.set(node, (lit.get(node) ?? 0) + rows / total);
  }
  app.state.lit = lit;
  reveal(app, leaves.slice(0, MOST_REVEALED).map(([leaf]) => leaf));
  if (!leaves.length) {
    redraw(app);
    return;
  }
  fit(app, { smooth: false });
  if (app.view.scale < RECOGNISABLE) bringIntoView(app, leaves[0][0]);
}

/** Nodes that a search finds: #12 is node 12, anything else is looked for in the texts. */
function matchesOf(app, wanted) {
  const { tree } = app;
  if (/^#\d+$/.test(wanted)) return Number(wanted.slice(1)) < tree.n ? [Number(wanted.slice(1))] : [];
  app.texts ??= tree.feature.map((_, node) => searchText(tree, node));
  return wanted ? app.texts.flatMap((text, node) => (text.includes(wanted) ? [node] : [])) : [];
}

/** Goes to the next match, or to the one before. */
function find(app, step) {
  const { state, parts } = app;
  const wanted = parts.search.value.trim().toLowerCase();
  if (wanted !== app.wanted) {
    Object.assign(app, { wanted, matches: matchesOf(app, wanted), match: step < 0 ? 0 : -1 });
    state.found = new Set(app.matches);
  }
  const { matches } = app;
  if (!matches.length) {
    parts.hits.textContent = wanted ? "no match" : "";
    return redraw(app);
  }
  app.match = (app.match + step + matches.length) % matches.length;
  parts.hits.textContent = `${app.match + 1} of ${matches.length}`;
  return goTo(app, matches[app.match]);
}

/** Where an arrow key leads from a node. */
function neighbour(app, node, key) {
  const { tree, state, place } = app;
  if (key === "ArrowUp") return tree.parent[node];
  if (key === "ArrowDown") {
    if (isLeaf(tree, node)) return -1;
    if (!state.unfolded.has(node)) toggle(app, node);
    return childrenOf(tree, node)[0];
  }
  if (key === "Home") return 0;
  const level = place.levels[tree.depth[node]];
  return level[level.indexOf(node) + (key === "ArrowRight" ? 1 : -1)] ?? -1;
}

const ACTIONS = {
  smaller: (app) => zoom(app, 1 / 1.3, undefined, undefined, true),
  larger: (app) => zoom(app, 1.3, undefined, undefined, true),
  fit: (app) => fit(app),
  previous: (app) => find(app, -1),
  next: (app) => find(app, 1),
  theme: (app) => changeTheme(app),
  unfold: (app) => refold(app, new Set(app.tree.feature.flatMap((feature, node) => (feature >= 0 ? [node] : [])))),
  fold: (app) => refold(app, whatFits(app)),
};

function refold(app, unfolded) {
  app.state.unfolded = unfolded;
  const shown = pathTo(app.tree, app.state.active).findIndex((node) => !unfolded.has(node));
  app.state.active = shown < 0 ? app.state.active : pathTo(app.tree, app.state.active)[shown];
  relayout(app);
  fit(app);
}

function changeTheme(app) {
  const { root } = app.parts;
  const scheme = getComputedStyle(root).colorScheme; // of the button, or of the notebook around; otherwise the system's
  const dark = scheme === "light dark" ? matchMedia("(prefers-color-scheme: dark)").matches : scheme === "dark";
  root.dataset.theme = dark ? "light" : "dark";
}

// ---- events

function listen(app) {
  const { root, svg, search } = app.parts;
  root.addEventListener("click", ({ target }) => ACTIONS[target.closest("[data-do]")?.dataset.do]?.(app));
  (app.options.embedded ? root : document).addEventListener("keydown", (event) => {
    if (withCommandKey(event)) return;
    if (app.options.embedded) event.stopPropagation(); // to a notebook, a letter is a command: x cuts the cell
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    search.focus();
  }, { signal: app.gone.signal });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") find(app, event.shiftKey ? -1 : 1);
    if (event.key === "Escape") svg.focus();
  });
  search.addEventListener("input", () => find(app, 1));
  svg.addEventListener("keydown", (event) => onKey(app, event));
  svg.addEventListener("wheel", (event) => onWheel(app, event), { passive: false });
  listenToPointers(app);
}

const withCommandKey = (event) => event.ctrlKey || event.metaKey || event.altKey;

const KEYS = { "+": "larger", "=": "larger", "-": "smaller", "−": "smaller", 0: "fit" };

function onKey(app, event) {
  if (withCommandKey(event)) return;
  const { state } = app;
  if (/^Arrow|^Home$/.test(event.key)) {
    const next = neighbour(app, state.active, event.key);
    if (next >= 0) state.active = next;
    bringIntoView(app, state.active);
  } else if (event.key === "Enter") select(app, state.active);
  else if (event.key === " ") toggle(app, state.active);
  else if (KEYS[event.key]) ACTIONS[KEYS[event.key]](app);
  else return;
  event.preventDefault();
}

function onWheel(app, event) {
  if (app.options.embedded && !event.ctrlKey) return;
  event.preventDefault();
  const box = app.parts.svg.getBoundingClientRect();
  const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
  zoom(app, Math.exp(-pixels * 0.0015), event.clientX - box.left, event.clientY - box.top);
}

const nodeAt = (target) => Number(target.closest?.("[data-node]")?.dataset.node ?? -1);

/** One pointer pans, two pinch; a press that does not move is a click. */
function listenToPointers(app) {
  const { svg, tooltip } = app.parts;
  const down = new Map();
  let travelled = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    down.set(event.pointerId, event);
    travelled = 0;
    tooltip.hidden = true;
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons === 0) down.delete(event.pointerId); // it was let go outside of the drawing
    const before = down.get(event.pointerId);
    if (!before) return showTooltip(app, event);
    travelled += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (travelled > CLICK && !svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    if (travelled > CLICK) drag(app, before, event, [...down.values()]);
    return down.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    svg.addEventListener(end, (event) => down.delete(event.pointerId));
  }
  svg.addEventListener("pointerleave", () => (tooltip.hidden = true));
  svg.addEventListener("click", (event) => {
    const node = nodeAt(event.target);
    const dragged = travelled > CLICK;
    travelled = 0; // a screen reader clicks without a pointer
    if (dragged || node < 0) return;
    if (event.target.closest(".handle")) toggle(app, node);
    else select(app, node);
  });
  svg.addEventListener("dblclick", (event) => {
    const node = nodeAt(event.target);
    if (node >= 0 && !event.target.closest(".handle")) toggle(app, node);
  });
}

function drag(app, before, now, pointers) {
  stopMotion(app);
  if (pointers.length === 1) {
    app.view.x += now.clientX - before.clientX;
    app.view.y += now.clientY - before.clientY;
    redrawSoon(app);
    return;
  }
  const other = pointers.find((pointer) => pointer.pointerId !== now.pointerId);
  const apart = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
  const box = app.parts.svg.getBoundingClientRect();
  zoom(app, apart(now) / (apart(before) || 1), other.clientX - box.left, other.clientY - box.top);
}

function showTooltip(app, event) {
  const { tree } = app;
  const { tooltip, svg } = app.parts;
  const node = nodeAt(event.target);
  tooltip.hidden = node < 0;
  if (node < 0) return;
  const way = node > 0 ? conditionInFull(tree, node) : "all rows";
  const lines = [way, titleOf(tree, node), `${sizeOf(tree, node)} · ${factsOf(tree, node)}`, `node ${node}`];
  tooltip.replaceChildren(...lines.map((line) => h("div", {}, line)));
  const box = svg.getBoundingClientRect();
  const left = Math.min(event.clientX - box.left + 14, box.width - tooltip.offsetWidth - 8);
  const top = Math.min(event.clientY - box.top + 18, box.height - tooltip.offsetHeight - 8);
  tooltip.style.left = `${Math.max(8, left)}px`;
  tooltip.style.top = `${Math.max(8, top)}px`;
}

// ---- a notebook's widget

function render({ model, el }) {
  const onSelect = (node) => {
    model.set("selected", node);
    model.save_changes();
  };
  const [title, selected] = [model.get("title"), model.get("selected")];
  const shown = mount(el, JSON.parse(model.get("data")), { title, embedded: true, selected, onSelect });
  const follow = () => shown.select(model.get("selected"));
  model.on("change:selected", follow);
  return () => {
    model.off("change:selected", follow);
    shown.destroy();
  };
}

export default { render };
