// What the page says of a node.
import { brief, number, percent, rounded, weighed } from "../../webpage/assets/digits.mjs";
import { plural } from "./dom.mjs";
import { childrenOf, classesOf, isLeaf, pathTo } from "./walk.mjs";

const TOLD_CLASSES = 5; // classes that a tooltip lists
const SPELLED_OUT = 4; // conditions of the data name so many categories of a group, and count the others

export const answerText = (tree, node) =>
  tree.labels ? tree.labels[tree.decision[node]] : rounded(tree.mean[node]);

/** What a card is headed by: the column it asks for, or its answer. */
export function titleOf(tree, node) {
  if (isLeaf(tree, node)) return answerText(tree, node);
  return tree.undecided?.(node) ? "?" : tree.columns[tree.feature[node]].shown; // step by step, it has yet to choose
}

/** The condition that leads to a node without the name of its column, for the branch; numbers to a few digits. */
export function branchLabel(tree, node) {
  const parent = tree.parent[node];
  const { shown, nominal } = tree.columns[tree.feature[parent]];
  // Where nobody knows whether training had missing cells, a card does not speak of them; the panel does.
  const text = tree.missing_weight ? tree.condition[node] : tree.condition[node].replace(/(.) or missing$/, "$1");
  const rest = text.startsWith(`${shown} `) ? text.slice(shown.length + 1) : text;
  if (nominal) {
    // A long label is cut at its end, so "missing" comes first.
    return rest.replace(/^= /, "").replace(/^in \{(.*)\} or missing$/, "missing or $1").replace(/^in \{(.*)\}$/, "$1");
  }
  const label = intervalLabel(tree, parent, node - tree.first_child[parent]);
  return label === undefined || !tree.missing_weight ? (label ?? rest) : label + orMissing(tree, node);
}

/** What a condition says of missing cells: that rows with one took this branch too. */
const orMissing = (tree, node) => (tree.or_missing[node] ? " or missing" : "");

/** Numbers between two bounds; undefined where a branch is for something else. */
function intervalLabel(tree, parent, branch) {
  const several = tree.lookup[parent] >= 0;
  const bounds = several
    ? tree.bounds.slice(tree.lookup[parent], tree.lookup[parent] + tree.n_children[parent] - 1)
    : [tree.cut[parent]];
  const [low, high] = [bounds[branch - 1], bounds[branch]];
  if (branch > bounds.length || low === Infinity || (high === Infinity && low === undefined)) return undefined;
  if (low === undefined) return `≤ ${brief(high)}`;
  return high === undefined || high === Infinity ? `> ${brief(low)}` : `${brief(low)} to ${brief(high)}`;
}

/** The condition that leads to a node, with every category of its group that can arrive there; rare ones are counted. */
export function conditionInFull(tree, node) {
  const parent = tree.parent[node];
  const column = tree.columns[tree.feature[parent]];
  if (!column.nominal) return tree.condition[node];
  const pool = tree.lookup[parent] + 1;
  const branch = node - tree.first_child[parent];
  const rare = new Set(column.rare);
  const takes = (code) => tree.pool[pool + code] === branch && arrives(tree, parent, code);
  const here = column.texts.filter((_, code) => takes(code) && !rare.has(code));
  const others = [...rare].filter(takes).length;
  if (others) here.push(`other (${others} values)`);
  if (here.length <= SPELLED_OUT) return tree.condition[node];
  return `${column.shown} in {${here.map(listed).join(", ")}}${orMissing(tree, node)}`;
}

/** A category in a list: text that holds a comma or a brace stands in quotes, so that it is seen to be one. */
const listed = (text) => {
  const stands = !/[,{}]/.test(text) || /^(['"]).*\1$/.test(text);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return stands ? text : quote + text + quote;
};

/** Whether the tests above a node let a category of its column through; one that is in no group may go anywhere. */
function arrives(tree, node, code) {
  for (let at = node; tree.parent[at] >= 0; at = tree.parent[at]) {
    const above = tree.parent[at];
    if (tree.feature[above] !== tree.feature[node]) continue;
    const branch = tree.pool[tree.lookup[above] + 1 + code];
    if (branch >= 0 && branch !== at - tree.first_child[above]) return false;
  }
  return true;
}

/** The way to a node as a rule. */
export function ruleOf(tree, node) {
  const conditions = pathTo(tree, node).slice(1).map((at) => conditionInFull(tree, at));
  const answer = `then ${tree.target ? `${tree.target}: ` : ""}${answerText(tree, node)}`;
  return conditions.length ? `if ${conditions.join("\nand ")}\n${answer}` : `always\n${answer}`;
}

export function sizeOf(tree, node) {
  if (tree.n_rows[node] === 0 && tree.weight[node] > 0) return `weight ${rounded(tree.weight[node])}`;
  const rows = plural(tree.n_rows[node], "row");
  const same = Math.abs(tree.weight[node] - tree.n_rows[node]) <= 1e-9 * tree.n_rows[node];
  return same ? rows : `${rows} (weight ${rounded(tree.weight[node])})`;
}

/** How many rows a node has, for its card. */
export const rowsText = (tree, node) =>
  isEmpty(tree, node) || tree.n_rows[node] ? plural(tree.n_rows[node], "row") : sizeOf(tree, node);

/** Whether no training row came to a node; of a tree from elsewhere only the weight may be known. */
export const isEmpty = (tree, node) => tree.n_rows[node] === 0 && tree.weight[node] === 0;

export const deviation = (tree, node) => Math.sqrt(tree.variance?.[node] ?? 0);

/** What its rows are like, in one line. */
export function factsOf(tree, node) {
  if (isEmpty(tree, node)) return "as its parent";
  if (!tree.labels && !tree.variance) return isLeaf(tree, node) ? "" : rounded(tree.mean[node]);
  const spread = rounded(deviation(tree, node));
  if (!tree.labels) return isLeaf(tree, node) ? `± ${spread}` : `${rounded(tree.mean[node])} ± ${spread}`;
  const decided = classesOf(tree, node).find((one) => one.label === tree.decision[node]);
  return classText(tree, decided ?? { label: tree.decision[node], weight: 0, share: 0 });
}

/** A class of a node in words: its label, its count and its share. */
export const classText = (tree, { label, weight, share }) =>
  `${tree.labels[label]}: ${weighed(weight)} (${percent(share)})`;

/** What the rows of a node are like, with every digit and every class that has more than a few rows; in lines. */
export function factsInFull(tree, node) {
  if (isEmpty(tree, node)) return ["as its parent"];
  if (tree.labels) {
    const classes = classesOf(tree, node);
    const lines = classes.slice(0, TOLD_CLASSES).map((one) => classText(tree, one));
    return classes.length > TOLD_CLASSES ? [...lines, `… ${classes.length - TOLD_CLASSES} more`] : lines;
  }
  return [number(tree.mean[node]) + (tree.variance ? ` ± ${number(deviation(tree, node))}` : "")];
}

/** What becomes of a missing cell. */
export function missingText(tree, node) {
  const { surrogates } = tree;
  const fallback = tree.default_child[node];
  const last =
    fallback < 0
      ? "shared among the branches by weight"
      : `to “${branchLabel(tree, tree.first_child[node] + fallback)}”`;
  const count = missingHere(tree, node);
  if (!surrogates?.count[node]) return last + count;
  const first = surrogates.first[node];
  const stands = surrogates.feature.slice(first, first + surrogates.count[node]);
  return `as ${stands.map((feature) => tree.columns[feature].shown).join(", then ")} says; else ${last}${count}`;
}

/** How many training rows had no cell for a node's test; nothing where there were none, or nobody knows. */
function missingHere(tree, node) {
  if (!tree.missing_weight) return "";
  const weight = childrenOf(tree, node).reduce((sum, child) => sum + tree.missing_weight[child], 0);
  return weight > 0 ? ` (${weighed(weight)} of the training rows)` : "";
}

/** All a screen reader needs to know of a node. */
export function spoken(tree, node) {
  const way = node === 0 ? "All rows" : tree.condition[node];
  const what = isLeaf(tree, node) ? `leaf, answers ${answerText(tree, node)}` : `asks for ${titleOf(tree, node)}`;
  return `${way}: ${what}, ${sizeOf(tree, node)}, ${factsOf(tree, node)}`;
}

/** What a search looks through. */
export function searchText(tree, node) {
  const way = node > 0 ? conditionInFull(tree, node) : "";
  return `${titleOf(tree, node)}\n${way}\n${isLeaf(tree, node) ? "leaf" : ""}`.toLowerCase();
}

export const summary = (tree) => {
  const leaves = tree.feature.filter((feature) => feature < 0).length;
  const depth = tree.depth.reduce((most, one) => Math.max(most, one), 0);
  const ends = leaves === 1 ? "1 leaf" : `${leaves} leaves`;
  return `${plural(tree.n, "node")}, ${ends}, depth ${depth}, ${sizeOf(tree, 0)}`;
};

export const hiddenBelow = (tree, node) => tree.size[node] - 1;
