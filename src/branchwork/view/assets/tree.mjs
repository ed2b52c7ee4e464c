// A tree to look at: pan, zoom, fold, search, hover, select, and follow a row. One element, no library.
//
//     mount(element, data, { title, embedded, selected, onSelect })   → { select(node), destroy() }
//
// The same module is a widget of a notebook (anywidget): its default export has `render`.
import { h, PALETTE, s, swatch } from "./dom.mjs";
import { CARD, corner, createDrawing, draw, PITCH } from "./draw.mjs";
import { createFollow } from "./follow.mjs";
import { firstUnfolded, layout } from "./layout.mjs";
import { showNode } from "./panel.mjs";
import { childrenOf, isLeaf, pathTo, readTree } from "./walk.mjs";
import { factsOf, searchText, sizeOf, conditionInFull, summary, titleOf } from "./words.mjs";

const FIRST_NODES = 100;
const FIRST_SCALE = 0.65; // at first so much is unfolded as can be read
const SMALLEST = 0.02;
const LARGEST = 3;
const MARGIN = 28;
const CLICK = 4; // pixels that a pointer may move in a click

let mounted = 0;

export function mount(element, data, options = {}) {
  const tree = readTree(data);
  const prefix = `bw${++mounted}`;
  const state = { unfolded: new Set(), selected: -1, active: 0, found: new Set(), lit: new Map() };
  const parts = build(element, tree, prefix, options);
  const drawing = createDrawing(tree, parts.svg, prefix);
  const app = { tree, state, parts, drawing, options, view: { x: 0, y: 0, scale: 1 }, place: null, gone: new AbortController() };
  state.unfolded = whatFits(app);
  parts.panel.before(createFollow(tree, prefix, (way) => light(app, way), (node) => goTo(app, node)));
  listen(app);
  relayout(app);
  fit(app, { smooth: false, least: FIRST_SCALE });
  select(app, options.selected ?? 0);
  const watcher = new ResizeObserver(() => redraw(app));
  watcher.observe(parts.svg);
  return {
    select: (node) => node !== state.selected && goTo(app, node),
    destroy: () => (app.gone.abort(), watcher.disconnect(), element.replaceChildren()),
  };
}

// ---- the page

function build(element, tree, prefix, options) {
  const svg = s("svg", { class: "canvas", role: "tree", tabindex: 0, "aria-label": "Decision tree", "aria-describedby": `${prefix}-keys` });
  const search = h("input", { type: "search", class: "search", "aria-label": "Search", placeholder: "Search  /", autocomplete: "off" });
  const hits = h("span", { class: "hits", role: "status" });
  const tooltip = h("div", { class: "tooltip", role: "tooltip", hidden: true });
  const panel = h("section", { class: "node", "aria-label": "Node" });
  const button = (name, text, label) => h("button", { type: "button", "data-do": name, "aria-label": label, title: label }, text);
  const root = h(
    "div",
    { class: options.embedded ? "branchwork embedded" : "branchwork" },
    h(
      "header",
      {},
      h("div", { class: "name" }, h("h1", {}, options.title ?? "Decision tree"), h("p", {}, h("span", {}, summary(tree)), legend(tree))),
      h("div", { class: "tools" }, search, button("previous", "‹", "Previous match"), button("next", "›", "Next match"), hits),
      h(
        "div",
        { class: "tools" },
        button("smaller", "−", "Zoom out (−)"),
        button("larger", "+", "Zoom in (+)"),
        button("fit", "Fit", "Fit the tree into the window (0)"),
        button("unfold", "Unfold all", "Unfold all nodes"),
        button("fold", "Fold", "Fold to the first levels"),
        button("theme", "◐", "Light or dark"),
      ),
    ),
    h("div", { class: "stage" }, svg, tooltip, h("p", { class: "keys", id: `${prefix}-keys` }, keysText(options))),
    h("aside", { "aria-label": "Details" }, panel),
  );
  element.replaceChildren(root);
  return { root, svg, search, hits, tooltip, panel };
}

/** The classes and their colours, if these tell them apart. */
function legend(tree) {
  if (!tree.labels || tree.labels.length > PALETTE.length) return [];
  return tree.labels.map((text, label) => h("span", { class: "class" }, swatch(label), text));
}

const keysText = (options) =>
  `arrows move · Enter selects · Space folds · / searches · + − 0 zoom${options.embedded ? " · Ctrl + wheel zooms" : ""}`;

/** As much of the tree as can be read at once. */
function whatFits({ tree, parts }) {
  const room = parts.svg.getBoundingClientRect().width / (PITCH.x * FIRST_SCALE);
  let most = FIRST_NODES;
  let unfolded = firstUnfolded(tree, most);
  while (most > 3 && layout(tree, unfolded).width > room) {
    most = Math.floor(most * 0.8);
    unfolded = firstUnfolded(tree, most);
  }
  return unfolded;
}

// ---- drawing

function relayout(app) {
  app.place = layout(app.tree, app.state.unfolded);
  redraw(app);
}

function redraw(app) {
  draw(app.drawing, app.place, app.view, app.state);
}

/** Redraws once before the next frame, however often it is asked for. */
function redrawSoon(app) {
  app.waiting ??= requestAnimationFrame(() => {
    app.waiting = undefined;
    redraw(app);
  });
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Moves the view, smoothly where motion is welcome. */
function moveView(app, goal, smooth = true) {
  cancelAnimationFrame(app.motion);
  if (!smooth || calm()) {
    app.view = goal;
    redraw(app);
    return;
  }
  const start = { ...app.view };
  const begin = performance.now();
  const step = (now) => {
    const t = Math.min(1, Math.max(0, now - begin) / 180);
    const eased = t * (2 - t);
    for (const key of ["x", "y", "scale"]) app.view[key] = start[key] + (goal[key] - start[key]) * eased;
    redraw(app);
    if (t < 1) app.motion = requestAnimationFrame(step);
  };
  app.motion = requestAnimationFrame(step);
}

function fit(app, { smooth = true, least = SMALLEST } = {}) {
  const { width, height } = app.parts.svg.getBoundingClientRect();
  const wide = app.place.width * PITCH.x - (PITCH.x - CARD.width);
  const high = app.place.levels.length * PITCH.y - (PITCH.y - CARD.height);
  const scale = Math.max(least, Math.min((width - 2 * MARGIN) / wide, (height - 2.6 * MARGIN) / high, 1.15));
  const centre = wide * scale > width ? corner(app.tree, app.place, 0).x + CARD.width / 2 : wide / 2;
  moveView(app, { x: width / 2 - centre * scale, y: Math.min(MARGIN * 1.6, Math.max(MARGIN, (height - high * scale) / 3)), scale }, smooth);
}

const clamp = (scale) => Math.min(LARGEST, Math.max(SMALLEST, scale));

function zoom(app, factor, x, y, smooth = false) {
  const box = app.parts.svg.getBoundingClientRect();
  const at = { x: x ?? box.width / 2, y: y ?? box.height / 2 };
  const scale = clamp(app.view.scale * factor);
  const grown = scale / app.view.scale;
  moveView(app, { x: at.x - (at.x - app.view.x) * grown, y: at.y - (at.y - app.view.y) * grown, scale }, smooth);
}

/** Moves the view so that a card is inside it; far away, so that it is in the middle. */
function bringIntoView(app, node, smooth = true) {
  const { width, height } = app.parts.svg.getBoundingClientRect();
  const { x, y } = corner(app.tree, app.place, node);
  const scale = Math.max(app.view.scale, 0.45);
  const view = scale === app.view.scale ? app.view : { x: NaN, y: NaN, scale };
  const [left, top] = [view.x + x * scale, view.y + y * scale];
  const inside = left >= 8 && left + CARD.width * scale <= width - 8 && top >= 24 && top + CARD.height * scale <= height - 24;
  if (inside) return redraw(app);
  const goal = { x: width / 2 - (x + CARD.width / 2) * scale, y: height / 2 - (y + CARD.height / 2) * scale, scale };
  return moveView(app, goal, smooth);
}

// ---- what a reader does

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

function reveal(app, nodes) {
  const before = app.state.unfolded.size;
  for (const node of nodes) {
    for (let at = app.tree.parent[node]; at >= 0 && !app.state.unfolded.has(at); at = app.tree.parent[at]) {
      app.state.unfolded.add(at);
    }
  }
  if (app.state.unfolded.size !== before) relayout(app);
}

/** Folds or unfolds a node, which stays where it is on the screen. */
function toggle(app, node) {
  if (isLeaf(app.tree, node)) return;
  const before = corner(app.tree, app.place, node);
  if (!app.state.unfolded.delete(node)) app.state.unfolded.add(node);
  for (const kept of ["active", "selected"]) {
    if (pathTo(app.tree, app.state[kept]).slice(0, -1).includes(node) && !app.state.unfolded.has(node)) select(app, node);
  }
  app.place = layout(app.tree, app.state.unfolded);
  const after = corner(app.tree, app.place, node);
  app.view.x += (before.x - after.x) * app.view.scale;
  redraw(app);
}

function light(app, way) {
  app.state.lit = new Map();
  for (const { node, share } of way ? [...way.steps, ...way.leaves] : []) app.state.lit.set(node, share);
  if (way) reveal(app, way.leaves.slice(0, 50).map(({ node }) => node));
  redraw(app);
  if (way) bringIntoView(app, way.leaves[0].node);
}

/** Nodes that a search finds: #12 is node 12, anything else is looked for in the texts. */
function matchesOf(app, wanted) {
  const { tree } = app;
  if (/^#\d+$/.test(wanted)) return Number(wanted.slice(1)) < tree.n ? [Number(wanted.slice(1))] : [];
  app.texts ??= tree.feature.map((_, node) => searchText(tree, node));
  return wanted ? app.texts.flatMap((text, node) => (text.includes(wanted) ? [node] : [])) : [];
}

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
  const { dataset } = app.parts.root;
  const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = dark ? "light" : "dark";
}

// ---- events

function listen(app) {
  const { root, svg, search } = app.parts;
  root.addEventListener("click", ({ target }) => ACTIONS[target.closest("[data-do]")?.dataset.do]?.(app));
  (app.options.embedded ? root : document).addEventListener("keydown", (event) => {
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

const KEYS = { "+": "larger", "=": "larger", "-": "smaller", "−": "smaller", 0: "fit" };

function onKey(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
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
    if (travelled > CLICK || node < 0) return;
    if (event.target.closest(".handle")) toggle(app, node);
    else select(app, node);
  });
  svg.addEventListener("dblclick", (event) => {
    const node = nodeAt(event.target);
    if (node >= 0 && !event.target.closest(".handle")) toggle(app, node);
  });
}

function drag(app, before, now, pointers) {
  cancelAnimationFrame(app.motion);
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
  const lines = [node > 0 ? conditionInFull(tree, node) : "all rows", titleOf(tree, node), `${sizeOf(tree, node)} · ${factsOf(tree, node)}`, `node ${node}`];
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
  const title = model.get("title");
  const shown = mount(el, model.get("data"), { title, embedded: true, selected: model.get("selected"), onSelect });
  const follow = () => shown.select(model.get("selected"));
  model.on("change:selected", follow);
  return () => {
    model.off("change:selected", follow);
    shown.destroy();
  };
}

export default { render };
