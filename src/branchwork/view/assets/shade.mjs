// Shading: cards and branches take the colour of one class as far as its share goes, or of the value.
import { colourOf } from "./dom.mjs";

export const BY_VALUE = "value";
export const [NEAR, FAR_OFF, FARTHEST_OFF] = [0, 1, 2]; // cards with text, with nothing but a bar, with nothing at all
const STRONGEST = 36; // per cent of colour in a card: text on it keeps its contrast

/** The share of a class in a node. */
export function shareOf(tree, node, label) {
  const { start, label: labels, share } = tree.entries;
  for (let k = start[node]; k < start[node + 1]; k++) if (labels[k] === label) return share[k];
  return 0;
}

/** The shading that shows a node's own answer. */
export const ownShade = (tree, node) => (tree.labels ? tree.decision[node] : BY_VALUE);

/** What a node is shaded with, { colour, part } with a part from 0 to 1; null where nothing is chosen. */
export function shadeOf(tree, shade, node) {
  if (shade === null || shade === undefined) return null;
  if (shade !== BY_VALUE) return { colour: colourOf(tree, shade), part: shareOf(tree, node, shade) };
  const { low, high } = valuesOf(tree);
  return { colour: "var(--fr8)", part: high > low ? (tree.mean[node] - low) / (high - low) : 0.5 };
}

/** The lowest and the highest value of all nodes. */
export function valuesOf(tree) {
  tree.values ??= {
    low: tree.mean.reduce((least, mean) => Math.min(least, mean), Infinity),
    high: tree.mean.reduce((most, mean) => Math.max(most, mean), -Infinity),
  };
  return tree.values;
}

const mixed = ({ colour, part }, strongest, ground) =>
  `--shade: color-mix(in oklab, ${colour} ${(strongest * part).toFixed(1)}%, var(--${ground}))`;

/** The style of a shaded card; one without text takes the whole colour, and one without content always has one. */
export function cardShade(tree, shade, node, distance) {
  const found = shadeOf(tree, distance === FARTHEST_OFF ? (shade ?? ownShade(tree, node)) : shade, node);
  return found && mixed(found, distance === NEAR ? STRONGEST : 100, "paper");
}

/** The style of a shaded branch. */
export function branchShade(tree, shade, node) {
  const found = shadeOf(tree, shade, node);
  return found && mixed(found, 100, "branch");
}
