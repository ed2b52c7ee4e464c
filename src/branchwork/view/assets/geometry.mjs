// Sizes and directions: from places of the layout, which are counted in cards, to pixels of the drawing.
//
//     TB: breadth runs to the right, depth downwards      LR: depth runs to the right, breadth downwards
import { widthOf } from "./dom.mjs";
import { factsOf, rowsText, titleOf } from "./words.mjs";

export const INSET = 9; // between the edge of a card and its text
export const FONTS = { title: "650 13px", facts: "12px", label: "12px" }; // as in tree.css
export const SMALLEST_FONT = 12;
const NARROWEST_CARD = 106;
const WIDEST_TITLE = 150; // long names of columns are cut sooner than numbers
const WIDEST_CARD = 190;
const CARD_HEIGHT = 74;
const SAMPLE = 300; // nodes whose text decides how wide the cards are
const GAPS = { TB: { breadth: 8, depth: 62 }, LR: { breadth: 14, depth: 128 } };

/** The sizes of a drawing: { orientation, card: { width, height }, step: { breadth, depth } }. */
export function geometryOf(orientation, cardWidth) {
  const card = { width: cardWidth, height: CARD_HEIGHT };
  const [broad, deep] = orientation === "LR" ? [card.height, card.width] : [card.width, card.height];
  const gap = GAPS[orientation];
  return { orientation, card, gap, step: { breadth: broad + gap.breadth, depth: deep + gap.depth } };
}

/** How wide cards must be for the text of the first nodes, within limits. */
export function cardWidthOf(tree, family) {
  let [title, facts] = [0, 0];
  for (let node = 0; node < Math.min(tree.n, SAMPLE); node++) {
    const dot = tree.feature[node] < 0 && tree.labels ? 15 : 0;
    title = Math.max(title, dot + widthOf(titleOf(tree, node), `${FONTS.title} ${family}`));
    for (const text of [rowsText(tree, node), factsOf(tree, node)]) {
      facts = Math.max(facts, widthOf(text, `${FONTS.facts} ${family}`));
    }
  }
  const edges = 2 * INSET + 1;
  const wanted = Math.max(Math.min(title + edges, WIDEST_TITLE), Math.min(facts + edges, WIDEST_CARD), NARROWEST_CARD);
  return Math.ceil(wanted);
}

/** The top left corner of a node's card. */
export function corner(geometry, tree, place, node) {
  const [breadth, depth] = [place.x[node] * geometry.step.breadth, tree.depth[node] * geometry.step.depth];
  return geometry.orientation === "LR" ? { x: depth, y: breadth } : { x: breadth, y: depth };
}

/** The middle of a node's card. */
export function middle(geometry, tree, place, node) {
  const { x, y } = corner(geometry, tree, place, node);
  return { x: x + geometry.card.width / 2, y: y + geometry.card.height / 2 };
}

/** Width and height of a whole drawing at scale 1. */
export function extent({ orientation, step, gap }, place) {
  const breadth = place.width * step.breadth - gap.breadth;
  const depth = place.levels.length * step.depth - gap.depth;
  return orientation === "LR" ? { width: depth, height: breadth } : { width: breadth, height: depth };
}

/** The part of the layout that lies in a window: depths and breadths, in steps. */
export function partInWindow({ orientation, step }, view, { width, height }) {
  const across = [-view.x / view.scale, (width - view.x) / view.scale];
  const down = [-view.y / view.scale, (height - view.y) / view.scale];
  const [breadth, depth] = orientation === "LR" ? [down, across] : [across, down];
  return { breadth: breadth.map((b) => b / step.breadth), depth: depth.map((d) => d / step.depth) };
}
