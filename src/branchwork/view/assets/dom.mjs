// Small helpers of the page of a tree: colours of classes, numbers for people, text that fits.

import { h, number } from "../../webpage/assets/common.mjs";

/** The colour of a class, the same as in every other picture: a variable of the style. */
export const colourOf = (tree, label) => `var(--${tree.colours[label]})`;

/** The colour of a class as a dot. */
export const swatch = (tree, label) =>
  h("span", { class: "swatch", style: `background: ${colourOf(tree, label)}` });

/** A number to a few digits, for cards and lists; of a count or a large one no digit before the point is lost. */
export function brief(x, digits = 4) {
  if (!Number.isFinite(x)) return String(x);
  return Math.abs(x) >= 10 ** digits ? number(Math.round(x)) : String(Number(x.toPrecision(digits)));
}

/** An impurity, a gain or a statistic: four places, but never so few that nothing is left of it; a dash for none. */
export function fixed(x) {
  if (x === null) return "–";
  const size = Math.abs(x);
  if (size === 0 || (size >= 0.001 && size < 1e9)) return x.toFixed(4);
  return size >= 1e9 && size < 1e15 ? x.toFixed(0) : brief(x);
}

/** A p-value to three digits; one below 0.0001 is only said to be less. */
export const chance = (p) => (p < 0.0001 ? "< 0.0001" : brief(p, 3));

/** A p-value that decides between columns, with its digits; 0 is one that no double can hold. */
export const decidingChance = (p) => (p > 0 ? brief(p, 3) : "< 1e-300");

export const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

const pen = () => (pen.context ??= document.createElement("canvas").getContext("2d"));

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
