// Small helpers of the page of a tree: colours of classes, counts, text that fits.

import { h } from "../../webpage/assets/common.mjs";
import { number } from "../../webpage/assets/digits.mjs";

/** The colour of a class, the same as in every other picture: a variable of the style. */
export const colourOf = (tree, label) => `var(--${tree.colours[label]})`;

const PATTERNS = {
  stripes: "repeating-linear-gradient(45deg, var(--paper) 0 1.5px, transparent 1.5px 4px)",
  dots: "radial-gradient(circle, var(--paper) 1.2px, transparent 1.6px) 0 0 / 4px 4px",
  grid:
    "repeating-linear-gradient(0deg, var(--paper) 0 1.2px, transparent 1.2px 4px), " +
    "repeating-linear-gradient(90deg, var(--paper) 0 1.2px, transparent 1.2px 4px)",
};

/** What the background of an element is for a class: its colour, and its pattern where the colours are not enough. */
export function backgroundOf(tree, label) {
  const pattern = PATTERNS[tree.patterns[label]];
  return pattern ? `${pattern}, ${colourOf(tree, label)}` : colourOf(tree, label);
}

/** The colour of a class as a dot. */
export const swatch = (tree, label) =>
  h("span", { class: "swatch", style: `background: ${backgroundOf(tree, label)}` });

export const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

const pen = () => (pen.context ??= document.createElement("canvas").getContext("2d"));

/** How wide a text is in a font, in pixels. */
export function widthOf(text, font) {
  pen().font = font;
  return pen().measureText(text).width;
}

/** Text cut to a width in pixels, as it is drawn in a font. */
export function clipped(text, room, font) {
  pen().font = font;
  const fits = (length) => pen().measureText(cut(text, length)).width <= room;
  if (fits(text.length)) return text;
  let [low, high] = [0, text.length - 1]; // `low` letters fit, or none do
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return cut(text, low);
}

/** The first letters of a text, and a sign that there are more; a pair that makes one letter is not parted. */
function cut(text, length) {
  if (length >= text.length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}
