// Why a row has its answer: a sentence for each step, and what would have to change for another answer.
import { h } from "../../webpage/assets/common.mjs";
import { number, percent, rounded } from "../../webpage/assets/digits.mjs";
import { candidatesAt, worthWords } from "./candidates.mjs";
import { valueWords } from "./charts.mjs";
import { nodeHistogram } from "./panel.mjs";
import { answerOf, classesOf } from "./walk.mjs";
import { branchLabel, sizeOf } from "./words.mjs";

const MOST_STEPS = 200;
const MOST_NAMED_CODES = 6;

const HOW = {
  missing: "is not known",
  surrogate: "is not known",
  unseen: "was not seen in training",
  shared: "is not known: the row is shared among the branches by weight",
};

export const answerWords = (tree, { label, value }) => (tree.labels ? tree.labels[label] : valueWords(value));

/** The steps of a row, each with what it did to the answer and which split nearly won, and the leaves it ends in. */
export function stepList(tree, row, { steps, leaves }, goTo) {
  const answer = answerOf(tree, leaves);
  const parts = [h("ol", { class: "steps" }, steps.slice(0, MOST_STEPS).map((step) => stepLine(tree, row, step, answer, goTo)))];
  if (steps.length > MOST_STEPS) parts.push(h("p", {}, `… ${steps.length - MOST_STEPS} steps more`));
  const several = leaves.length > 1;
  const end = ({ node, share }) => h("li", {}, link(node, goTo), several ? ` ${percent(share)}` : "");
  parts.push(h("p", {}, several ? `Ends in ${leaves.length} leaves:` : "Ends in:"));
  parts.push(h("ul", { class: "steps" }, leaves.slice(0, MOST_STEPS).map(end)));
  if (leaves.length > MOST_STEPS) parts.push(h("p", {}, `… ${leaves.length - MOST_STEPS} leaves more`));
  return parts;
}

function stepLine(tree, row, { node, branch, how, by, share }, answer, goTo) {
  const feature = tree.feature[node];
  const column = tree.columns[feature];
  const child = tree.first_child[node] + branch;
  const part = share < 1 ? ` (${rounded(share)} of the row)` : "";
  const own = column.nominal ? "" : `${column.shown} is ${number(row[feature])}: `;
  const known = how === "known" ? `${own}${tree.condition[child]}` : `${column.shown} ${HOW[how]}`;
  const stands = how === "surrogate" ? `, ${tree.columns[by].shown} stands in` : "";
  const goes = how === "known" || how === "shared" ? "" : `: to “${branchLabel(tree, child)}”`;
  const more = [how === "shared" ? "" : `${sizeOf(tree, child)}, ${changeOf(tree, answer, node, child)}`, rivalOf(tree, node)];
  return h(
    "li",
    {},
    link(node, goTo),
    ` ${known}${stands}${goes}${part}`,
    more.filter(Boolean).map((text) => h("div", { class: "soft" }, text)),
    nodeHistogram(tree, node, true) ?? null,
  );
}

const link = (node, goTo) =>
  h("button", { type: "button", class: "link", click: () => goTo(node) }, `node ${node}`);

/** How the share of the answer, or the mean, changes from a node to its child. */
function changeOf(tree, { label }, node, child) {
  if (!tree.labels) {
    const change = tree.mean[child] - tree.mean[node];
    return `mean ${valueWords(tree.mean[child])} (${change < 0 ? "" : "+"}${valueWords(change)})`;
  }
  const shareAt = (at) => classesOf(tree, at).find((one) => one.label === label)?.share ?? 0;
  const points = 100 * (shareAt(child) - shareAt(node));
  const size = Math.abs(points) >= 1 || points === 0 ? points.toFixed(0) : String(Number(points.toPrecision(2)));
  return `${tree.labels[label]}: ${points < 0 ? "" : "+"}${size} points`;
}

function rivalOf(tree, node) {
  const found = candidatesAt(tree, node);
  const winner = found?.find(({ verdict }) => verdict === "chosen");
  const rival = found?.find(({ verdict, worth }) => verdict !== "chosen" && worth !== null);
  if (!winner || !rival) return "";
  return `next best: ${rival.feature} ${rival.test} (${worthWords(tree, rival.worth)} against ${worthWords(tree, winner.worth)})`;
}

// ---- what would have to change

/** "Would be yes if fare were > 52." `onTry` is called to see the changed row. */
export function changeLine(tree, { change, isExact }, answer, onTry) {
  if (!change) {
    const told = answerWords(tree, answer);
    const none = isExact ? "No change of this row to known values gives another answer." : "No change of this row was found that gives another answer; there are too many to try them all.";
    return h("p", { class: "whatif" }, tree.n === 1 ? `The tree is a single leaf: it answers ${told} to every row.` : none);
  }
  const name = tree.target ? `${tree.target} would` : "Would";
  const conditions = change.changes.map((one) => changeWords(tree, one)).join(" and ");
  const doubt = change.isNearest ? "" : " There may be a nearer change: there are too many to try them all.";
  const button = h("button", { type: "button", click: onTry }, "Try it");
  return h("p", { class: "whatif" }, `${name} be `, h("strong", {}, answerWords(tree, change)), ` if ${conditions}.${doubt} `, button);
}

/** What a cell would have to be: "fare were > 52 and ≤ 60", "sex were female". */
export function changeWords(tree, { feature, above, upto, among }) {
  const { shown, texts } = tree.columns[feature];
  if (among) {
    const named = among.slice(0, MOST_NAMED_CODES).map((code) => texts[code]);
    const more = among.length - named.length;
    if (more) named.push(`${more} other values`);
    return `${shown} were ${named.length > 1 ? `${named.slice(0, -1).join(", ")} or ${named[named.length - 1]}` : named[0]}`;
  }
  const limits = [above === null ? "" : `> ${number(above)}`, upto === null ? "" : `≤ ${number(upto)}`].filter(Boolean);
  return `${shown} were ${limits.join(" and ") || "any number"}`;
}
