// A tree to look at: pan, zoom, fold, search, hover, select, shade, save, and follow a row. One element, no library.
//
//     mount(element, data, { title, embedded, among, orientation, selected, onSelect })
//         → { select(node), highlight(leaves), destroy() }
//
// The same module is a widget of a notebook (anywidget): its default export has `render`.
import { nodeInAddress, tellAddress } from "./address.mjs";
import { bringIntoView, fit, pan, READABLE, readableRoom, redraw, relayout, stopMotion, zoom } from "./camera.mjs";
import { h } from "../../webpage/assets/common.mjs";
import { createDrawing, familyOf } from "./draw.mjs";
import { everyInnerNode, levelsThatFit } from "./fold.mjs";
import { createFollow } from "./follow.mjs";
import { build } from "./frame.mjs";
import { cardWidthOf, corner, geometryOf } from "./geometry.mjs";
import { createIcicle, drawIcicle } from "./icicle.mjs";
import { layout } from "./layout.mjs";
import { recall, remember } from "./memory.mjs";
import { showNode } from "./panel.mjs";
import { createPlayer, opensInSteps } from "./player.mjs";
import { listenToPrinter } from "./print.mjs";
import { savePicture } from "./save.mjs";
import { BY_VALUE } from "./shade.mjs";
import { childrenOf, isLeaf, pathTo, readTree } from "./walk.mjs";
import { conditionInFull, factsInFull, searchText, sizeOf, titleOf } from "./words.mjs";

const MOST_REVEALED = 50; // leaves of a shared row that are unfolded for it
const RECOGNISABLE = 0.4; // the least scale at which lit leaves are shown all at once
const CLICK = 4; // pixels that a pointer may move in a click

const MOUNTED = Symbol.for("branchwork.mounted"); // in the document: every widget brings a module of its own

/** Shows a tree in an element. */
export function mount(element, data, options = {}) {
  const tree = readTree(data);
  const prefix = newPrefix();
  const asked = options.embedded ? -1 : nodeInAddress(tree);
  const first = asked >= 0 ? asked : options.selected in tree.feature ? options.selected : 0;
  const state = { unfolded: new Set(), selected: first, active: first, found: new Set(), lit: new Map(), shade: null };
  const parts = build(element, tree, prefix, options);
  const drawing = createDrawing(tree, parts.svg, prefix);
  const app = { tree, prefix, state, parts, drawing, options, view: { x: 0, y: 0, scale: 1 }, gone: new AbortController() };
  app.icicle = createIcicle(tree, { onPick: (node) => goTo(app, node), onHover: (node, event) => tell(app, node, event) });
  parts.stage.append(app.icicle.element);
  parts.panel.before(createFollow(tree, prefix, (way) => light(app, way), (node) => goTo(app, node)));
  const player = createPlayer(app, () => ACTIONS.fold(app));
  if (player) parts.panel.parentElement.prepend(player.element);
  listen(app);
  listenToPrinter(app);
  showNode(tree, parts.panel, first);
  orient(app, recall("session", "orientation") ?? options.orientation);
  relayout(app);
  begin(app);
  if (player && opensInSteps(options)) player.start();
  const watcher = new ResizeObserver(() => resized(app));
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
  app.size = undefined;
  app.begun = app.parts.svg.getBoundingClientRect().width > 0;
  if (!app.begun) return;
  orient(app, app.geometry.orientation); // only now the font is known, and with it the width of the cards
  lookAfresh(app, false);
  if (app.state.selected > 0) goTo(app, app.state.selected);
}

/** Unfolds as much as can be read at once, and shows the overview where that is not the whole tree. */
function lookAfresh(app, smooth = true) {
  app.icicle.element.hidden = true;
  app.size = undefined;
  const every = everyInnerNode(app.tree);
  const whole = levelsThatFit(app.tree, app.geometry, readableRoom(app)).size === every.size;
  app.icicle.element.hidden = whole;
  drawIcicle(app.icicle, app.state.shade);
  app.size = undefined; // the overview takes some of the room
  app.state.unfolded = whole ? every : levelsThatFit(app.tree, app.geometry, readableRoom(app));
  relayout(app);
  fit(app, { smooth, least: READABLE });
}

function resized(app) {
  app.size = undefined;
  if (!app.begun) return begin(app);
  drawIcicle(app.icicle, app.state.shade);
  return redraw(app);
}

/** Takes a direction: "TB" from the top down, "LR" from left to right. */
function orient(app, orientation) {
  app.geometry = geometryOf(orientation === "LR" ? "LR" : "TB", cardWidthOf(app.tree, familyOf(app.drawing)));
  const turn = app.parts.root.querySelector("[data-do='turn']");
  turn.setAttribute("aria-pressed", String(app.geometry.orientation === "LR"));
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
    if (!app.options.embedded) tellAddress(node);
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
  const before = corner(app.geometry, app.tree, app.place, node);
  if (!app.state.unfolded.delete(node)) app.state.unfolded.add(node);
  const hides = (other) => !app.state.unfolded.has(node) && pathTo(app.tree, other).slice(0, -1).includes(node);
  if (hides(app.state.active)) app.state.active = node;
  if (hides(app.state.selected)) select(app, node);
  app.place = layout(app.tree, app.state.unfolded);
  const after = corner(app.geometry, app.tree, app.place, node);
  app.view.x += (before.x - after.x) * app.view.scale;
  app.view.y += (before.y - after.y) * app.view.scale;
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

/** What an arrow key means where the tree grows to the right. */
const TURNED_KEYS = { ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight", ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown" };

/** Where an arrow key leads from a node. */
function neighbour(app, node, pressed) {
  const { tree, state, place, geometry } = app;
  const key = (geometry.orientation === "LR" && TURNED_KEYS[pressed]) || pressed;
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
  unfold: (app) => unfoldAll(app),
  fold: (app) => fold(app),
  turn: (app) => turn(app),
  save: (app) => openMenu(app, app.parts.menu.hidden),
  "svg-seen": (app) => save(app, "svg", "seen"),
  "svg-whole": (app) => save(app, "svg", "whole"),
  "png-seen": (app) => save(app, "png", "seen"),
  "png-whole": (app) => save(app, "png", "whole"),
  print: () => window.print(),
};

/** Unfolds all nodes. The text stays as large as can be read; what has no room is reached by scrolling. */
function unfoldAll(app) {
  app.state.unfolded = everyInnerNode(app.tree);
  relayout(app);
  fit(app, { smooth: false, least: READABLE });
  if (app.state.selected > 0) bringIntoView(app, app.state.selected);
}

function fold(app) {
  lookAfresh(app);
  const path = pathTo(app.tree, app.state.active);
  const shown = path.findIndex((node) => !app.state.unfolded.has(node));
  if (shown >= 0) app.state.active = path[shown];
  redraw(app);
}

/** Turns the tree from top-down to left-to-right or back, for the rest of the session. */
function turn(app) {
  orient(app, app.geometry.orientation === "LR" ? "TB" : "LR");
  remember("session", "orientation", app.geometry.orientation);
  lookAfresh(app, false);
  if (app.state.selected > 0) {
    reveal(app, [app.state.selected]);
    bringIntoView(app, app.state.selected);
  }
}

/** Shades the tree by a class or by the value; the same choice again ends it. */
function shadeBy(app, chosen) {
  const shade = chosen === BY_VALUE ? BY_VALUE : Number(chosen);
  app.state.shade = shade === app.state.shade ? null : shade;
  for (const choice of app.parts.legend.querySelectorAll("[data-shade]")) {
    choice.setAttribute("aria-pressed", String(choice.dataset.shade === String(app.state.shade)));
  }
  drawIcicle(app.icicle, app.state.shade);
  redraw(app);
}

/** Saves a picture. One of a large tree takes some seconds, so the button says what is going on. */
async function save(app, kind, part) {
  const button = app.parts.root.querySelector("[data-do='save']");
  button.textContent = "Saving…";
  await new Promise((done) => setTimeout(done, 20));
  try {
    await savePicture(app, kind, part);
    button.textContent = "Save";
  } catch (error) {
    button.textContent = "Not saved";
    button.title = error.message;
  }
}

function openMenu(app, open) {
  app.parts.menu.hidden = !open;
  app.parts.root.querySelector("[data-do='save']").setAttribute("aria-expanded", String(open));
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
  root.addEventListener("click", ({ target }) => {
    const action = target.closest("[data-do]")?.dataset.do;
    const chosen = target.closest("[data-shade]")?.dataset.shade;
    ACTIONS[action]?.(app);
    if (chosen !== undefined) shadeBy(app, chosen);
    if (action !== "save") openMenu(app, false);
  });
  root.addEventListener("keydown", ({ key }) => key === "Escape" && openMenu(app, false));
  if (!app.options.embedded) {
    const follow = () => nodeInAddress(app.tree) >= 0 && goTo(app, nodeInAddress(app.tree));
    window.addEventListener("hashchange", follow, { signal: app.gone.signal });
  }
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

/**
 * A wheel scrolls, in both directions, and zooms with Ctrl; a pinch on a touchpad comes as a wheel with Ctrl. In a
 * notebook an upright wheel scrolls the notebook, and only a sideways one moves the tree.
 */
function onWheel(app, event) {
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
  const zooms = event.ctrlKey || event.metaKey;
  if (app.options.embedded && !zooms && Math.abs(dy) >= Math.abs(dx)) return;
  event.preventDefault();
  if (!zooms) return pan(app, -dx, app.options.embedded ? 0 : -dy);
  const box = app.parts.svg.getBoundingClientRect();
  const pinch = event.deltaMode === 0 && Math.abs(dy) < 30; // a finger moves by little; a wheel clicks by much
  return zoom(app, Math.exp(-dy * (pinch ? 0.01 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
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
    if (!before) return tell(app, nodeAt(event.target), event);
    travelled += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (travelled > CLICK && !svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    if (travelled > CLICK) drag(app, before, event, [...down.values()]);
    return down.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (event) => down.delete(event.pointerId));
  // A finger belongs to the card that it touches until the drawing takes it over: that is no end.
  svg.addEventListener("lostpointercapture", (event) => event.target === svg && down.delete(event.pointerId));
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
  if (pointers.length === 1) return pan(app, now.clientX - before.clientX, now.clientY - before.clientY);
  const other = pointers.find((pointer) => pointer.pointerId !== now.pointerId);
  const apart = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
  const box = app.parts.svg.getBoundingClientRect();
  return zoom(app, apart(now) / (apart(before) || 1), other.clientX - box.left, other.clientY - box.top);
}

/** Tells of a node what its card has no room for. */
function tell(app, node, event) {
  const { tree } = app;
  const { tooltip, svg } = app.parts;
  tooltip.hidden = node < 0;
  if (node < 0) return;
  const way = node > 0 ? conditionInFull(tree, node) : "all rows";
  const lines = [way, titleOf(tree, node), sizeOf(tree, node), ...factsInFull(tree, node), `node ${node}`];
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
  const [title, selected, orientation] = ["title", "selected", "orientation"].map((name) => model.get(name));
  const shown = mount(el, JSON.parse(model.get("data")), { title, embedded: true, orientation, selected, onSelect });
  const follow = () => shown.select(model.get("selected"));
  model.on("change:selected", follow);
  return () => {
    model.off("change:selected", follow);
    shown.destroy();
  };
}

export default { render };
