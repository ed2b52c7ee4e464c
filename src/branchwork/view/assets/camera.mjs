// The view: which part of the drawing is in the window, and how large. `app` is what tree.mjs makes of a page.
import { CARD, corner, draw, PITCH } from "./draw.mjs";
import { layout } from "./layout.mjs";

const SMALLEST = 0.02;
const LARGEST = 3;
export const READABLE = 0.65; // a card that is asked for is at least so large
const LARGEST_FIT = 1.15;
const MARGIN = 28;
const DURATION = 180; // of a movement, in milliseconds

/** Lays the visible nodes out anew. */
export function relayout(app) {
  app.place = layout(app.tree, app.state.unfolded);
  redraw(app);
}

export function redraw(app) {
  draw(app.drawing, app.place, app.view, app.state);
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

/** Puts the whole tree into the window, as far as it can be shown at the least scale. */
export function fit(app, { smooth = true, least = SMALLEST } = {}) {
  const { width, height } = app.parts.svg.getBoundingClientRect();
  const wide = app.place.width * PITCH.x - (PITCH.x - CARD.width);
  const high = app.place.levels.length * PITCH.y - (PITCH.y - CARD.height);
  const scale = Math.max(least, Math.min((width - 2 * MARGIN) / wide, (height - 2.6 * MARGIN) / high, LARGEST_FIT));
  const centre = wide * scale > width ? corner(app.tree, app.place, 0).x + CARD.width / 2 : wide / 2;
  const top = Math.min(MARGIN * 1.6, Math.max(MARGIN, (height - high * scale) / 3));
  moveView(app, { x: width / 2 - centre * scale, y: top, scale }, smooth);
}

const clamp = (scale) => Math.min(LARGEST, Math.max(SMALLEST, scale));

/** Zooms about a point of the window: its middle, if none is given. */
export function zoom(app, factor, x, y, smooth = false) {
  const box = app.parts.svg.getBoundingClientRect();
  const at = { x: x ?? box.width / 2, y: y ?? box.height / 2 };
  const scale = clamp(app.view.scale * factor);
  const grown = scale / app.view.scale;
  moveView(app, { x: at.x - (at.x - app.view.x) * grown, y: at.y - (at.y - app.view.y) * grown, scale }, smooth);
}

/** Moves the view, if need be, so that a card is in the middle. */
export function bringIntoView(app, node) {
  const { width, height } = app.parts.svg.getBoundingClientRect();
  const { x, y } = corner(app.tree, app.place, node);
  const scale = Math.max(app.view.scale, READABLE);
  const [left, top] = [app.view.x + x * scale, app.view.y + y * scale];
  const across = left >= 8 && left + CARD.width * scale <= width - 8;
  const upright = top >= 24 && top + CARD.height * scale <= height - 24;
  if (scale === app.view.scale && across && upright) return redraw(app);
  const goal = { x: width / 2 - (x + CARD.width / 2) * scale, y: height / 2 - (y + CARD.height / 2) * scale, scale };
  return moveView(app, goal);
}
