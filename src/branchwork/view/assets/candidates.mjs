// The candidates of a node: the winner and its margin, a bar for what decides, and on request what each would have made.
import { h } from "../../webpage/assets/common.mjs";
import { chance, decidingChance, measured, percent } from "../../webpage/assets/digits.mjs";
import { plural } from "./dom.mjs";
import { childList, gainCurve, measuredNumber } from "./charts.mjs";
import { childrenOf, classesOf, isLeaf } from "./walk.mjs";
import { branchLabel } from "./words.mjs";

const SHORT = {
  chosen: "chosen",
  lower_gain: "gains less",
  tie_lost: "tie, comes later",
  no_gain: "no gain",
  one_branch: "one branch",
  used_above: "used above",
  too_few_rows: "too few rows",
  small_gain: "gain too small",
  below_average: "below average",
  less_significant: "less significant",
  not_significant: "not significant",
  not_drawn: "not drawn",
  costs_more: "costs more",
  tree_split: "the tree’s split",
  best_here: "best on these rows",
};
const IN_THE_RUNNING = ["tie_lost", "lower_gain", "less_significant", "costs_more"];
const MEASURES = { gain: "gain", gain_ratio: "gain ratio", adjusted_p: "adjusted p" };
const TABLED = ["feature", "test", "verdict", "place"]; // columns that "more" does not repeat

/** The candidates of a node as objects, the winner first; undefined where they are not known. */
export function candidatesAt(tree, node) {
  const rows = tree.working?.pages[node];
  if (!rows) return undefined;
  const { columns, measure, details, lecture } = tree.working;
  const found = rows.map((row, k) => {
    const one = Object.fromEntries(columns.map((name, at) => [name, row[at]]));
    const test = one.test?.startsWith(`${one.feature} `) ? one.test.slice(one.feature.length + 1) : one.test;
    const worth = measure === "gain" ? (one.net_gain ?? one.gain) : one[measure];
    return { ...one, test, worth: worth === null ? null : Number(worth), detail: details[node]?.[k], lines: lecture[node]?.features[k] };
  });
  const size = ({ worth }) => (worth === null ? 0 : measure === "adjusted_p" ? Math.min(300, -Math.log10(worth)) : Math.max(0, worth));
  const most = Math.max(...found.map(size), 1e-300);
  return found.map((one) => ({ ...one, part: size(one) / most }));
}

export const worthWords = (tree, worth) => (tree.working.measure === "adjusted_p" ? decidingChance(worth) : measured(worth));

export const shortVerdict = (tree, { verdict }) =>
  verdict === "lower_gain" && tree.working.measure === "gain_ratio" ? "lower ratio" : SHORT[verdict];

/** Who won, and by how much. */
export function marginOf(tree, found) {
  const winner = found.find(({ verdict }) => verdict === "chosen");
  if (!winner) return null;
  const measure = MEASURES[tree.working.measure];
  const own = `${measure} ${worthWords(tree, winner.worth)}`;
  const rival = found.find(({ verdict }) => IN_THE_RUNNING.includes(verdict));
  if (!rival || rival.worth === null) return [h("strong", {}, winner.feature), ` wins: ${own}; no other feature is in the running.`];
  if (rival.verdict === "tie_lost") return [h("strong", {}, winner.feature), ` wins: ${own}, a tie with ${rival.feature}, which comes later in the table.`];
  const next = `${rival.feature} (${worthWords(tree, rival.worth)})`;
  if (tree.working.measure === "adjusted_p") return [h("strong", {}, winner.feature), ` wins: ${own}, ahead of ${next}.`];
  const ahead = winner.worth - rival.worth;
  if (ahead < 0) return [h("strong", {}, winner.feature), ` is chosen: ${own}. By itself ${next} gains more, but ${tree.working.reasons[rival.verdict]}.`];
  return [h("strong", {}, winner.feature), ` wins: ${own}, ${measured(ahead)} ahead of ${next}.`];
}

/** The candidates of a node as a table; a click on one shows its gain curve and its children. */
export function candidateTable(tree, node, found) {
  const measure = MEASURES[tree.working.measure];
  const head = h("tr", {}, ["feature and test", measure, "verdict"].map((text) => h("th", { scope: "col" }, text)));
  const body = h("tbody", {});
  for (const one of found) body.append(candidateRow(tree, node, one));
  return h("table", { class: "working" }, h("thead", {}, head), body);
}

function candidateRow(tree, node, one) {
  const button = h("button", { type: "button", class: "pick", "aria-expanded": "false" }, one.feature);
  const row = h(
    "tr",
    { class: one.verdict === "chosen" ? "candidate chosen" : "candidate" },
    h("th", { scope: "row" }, h("div", { class: "clamp" }, button, one.test === null ? null : h("span", { class: "test", title: one.test }, one.test))),
    worthCell(tree, one),
    h("td", { class: "verdict", title: tree.working.reasons[one.verdict] }, shortVerdict(tree, one)),
  );
  row.addEventListener("click", () => toggleDetail(tree, node, one, row, button));
  return row;
}

/** What decides, as a number and as a bar: a candidate's part of the best one. */
export function worthCell(tree, { worth, part }) {
  if (worth === null) return h("td", { class: "worth" }, "–");
  const bar = h("span", { class: "gainbar", "aria-hidden": "true" }, h("span", { style: `width: ${(100 * part).toFixed(1)}%` }));
  return h("td", { class: "worth" }, h("div", { class: "pairing" }, bar, h("span", { title: String(worth) }, worthWords(tree, worth))));
}

function toggleDetail(tree, node, one, row, button) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  if (open) row.nextSibling.remove();
  else row.after(h("tr", { class: "detail" }, h("td", { colspan: 3 }, detailOf(tree, node, one))));
}

/** What a candidate would have made: why it won or lost, its gain curve and its children. */
function detailOf(tree, node, one) {
  const reason = tree.working.reasons[one.verdict];
  const parts = [h("p", { class: "note" }, `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`)];
  if (one.worth === null) return parts;
  if (one.detail?.curve?.length) parts.push(h("h4", {}, "Gain at every threshold"), gainCurve(one.feature, one.detail.curve));
  const children = one.detail?.branches?.map(([text, rows]) => [text, rows]) ?? ownChildren(tree, node, one);
  if (children) parts.push(h("h4", {}, one.verdict === "chosen" ? "Its children" : "The children it would have made"), childList(tree, children));
  if (one.detail?.more) parts.push(h("p", { class: "note" }, `… ${plural(one.detail.more, "branch").replace("branchs", "branches")} more`));
  const known = one.known === null ? 1 : Number(one.known);
  if (one.detail && known < 1) parts.push(h("p", { class: "note" }, `${percent(1 - known)} of the rows here have no value of ${one.feature} and are not counted.`));
  const isNumber = !tree.columns[one.place].nominal;
  if (!one.detail) parts.push(h("p", { class: "note" }, notKnown(tree, node, isNumber, Boolean(children))));
  return parts;
}

/** The children that the tree itself has, of the split that it made. */
function ownChildren(tree, node, one) {
  if (one.verdict !== "chosen" || isLeaf(tree, node)) return undefined;
  return childrenOf(tree, node).map((child) => [
    branchLabel(tree, child),
    tree.labels ? classesOf(tree, child).filter(({ weight }) => weight > 0).map(({ label, weight }) => [label, weight]) : [tree.weight[child], tree.mean[child]],
  ]);
}

function notKnown(tree, node, isNumber, hasChildren) {
  const what = [isNumber ? "The gain at other thresholds" : "", hasChildren ? "" : `${isNumber ? "and t" : "T"}he children`].filter(Boolean);
  if (!what.length) return "";
  const verb = what.length > 1 || !hasChildren ? "are" : "is";
  const why = tree.rows ? "this page has them for its largest nodes only, and for the training rows" : "a tree keeps only the best test of each feature. to_html(X, y) with the training rows adds them";
  return `${what.join(" ")} ${verb} not known here: ${why}.`;
}

/** The numbers that the table leaves out, for each candidate. */
export function moreNumbers(tree, found) {
  const names = tree.working.columns.filter((name) => !TABLED.includes(name) && found.some((one) => one[name] !== null));
  const shown = names.filter((name) => name !== "gain" || tree.working.measure !== "gain" || names.includes("net_gain"));
  if (!shown.length) return null;
  const write = { p_value: chance, adjusted_p: decidingChance };
  const number = (name, value) => (write[name] ? h("span", { title: String(value) }, write[name](Number(value))) : measuredNumber(Number(value)));
  const items = found
    .filter((one) => one.worth !== null)
    .map((one) =>
      h("div", {}, h("dt", {}, one.feature), h("dd", {}, shown.filter((name) => one[name] !== null).map((name) => h("span", { class: "pair" }, `${name.replaceAll("_", " ")} `, number(name, one[name]))))),
    );
  return items.length ? h("details", { class: "more" }, h("summary", {}, "More numbers"), h("dl", {}, items)) : null;
}
