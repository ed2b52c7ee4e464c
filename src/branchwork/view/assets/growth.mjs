// The growth of a tree, step by step as in a lecture: a node, each candidate with its arithmetic, the choice, the split.
import { h } from "../../webpage/assets/common.mjs";
import { measured } from "../../webpage/assets/digits.mjs";
import { candidatesAt, marginOf, shortVerdict, worthCell, worthWords } from "./candidates.mjs";
import { childList, valueWords } from "./charts.mjs";
import { plural } from "./dom.mjs";
import { classTable } from "./panel.mjs";
import { childrenOf, classesOf, isLeaf } from "./walk.mjs";
import { answerText, branchLabel, conditionInFull, sizeOf, summary } from "./words.mjs";

const MOST_TRIED = 5; // candidates of a node that have a step of their own, if there are more than one beyond

/** The steps: { kind, node, candidate }. Nodes come in the order of their numbers, the root first. */
export function growthSteps(tree) {
  const steps = [];
  for (let node = 0; node < tree.n; node++) {
    if (isLeaf(tree, node) && node > 0) continue;
    steps.push({ kind: "node", node });
    const found = candidatesAt(tree, node);
    for (const candidate of tried(found ?? [])) steps.push({ kind: "try", node, candidate });
    if (isLeaf(tree, node)) continue;
    if (found) steps.push({ kind: "choose", node });
    steps.push({ kind: "split", node });
  }
  steps.push({ kind: "end", node: 0 });
  return steps;
}

/** The candidates that are tried one by one, in the order of the table: all, or the best of many. */
function tried(found) {
  const able = found.filter(({ worth }) => worth !== null);
  const best = able.length > MOST_TRIED + 1 ? able.slice(0, MOST_TRIED) : able;
  return best.sort((a, b) => a.place - b.place);
}

/** The inner nodes whose children are there in a step. */
export function openAt(tree, { kind, node }) {
  const open = [];
  const done = kind === "split" ? node : kind === "end" ? tree.n : node - 1;
  for (let at = 0; at < tree.n && at <= done; at++) if (!isLeaf(tree, at)) open.push(at);
  return open;
}

/** What a step says; its first element is the heading. */
export function stepContent(tree, step) {
  return { node: aboutNode, try: aboutCandidate, choose: aboutChoice, split: aboutSplit, end: aboutEnd }[step.kind](tree, step);
}

function aboutNode(tree, { node }) {
  const leaf = isLeaf(tree, node);
  const heading = leaf ? "A single leaf" : `Node ${node}: which feature parts ${node ? "these" : "the"} ${sizeOf(tree, node)} best?`;
  const way = node > 0 ? [h("p", { class: "note" }, conditionInFull(tree, node))] : [];
  const lines = tree.working?.lecture[node]?.node ?? [];
  const rows = tree.labels ? [classTable(tree, classesOf(tree, node))] : [h("p", {}, `${tree.target ?? "Mean"}: ${valueWords(tree.mean[node])}`)];
  return [h("h2", {}, heading), ...way, ...rows, ...equations(lines.length ? lines : plainImpurity(tree, node))];
}

const plainImpurity = (tree, node) => (tree.impurity[node] === null ? [] : [`${tree.unit} = ${measured(tree.impurity[node])}`]);

function aboutCandidate(tree, { node, candidate }) {
  const lines = candidate.lines?.length ? candidate.lines : plainGain(tree, node, candidate);
  const children = candidate.detail?.branches ? [childList(tree, candidate.detail.branches)] : [];
  return [h("h2", {}, `Try ${candidate.feature} `, h("span", { class: "id" }, candidate.test)), ...children, ...equations(lines)];
}

function plainGain(tree, node, { feature, before, remainder, gain, worth }) {
  if (gain === null || remainder === null) return [`${feature}: ${worthWords(tree, worth)}`];
  return [`Gain(${feature}) = ${measured(before ?? tree.impurity[node])} − ${measured(remainder)} = ${measured(gain)}`];
}

function aboutChoice(tree, { node }) {
  const found = candidatesAt(tree, node);
  const rows = found.map((one) =>
    h(
      "tr",
      { class: one.verdict === "chosen" ? "chosen" : null },
      h("th", { scope: "row" }, one.feature),
      worthCell(tree, one),
      h("td", { class: "verdict", title: tree.working.reasons[one.verdict] }, shortVerdict(tree, one)),
    ),
  );
  const end = tree.working.lecture[node]?.end ?? [];
  const margin = marginOf(tree, found);
  return [
    h("h2", {}, "The best one splits the node"),
    margin ? h("p", { class: "margin" }, margin) : "",
    h("table", { class: "working" }, h("tbody", {}, rows)),
    ...equations(end),
  ].filter(Boolean);
}

function aboutSplit(tree, { node }) {
  const items = childrenOf(tree, node).map((child) => {
    const why = tree.stopped[tree.stop[child]];
    const next = isLeaf(tree, child) ? [h("strong", {}, `answers ${answerText(tree, child)}`), why ? `: it is ${why}.` : "."] : ["is split further below."];
    return h("li", {}, h("span", { class: "condition" }, branchLabel(tree, child)), ` ${sizeOf(tree, child)}, `, ...next);
  });
  const name = tree.columns[tree.feature[node]].shown;
  return [h("h2", {}, `Split by ${name}: ${plural(items.length, "branch").replace("branchs", "branches")}`), h("ul", { class: "steps" }, items)];
}

const aboutEnd = (tree) => [h("h2", {}, "The tree is grown"), h("p", {}, `${summary(tree)}. Click any node to see its work again.`)];

// ---- equations

/** Lines of arithmetic; a/b in brackets is written as a fraction. */
const equations = (lines) => (lines.length ? [h("div", { class: "equations" }, lines.map(equationLine))] : []);

function equationLine(text) {
  const parts = text.split(/(\([^()/]+\/[^()/]+\)|log2)/).map((part) => {
    if (part === "log2") return ["log", h("sub", {}, "2")];
    const fraction = /^\(([^()/]+)\/([^()/]+)\)$/.exec(part);
    return fraction ? h("span", { class: "fraction" }, h("span", {}, fraction[1]), h("span", {}, fraction[2])) : part;
  });
  return h("div", { role: "math", "aria-label": text }, h("span", { "aria-hidden": "true" }, parts.flat()));
}
