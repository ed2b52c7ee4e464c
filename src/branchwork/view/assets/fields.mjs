// A field for each column of a row: a slider with a number beside it, a list of categories, or a text.
import { h } from "../../webpage/assets/common.mjs";
import { brief } from "../../webpage/assets/digits.mjs";
import { histogramOf } from "./charts.mjs";
import { cellOfText } from "./row.mjs";
import { MISSING, UNSEEN } from "./walk.mjs";

const MOST_CHOICES = 200; // of a list; columns with more categories have a text field
const STOPS = 100; // of a slider, about

/** The field of a column, inside a box that also holds its slider. An empty field is a missing cell. */
export function fieldFor(tree, feature, id) {
  const column = tree.columns[feature];
  const typed = { id, autocomplete: "off", placeholder: "missing" };
  if (!column.nominal) return withSlider(tree, feature, h("input", { ...typed, inputmode: "decimal" }));
  if (column.texts.length > MOST_CHOICES) return alone(h("input", typed));
  const choice = (value, text) => h("option", { value }, text);
  return alone(
    h("select", { id }, [
      choice(MISSING, "missing"),
      column.texts.map((text, code) => choice(code, text)),
      choice(UNSEEN, "another value"),
    ].flat()),
  );
}

const alone = (field) => ({ field, box: field });

/** A slider over the numbers that the rows had, with their histogram behind it, or else over the tree's thresholds. */
function withSlider(tree, feature, field) {
  const { shown } = tree.columns[feature];
  const range = rangeOf(tree, feature);
  if (!range) return alone(field);
  const [low, high] = range.ends;
  const slider = h("input", { type: "range", min: low, max: high, step: range.step, "aria-label": `${shown}, slider`, title: range.title });
  slider.value = String((low + high) / 2); // where it rests while the cell is missing
  slider.addEventListener("input", () => {
    field.value = String(Number(Number(slider.value).toPrecision(6)));
    showState();
  });
  const showState = () => {
    const x = Number(field.value);
    const known = field.value.trim() !== "" && Number.isFinite(x);
    if (known) slider.value = String(x);
    slider.classList.toggle("unset", !known);
    slider.setAttribute("aria-valuetext", known ? field.value : "missing");
  };
  field.addEventListener("input", showState);
  field.showState = showState;
  const behind = range.histogram ? histogramOf(tree, feature, range.histogram, { small: true }) : null;
  behind?.setAttribute("aria-hidden", "true");
  behind?.setAttribute("preserveAspectRatio", "none");
  return { field, box: h("div", { class: "slider" }, h("div", { class: "range" }, behind, slider), field) };
}

function rangeOf(tree, feature) {
  const seen = tree.rows?.columns[feature];
  const [low, high] = seen?.histogram[0] ?? [];
  if (high > low) {
    const step = seen.whole ? Math.max(1, niceStep((high - low) / STOPS)) : niceStep((high - low) / STOPS);
    const title = `${brief(low)} to ${brief(high)}, as in the rows that the page was made with`;
    return { ends: [roundTo(low, step, Math.floor), roundTo(high, step, Math.ceil)], step, title, histogram: seen.histogram };
  }
  const cuts = thresholdsOf(tree, feature);
  if (!cuts.length) return null;
  const [first, last] = [Math.min(...cuts), Math.max(...cuts)];
  const room = Math.max(Number(tree.columns[feature].spread ?? 0), last - first, Math.abs(first) * 0.5, 1e-9) / 2;
  if (!Number.isFinite(last - first + 2 * room)) return null;
  const step = niceStep((last - first + 2 * room) / STOPS);
  const title = "around the thresholds of the tree; to_html(X, y) shows the range of the data";
  return { ends: [roundTo(first - room, step, Math.floor), roundTo(last + room, step, Math.ceil)], step, title };
}

/** The smallest of 1, 2, 5, 10, … times a power of ten that is at least so large. */
function niceStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return Number(([1, 2, 5, 10].find((times) => times * power >= x * (1 - 1e-9)) * power).toPrecision(1));
}

const roundTo = (x, step, rounded) => Number((rounded(x / step) * step).toPrecision(12));

/** The numbers that the tree compares a column with. */
function thresholdsOf(tree, feature) {
  const found = tree.feature.flatMap((own, node) => {
    if (own !== feature) return [];
    const begin = tree.lookup[node];
    return begin < 0 ? [tree.cut[node]] : tree.bounds.slice(begin, begin + tree.n_children[node] - 1);
  });
  tree.surrogates?.feature.forEach((own, k) => own === feature && found.push(Number(tree.surrogates.cut[k])));
  return found.filter(Number.isFinite);
}

/** Shows a cell in its field. A field's text may say less than the cell, so the cell stays as long as the text does. */
export function setField(column, field, cell) {
  if (field.localName === "select" || (!column.nominal && !Number.isNaN(cell))) field.value = String(cell);
  else if (cell >= 0) field.value = String(column.values[cell]);
  else field.value = cell === UNSEEN ? "another value" : "";
  field.given = { text: field.value, cell };
  field.showState?.();
}

/** The cell that a field holds. */
export function cellIn(column, field) {
  if (field.localName === "select") return Number(field.value);
  return field.value === field.given.text ? field.given.cell : cellOfText(column, field.value);
}
