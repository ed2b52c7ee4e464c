// The divider between the drawing and the panel: dragged, or moved by the arrow keys. Its place is remembered.
import { h } from "../../webpage/assets/common.mjs";
import { recall, remember } from "./memory.mjs";

const NARROWEST_PANEL = 260;
const WIDEST_PART = 0.7; // of the page
const STEP = 24; // pixels per press of an arrow key
const KEPT = "panel";

/** Makes the divider of a page. `root` holds the width as --panel; `aside` is the panel. */
export function createDivider(root, aside, name) {
  const divider = h("div", {
    class: "divider",
    role: "separator",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": name,
    "aria-valuemin": NARROWEST_PANEL,
  });
  const widest = () => Math.max(NARROWEST_PANEL, Math.round(root.clientWidth * WIDEST_PART));
  const widen = (width) => {
    const now = Math.round(Math.min(widest(), Math.max(NARROWEST_PANEL, width)));
    root.style.setProperty("--panel", `${now}px`);
    remember("always", KEPT, String(now));
    tell();
  };
  const tell = () => {
    divider.setAttribute("aria-valuemax", widest());
    divider.setAttribute("aria-valuenow", Math.round(aside.getBoundingClientRect().width) || NARROWEST_PANEL);
  };
  const kept = Number(recall("always", KEPT));
  if (kept >= NARROWEST_PANEL) root.style.setProperty("--panel", `min(${kept}px, ${100 * WIDEST_PART}%)`);
  tell();
  divider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // no text is selected on the way
    divider.focus();
    divider.setPointerCapture(event.pointerId);
  });
  divider.addEventListener("pointermove", (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    widen(aside.getBoundingClientRect().right - event.clientX - divider.offsetWidth / 2);
  });
  divider.addEventListener("dblclick", () => {
    root.style.removeProperty("--panel");
    remember("always", KEPT, "");
    tell();
  });
  divider.addEventListener("focus", tell);
  divider.addEventListener("keydown", (event) => {
    const width = aside.getBoundingClientRect().width;
    const goal = { ArrowLeft: width + STEP, ArrowRight: width - STEP, Home: NARROWEST_PANEL, End: widest() }[event.key];
    if (goal === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    widen(goal);
  });
  return divider;
}
