// Step by step: the buttons and keys that walk through the growth of a tree, on the stage and in the panel.
import { h, s } from "../../webpage/assets/common.mjs";
import { bringIntoView, fit, READABLE, redraw, relayout } from "./camera.mjs";
import { growthSteps, openAt, stepContent } from "./growth.mjs";

const PAUSE = 1800; // milliseconds that every step is shown while it plays
const READING = 550; // and as much more for each line
const SETTLED = 260; // milliseconds after which the view has come to rest
const EDGE = 28; // pixels between a card and the edge of the stage: its label is above it
const MARGIN_BELOW = 16;

const ICONS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M12 2v12L3 8z",
  play: "M4 2v12l10-6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  next: "M3 2v12l8-6zM11 2h2v12h-2z",
  node: "M1 3v10l6-5zM7 3v10l6-5zM13 3h2v10h-2z",
  leave: "M3 4.4 4.4 3 8 6.6 11.6 3 13 4.4 9.4 8l3.6 3.6-1.4 1.4L8 9.4 4.4 13 3 11.6 6.6 8z",
};

const icon = (name) => s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

/** Makes the player of a page; null where the tree did not keep its working. `onLeave` shows the whole tree again. */
export function createPlayer(app, onLeave) {
  const { tree } = app;
  if (!tree.working || !Object.keys(tree.working.pages).length) return null;
  const state = { steps: null, at: 0, timer: 0 };
  const named = app.options.among ? `Step by step, ${app.options.title}` : "Step by step"; // one of several trees
  const content = h("div", { class: "step", "aria-live": "polite" });
  const button = (name, label, click) => h("button", { type: "button", "aria-label": label, title: label, click }, icon(name));
  const count = h("span", { class: "count" });
  const play = button("play", "Play (Space)", () => (state.timer ? pause() : run()));
  const line = h("div", { class: "progress", "aria-hidden": "true" }, h("span", {}));
  const bar = h(
    "div",
    { class: "controls", role: "toolbar", "aria-label": named },
    button("first", "Start again (Home)", () => go(0)),
    button("back", "Back (←)", () => go(state.at - 1)),
    play,
    button("next", "Next (→)", () => go(state.at + 1)),
    button("node", "Next node (Page Down)", () => go(nextNode())),
    count,
    button("leave", "Leave step by step (Escape)", () => leave()),
  );
  const opener = h("button", { type: "button", class: "opener", click: () => start() }, "▶ Step by step");
  const element = h("section", { class: "player", "aria-label": named }, opener, bar, line, content);

  function start() {
    state.steps ??= growthSteps(tree);
    app.parts.root.querySelector(".whole").classList.add("stepping");
    tree.undecided = (node) => !hasChosen(state.steps[state.at], node);
    go(0);
  }

  function leave() {
    pause();
    app.parts.root.querySelector(".whole").classList.remove("stepping");
    tree.undecided = undefined;
    onLeave();
    opener.focus();
  }

  function go(at) {
    if (!isOn()) return;
    if (at !== state.at + 1) pause();
    state.at = Math.max(0, Math.min(state.steps.length - 1, at));
    const step = state.steps[state.at];
    count.textContent = `${state.at + 1} of ${state.steps.length}`;
    line.firstChild.style.width = `${(100 * (state.at + 1)) / state.steps.length}%`;
    content.replaceChildren(...stepContent(tree, step));
    content.scrollTop = 0;
    showStage(app, step);
  }

  function nextNode() {
    const at = state.steps.findIndex(({ kind }, k) => k > state.at && (kind === "node" || kind === "end"));
    return at < 0 ? state.steps.length - 1 : at;
  }

  function run() {
    if (state.at === state.steps.length - 1) go(0);
    showPlay("pause", "Pause (Space)");
    const wait = () => PAUSE + READING * content.querySelectorAll(".equations > div, li, tr").length;
    const tick = () => {
      go(state.at + 1);
      if (state.at < state.steps.length - 1) state.timer = setTimeout(tick, wait());
      else pause();
    };
    state.timer = setTimeout(tick, PAUSE / 2);
  }

  function pause() {
    clearTimeout(state.timer);
    state.timer = 0;
    showPlay("play", "Play (Space)");
  }

  function showPlay(name, label) {
    play.replaceChildren(icon(name));
    play.setAttribute("aria-label", label);
    play.title = label;
  }

  const isOn = () => app.parts.root.querySelector(".whole").classList.contains("stepping");
  const keys = {
    ArrowRight: () => go(state.at + 1),
    ArrowLeft: () => go(state.at - 1),
    PageDown: () => go(nextNode()),
    Home: () => go(0),
    " ": () => play.click(),
    Escape: leave,
  };
  (app.options.embedded ? app.parts.root : document).addEventListener("keydown", (event) => {
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.target.closest?.("input, textarea, select, pre") || (event.key === " " && event.target.closest?.("button, summary"))) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }, { signal: app.gone.signal, capture: true });
  app.parts.svg.addEventListener("click", ({ target }) => {
    if (isOn() && target.closest?.("[data-node]")) leave();
  });
  app.gone.signal.addEventListener("abort", pause);
  return { element, start };
}

/** Whether a node has chosen its feature in a step. */
const hasChosen = ({ kind, node: now }, node) =>
  kind === "end" || node < now || (node === now && (kind === "choose" || kind === "split"));

/** Whether a page is to open step by step: it was made so, or its address says so. */
export const opensInSteps = (options) => options.start === "steps" || (!options.among && location.hash === "#steps");

/** Shows on the stage what is there in a step, with its node in sight and, after a split, its children. */
function showStage(app, step) {
  const { state, tree } = app;
  const unfolded = new Set(openAt(tree, step));
  Object.assign(state, { unfolded, selected: step.node, active: step.node, lit: new Map(), found: new Set() });
  relayout(app);
  fit(app, { smooth: false, least: READABLE });
  bringIntoView(app, step.node);
  if (step.kind !== "split") return;
  showChildren(app, step.node);
  setTimeout(() => state.selected === step.node && showChildren(app, step.node), SETTLED); // after a smooth movement
}

/** Moves the view so far that a node's children are in sight below it, or beside it, as far as it stays in sight. */
function showChildren(app, node) {
  const { svg } = app.parts;
  const boxOf = (at) => svg.querySelector(`[data-node="${at}"]`)?.getBoundingClientRect();
  const [own, child, stage] = [boxOf(node), boxOf(app.tree.first_child[node]), svg.getBoundingClientRect()];
  if (!own || !child) return;
  const missing = (end, start) => Math.max(0, Math.min(child[end] - stage[end] + MARGIN_BELOW, own[start] - stage[start] - EDGE));
  app.view = { ...app.view, x: app.view.x - missing("right", "left"), y: app.view.y - missing("bottom", "top") };
  redraw(app);
}
