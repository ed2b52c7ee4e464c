// Small helpers of the page of a tree: colours of classes, numbers for people, text that fits.

import { h, number } from "../../webpage/assets/common.mjs";

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

/** A number to a few digits, for cards and lists; of a count or a large one no digit before the point is lost. */
export function brief(x, digits = 4) {
  if (!Number.isFinite(x)) return String(x);
  return Math.abs(x) >= 10 ** digits ? number(Math.round(x)) : String(Number(x.toPrecision(digits)));
}

/** An impurity, a gain or a statistic: four places below ten, else four digits, in millions; a dash for none. */
export function fixed(x) {
  if (x === null) return "–";
  const size = Math.abs(x);
  return size === 0 || (size >= 0.001 && size < 9.99995) ? x.toFixed(4) : short(x);
}

/** A p-value to three digits; one below 0.0001 is only said to be less. */
export const chance = (p) => (p < 0.0001 ? "< 0.0001" : brief(p, 3));

/** A p-value that decides between columns, with its digits; 0 is one that no double can hold. */
export const decidingChance = (p) => (p > 0 ? brief(p, 3) : "< 1e-300");

export const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

const LARGE_UNITS = [[1e12, " T"], [1e9, " G"], [1e6, " M"]];

/** A value to four digits, as Python's `rounded` has it: in millions from a million on; below, whole digits stay. */
export function short(x) {
  const four = Number(x.toPrecision(4));
  const size = Math.abs(four);
  if (size >= 1e15) return four.toExponential();
  if (!(size >= 1e4)) return String(four);
  const found = LARGE_UNITS.find(([least]) => size >= least);
  return found ? `${Number((x / found[0]).toPrecision(4))}${found[1]}` : x.toFixed(0);
}

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
