// Small pictures of the panel: the gain at every cut, the children of a candidate, and histograms of the rows.
import { h, s } from "../../webpage/assets/common.mjs";
import { brief, measured, percent, rounded, weighed } from "../../webpage/assets/digits.mjs";
import { clipped, colourOf, swatch } from "./dom.mjs";

const WIDE = 320; // of every picture, in its own units; the panel stretches it
const FULLEST = 35; // the largest digit of a line
const MOST_NAMED = 6; // classes of a child that are told in words

/** A measured number as an element; all its digits show when a pointer rests on it. */
export const measuredNumber = (x) => h("span", { title: String(x) }, measured(x));

/** A value of the target to four digits: 3.5, 4175, 15.92 M. */
export const valueWords = (x) => rounded(x);

/** One class of some rows in words: "no: 809 (62%)"; without a weight "no: 62%". */
export const classWords = (tree, label, weight, share) =>
  `${label < 0 ? "others" : tree.labels[label]}: ${weight === undefined ? percent(share) : `${weighed(weight)} (${percent(share)})`}`;

/** The colour of a class; of all that have none of their own, a grey. */
const paintOf = (tree, label) => (label < 0 ? "var(--field)" : colourOf(tree, label));

const word = (x, y, text, anchor = "start", name = "") => s("text", { x, y, "text-anchor": anchor, class: name }, text);

function picture(height, label, ...parts) {
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${height}`, role: "img", "aria-label": label }, ...parts);
}

/** The gain at every cut; `curve` = [[cut, gain], …], the best one is marked. */
export function gainCurve(name, curve) {
  const best = curve.reduce((most, point) => (point[1] > most[1] ? point : most), curve[0]);
  const [low, high] = [curve[0][0], curve[curve.length - 1][0]];
  const [floor, top, left, right] = [92, 20, 8, WIDE - 8];
  const x = (cut) => (high > low ? left + ((right - left) * (cut - low)) / (high - low) : (left + right) / 2);
  const least = Math.min(0, ...curve.map((point) => point[1]));
  const y = (gain) => floor - ((floor - top) * (gain - least)) / (best[1] - least || 1);
  const line = curve.map(([cut, gain]) => `${x(cut).toFixed(1)},${y(gain).toFixed(1)}`).join(" ");
  const half = 74;
  const middle = Math.min(Math.max(x(best[0]), left + half), right - half);
  const said = `≤ ${brief(best[0])}: gain ${measured(best[1])}`;
  return picture(
    112,
    `Gain of ${name} at every threshold; the best is ${said}`,
    s("line", { class: "axis", x1: left, y1: y(0), x2: right, y2: y(0) }),
    s("polyline", { class: "line", points: line }),
    curve.length <= 24 ? curve.map(([cut, gain]) => s("circle", { class: "point", cx: x(cut), cy: y(gain), r: 2.2 })) : null,
    s("line", { class: "mark", x1: x(best[0]), y1: top - 4, x2: x(best[0]), y2: floor }),
    s("circle", { class: "best", cx: x(best[0]), cy: y(best[1]), r: 4 }),
    word(middle, 11, said, "middle"),
    high > low ? word(left, 107, brief(low), "start", "soft") : null,
    word(high > low ? right : middle, 107, brief(high), high > low ? "end" : "middle", "soft"),
    high > low ? word(WIDE / 2, 107, `threshold of ${clipped(name, 120, "11px sans-serif")}`, "middle", "soft") : null,
  );
}

/**
 * The children of a split, one below the other: `children` = [[condition, rows], …], where rows are
 * [[label, weight], …] or, of a number, [weight, mean].
 */
export function childList(tree, children) {
  const weightOf = ([, rows]) => (tree.labels ? rows.reduce((sum, [, weight]) => sum + weight, 0) : rows[0]);
  const whole = children.reduce((sum, child) => sum + weightOf(child), 0) || 1;
  return h(
    "ul",
    { class: "children" },
    children.map((child) => {
      const weight = weightOf(child);
      const size = `${weighed(weight)} row${weight === 1 ? "" : "s"}`;
      const head = h("div", { class: "child" }, h("span", {}, child[0]), h("span", { class: "soft" }, size));
      if (!tree.labels) return h("li", {}, head, plainBar(weight / whole), meanLine(tree, child[1]));
      return h("li", {}, head, stackedBar(tree, child[1], weight / whole), classLine(tree, child[1], weight));
    }),
  );
}

const plainBar = (part) =>
  h("div", { class: "stacked", "aria-hidden": "true" }, h("div", { class: "plain", style: `width: ${Math.max(1, 100 * part)}%` }));

const meanLine = (tree, [, mean]) =>
  h("div", { class: "soft", title: String(mean) }, `${tree.target ? `${tree.target}: ` : ""}mean ${valueWords(mean)}`);

/** The classes of some rows side by side; the bar is as long as their part of all rows. */
function stackedBar(tree, rows, part) {
  const whole = rows.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  const pieces = rows.map(([label, weight]) =>
    h("span", { style: `width: ${(100 * weight) / whole}%; background: ${paintOf(tree, label)}` }),
  );
  return h("div", { class: "stacked", "aria-hidden": "true" }, h("div", { style: `width: ${Math.max(1, 100 * part)}%` }, pieces));
}

function classLine(tree, rows, weight) {
  const largest = [...rows].sort((a, b) => b[1] - a[1]);
  const told = largest.slice(0, MOST_NAMED).map(([label, own]) =>
    h("span", {}, label < 0 ? null : swatch(tree, label), classWords(tree, label, own, own / weight)),
  );
  const more = largest.length - MOST_NAMED;
  return h("div", { class: "told" }, told, more > 0 ? h("span", {}, `… ${more} more`) : null);
}

// ---- histograms; view/page_rows.py says what is in one

const cellsOf = ([, , lines, most]) =>
  lines.map((line) => [...line].map((digit) => parseInt(digit, 36) * (most ? most / FULLEST : 1)));

/**
 * A histogram of a feature. `cuts` are where a node parts it, `means` the means of its children, `cell` is that of the
 * row which is followed (undefined: there is none), `small` leaves the texts out.
 */
export function histogramOf(tree, feature, histogram, { cuts = [], means = [], cell, small = false } = {}) {
  const column = tree.columns[feature];
  if (column.nominal && tree.labels && !small) return categoryList(tree, column, histogram, cell);
  return column.nominal ? categoryPicture(tree, column, histogram, cell, small) : numberPicture(tree, column, histogram, { cuts, means, cell, small });
}

/** Categories one below the other, each with its classes. */
function categoryList(tree, column, histogram, cell) {
  const [codes, labels] = histogram;
  const lines = cellsOf(histogram);
  const rows = codes.map((_, k) => labels.map((label, line) => [label, lines[line][k] ?? 0]).filter(([, own]) => own > 0));
  const weights = rows.map((row) => row.reduce((sum, [, own]) => sum + own, 0));
  const most = Math.max(...weights, 1e-9);
  const items = codes.map((code, k) =>
    h(
      "li",
      { class: cell === code ? "followed" : null },
      h("div", { class: "child" }, h("span", {}, column.texts[code], cell === code ? h("b", {}, " ◂ the row") : null)),
      stackedBar(tree, rows[k], weights[k] / most),
    ),
  );
  const label = `${column.shown}: its categories in the rows of this node`;
  return h("ul", { class: "children histogram", "aria-label": label }, items);
}

function frame(small) {
  return small ? { left: 2, right: WIDE - 2, top: 3, floor: 37, height: 40 } : { left: 8, right: WIDE - 8, top: 16, floor: 92, height: 112 };
}

function categoryPicture(tree, column, histogram, cell, small) {
  const codes = histogram[0];
  const box = frame(small);
  const width = (box.right - box.left) / Math.max(1, codes.length);
  const left = (k) => box.left + k * width;
  const parts = [...bodyOf(tree, histogram, codes.length, box)];
  const at = codes.indexOf(cell);
  if (at >= 0) parts.push(s("rect", { class: "followed", x: left(at) + 1, y: box.top - 2, width: width - 2, height: box.floor - box.top + 2 }));
  if (!small) {
    codes.forEach((code, k) => parts.push(word(left(k) + width / 2, 107, clipped(column.texts[code], width - 4, "11px sans-serif"), "middle", "soft")));
    parts.push(...heightsOf(tree, histogram));
  }
  return picture(box.height, `Histogram of ${column.shown}`, ...parts);
}

function numberPicture(tree, column, histogram, { cuts, means, cell, small }) {
  const [low, high] = histogram[0];
  const box = frame(small);
  const place = (x) => (high > low ? Math.min(1, Math.max(0, (x - low) / (high - low))) : 0.5);
  const x = (value) => box.left + (box.right - box.left) * place(value);
  const count = tree.labels ? Math.max(1, ...histogram[2].map((line) => line.length)) : histogram[2].length;
  const parts = [...bodyOf(tree, histogram, high > low ? count : 0, box)];
  for (const cut of cuts) if (cut > low && cut < high) parts.push(s("line", { class: "mark", x1: x(cut), y1: box.top - 4, x2: x(cut), y2: box.floor }));
  if (!tree.labels) parts.push(...meanLines(histogram[1], cuts, means, x, [low, high], box));
  if (typeof cell === "number" && !Number.isNaN(cell)) {
    const at = x(cell);
    parts.push(s("line", { class: "followed", x1: at, y1: box.top - 4, x2: at, y2: box.floor }));
    parts.push(s("path", { class: "followed", d: `M${at - 5} ${box.top - 6}h10l-5 7z` }));
  }
  if (!small) {
    parts.push(word(box.left, 107, brief(low), "start", "soft"), word(box.right, 107, brief(high), "end", "soft"));
    parts.push(word(WIDE / 2, 107, clipped(column.shown, 150, "11px sans-serif"), "middle", "soft"));
    parts.push(...heightsOf(tree, histogram));
  }
  const row = typeof cell === "number" && !Number.isNaN(cell) ? `; the row has ${brief(cell)}` : "";
  return picture(box.height, `Histogram of ${column.shown}, ${brief(low)} to ${brief(high)}${row}`, ...parts);
}

/** The lowest and the highest target, at the left edge. */
function heightsOf(tree, histogram) {
  if (tree.labels) return [];
  const name = tree.target ? `${clipped(tree.target, 90, "11px sans-serif")} ` : "";
  return [word(10, 11, `${name}${valueWords(histogram[1][1])}`, "start", "soft"), word(10, 90, valueWords(histogram[1][0]), "start", "soft")];
}

/** Stacked columns of classes, or a field of cells, the darker the more rows; 0 columns: one in the middle. */
function bodyOf(tree, histogram, count, box) {
  const cells = cellsOf(histogram);
  const columns = count || 1;
  const width = (box.right - box.left) / (count || 20);
  const left = (k) => (count ? box.left + k * width : (box.left + box.right - width) / 2);
  if (!tree.labels) {
    const all = count ? cells : cells.filter((line) => line.length);
    const most = Math.max(1e-9, ...all.flat());
    const high = (box.floor - box.top) / 10;
    return all.flatMap((line, k) =>
      line.flatMap((own, j) =>
        own > 0 ? [s("rect", { class: "cell", x: left(k), y: box.floor - (j + 1) * high, width: width - 0.5, height: high - 0.5, "fill-opacity": (0.15 + 0.85 * Math.sqrt(own / most)).toFixed(2) })] : [],
      ),
    );
  }
  const stacks = Array.from({ length: columns }, (_, k) => cells.map((line) => (count ? (line[k] ?? 0) : Math.max(0, ...line))));
  const most = Math.max(1e-9, ...stacks.map((stack) => stack.reduce((sum, own) => sum + own, 0)));
  return stacks.flatMap((stack, k) => {
    let y = box.floor;
    return stack.flatMap((own, line) => {
      const high = ((box.floor - box.top) * own) / most;
      y -= high;
      return high > 0 ? [s("rect", { x: left(k), y, width: Math.max(0.5, width - 1), height: high, fill: paintOf(tree, histogram[1][line]) })] : [];
    });
  });
}

/** The mean of each child between its cuts. */
function meanLines([lowest, highest], cuts, means, x, [low, high], box) {
  if (!(highest > lowest)) return [];
  const y = (mean) => box.floor - ((box.floor - box.top) * Math.min(1, Math.max(0, (mean - lowest) / (highest - lowest))));
  const ends = [low, ...cuts.filter(Number.isFinite), high];
  return means.slice(0, ends.length - 1).map((mean, k) => s("line", { class: "average", x1: x(ends[k]), x2: x(ends[k + 1]), y1: y(mean), y2: y(mean) }));
}
