// The view: which part of the drawing is in the window, and how large. `app` is what tree.mjs makes of a page.
import { draw } from "./draw.mjs";
import { corner, extent, middle, SMALLEST_FONT } from "./geometry.mjs";
import { layout } from "./layout.mjs";
import { drawWindow } from "./icicle.mjs";

const SMALLEST = 0.02;
const LARGEST = 3;
export const READABLE = 11 / SMALLEST_FONT; // text of a card that is asked for has at least 11 pixels
const LARGEST_FIT = 1.25;
const MARGIN = 28;
const BELOW = 16; // more room below, where the keys are listed
const DURATION = 180; // of a movement, in milliseconds

/** Lays the visible nodes out anew. */
export function relayout(app) {
  app.place = layout(app.tree, app.state.unfolded);
  redraw(app);
}

export function redraw(app) {
  draw(app.drawing, app.place, app.geometry, app.view, sizeOfWindow(app), app.state);
  drawWindow(app);
}

/** Width and height of the window; measured once, since the page tells when it changes. */
export function sizeOfWindow(app) {
  app.size ??= (({ width, height }) => ({ width, height }))(app.parts.svg.getBoundingClientRect());
  return app.size;
}

/** Redraws once before the next frame, however often it is asked for. */
export function redrawSoon(app) {
  app.waiting ??= requestAnimationFrame(() => {
    app.waiting = undefined;
    redraw(app);
  });
}

/** Ends a movement, and forgets a redrawing that was asked for. */
export function stopMotion(app) {
  cancelAnimationFrame(app.motion);
  cancelAnimationFrame(app.waiting);
  app.waiting = undefined;
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Moves the view, smoothly where motion is welcome. */
function moveView(app, goal, smooth = true) {
  stopMotion(app);
  if (!smooth || calm()) {
    app.view = goal;
    redraw(app);
    return;
  }
  const start = { ...app.view };
  const begin = performance.now();
  const step = (now) => {
    const t = Math.min(1, Math.max(0, now - begin) / DURATION);
    const eased = t * (2 - t);
    for (const key of ["x", "y", "scale"]) app.view[key] = start[key] + (goal[key] - start[key]) * eased;
    redraw(app);
    if (t < 1) app.motion = requestAnimationFrame(step);
  };
  app.motion = requestAnimationFrame(step);
}

/** How much of a drawing can be read at once: its width and height at scale 1. */
export function readableRoom(app) {
  const { width, height } = roomFor(app);
  return { width: width / READABLE, height: height / READABLE };
}

/** The window without margins: wider ones where the tree begins and ends than at its sides. */
function roomFor(app) {
  const { width, height } = sizeOfWindow(app);
  const [across, upright] = app.geometry.orientation === "LR" ? [2 * MARGIN, MARGIN] : [MARGIN, 2 * MARGIN + BELOW];
  return { width: Math.max(1, width - across), height: Math.max(1, height - upright) };
}

/**
 * Puts the whole tree into the window, as far as it can be shown at the least scale. What is larger than the window
 * begins at its edge, with the root in sight.
 */
export function fit(app, { smooth = true, least = SMALLEST } = {}) {
  app.size = undefined; // what is beside the drawing may have changed
  const { width, height } = sizeOfWindow(app);
  const whole = extent(app.geometry, app.place);
  const room = roomFor(app);
  const scale = Math.max(least, Math.min(room.width / whole.width, room.height / whole.height, LARGEST_FIT));
  const root = middle(app.geometry, app.tree, app.place, 0);
  const isAcross = app.geometry.orientation === "LR";
  // Along its depth a tree begins a little after the edge, and across it stands in the middle.
  const along = (room, size) => MARGIN + Math.min(62, Math.max(0, room - size - 2 * MARGIN - BELOW) / 3);
  const between = (room, size, at) => (size > room ? room / 2 - at : (room - size) / 2);
  const [wide, high] = [whole.width * scale, whole.height * scale];
  const x = isAcross ? along(width, wide) : between(width, wide, root.x * scale);
  const y = isAcross ? between(height, high, root.y * scale) : along(height, high);
  moveView(app, { x, y, scale }, smooth);
}

const clamp = (scale) => Math.min(LARGEST, Math.max(SMALLEST, scale));

/** Moves the drawing by some pixels. */
export function pan(app, dx, dy) {
  stopMotion(app);
  app.view.x += dx;
  app.view.y += dy;
  redrawSoon(app);
}

/** Zooms about a point of the window: its middle, if none is given. */
export function zoom(app, factor, x, y, smooth = false) {
  const box = sizeOfWindow(app);
  const at = { x: x ?? box.width / 2, y: y ?? box.height / 2 };
  const scale = clamp(app.view.scale * factor);
  const grown = scale / app.view.scale;
  moveView(app, { x: at.x - (at.x - app.view.x) * grown, y: at.y - (at.y - app.view.y) * grown, scale }, smooth);
}

/** Moves the view, if need be, so that a card is in the middle. */
export function bringIntoView(app, node) {
  const { width, height } = sizeOfWindow(app);
  const { card } = app.geometry;
  const { x, y } = corner(app.geometry, app.tree, app.place, node);
  const scale = Math.max(app.view.scale, READABLE);
  const [left, top] = [app.view.x + x * scale, app.view.y + y * scale];
  const across = left >= 8 && left + card.width * scale <= width - 8;
  const upright = top >= 24 && top + card.height * scale <= height - 24;
  if (scale === app.view.scale && across && upright) return redraw(app);
  const at = middle(app.geometry, app.tree, app.place, node);
  return moveView(app, { x: width / 2 - at.x * scale, y: height / 2 - at.y * scale, scale });
}
