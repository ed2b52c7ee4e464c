// The side panel: the work of a node first, then its data, its rule, its rows and classes, and why it is a leaf.
import { h } from "../../webpage/assets/common.mjs";
import { candidatesAt, candidateTable, marginOf, moreNumbers } from "./candidates.mjs";
import { classWords, histogramOf, measuredNumber, valueWords } from "./charts.mjs";
import { colourOf, swatch } from "./dom.mjs";
import { childrenOf, classesOf, isLeaf } from "./walk.mjs";
import { answerText, deviation, isEmpty, missingText, ruleOf, sizeOf, titleOf } from "./words.mjs";

const MOST_CLASSES = 20;

/** Shows a node in the panel. */
export function showNode(tree, panel, node) {
  const answer = `answers ${tree.target ? `${tree.target}: ` : ""}${answerText(tree, node)}`;
  const data = h("div", { class: "data" });
  const drawData = () => data.replaceChildren(...dataOf(tree, node));
  panel.replaceChildren(
    h("h2", {}, h("span", { class: "id" }, `Node ${node}`), ` ${isLeaf(tree, node) ? answer : `asks for ${titleOf(tree, node)}`}`),
    ...whyLeaf(tree, node),
    ...proofOf(tree, node),
    ...workingOf(tree, node),
    data,
    ...rule(tree, node),
    ...rowsOf(tree, node),
  );
  drawData();
  tree.redrawData = drawData; // the row that is followed is marked anew
}

function whyLeaf(tree, node) {
  const why = tree.stopped[tree.stop[node]];
  return why ? [h("p", { class: "why" }, `It is ${why}.`)] : [];
}

/** What is proven about an optimal tree: all of it at the root, a sentence below. */
const proofOf = ({ proof }, node) =>
  (node ? proof.below : proof.root).map((sentence) => h("p", { class: "proof" }, sentence));

// ---- the work

function workingOf(tree, node) {
  const found = candidatesAt(tree, node);
  if (!found) return noWorking(tree, node);
  const margin = marginOf(tree, found);
  return [
    h("h3", {}, margin ? "Why this split" : "Candidates"),
    ...(margin ? [h("p", { class: "margin" }, margin)] : []),
    ...(found.length ? [candidateTable(tree, node, found)] : []),
    ...leftOut(tree, node),
    ...[moreNumbers(tree, found)].filter(Boolean),
  ];
}

/** Why there is no working; a leaf may never have had any. */
function noWorking(tree, node) {
  if (isLeaf(tree, node)) return [];
  const made = `working(${node}, X=X, y=y) makes it from the training data.`;
  const note = tree.from_elsewhere
    ? "The tree came from elsewhere, without its working."
    : !tree.working
      ? `The tree grew too large to keep its working: ${made}`
      : tree.working.kept
        ? `Pruning has raised a subtree to this node, so the working that growth kept is of other rows: ${made}`
        : `This page has the working of the largest nodes: ${made}`;
  return [h("h3", {}, "Candidates"), h("p", { class: "note" }, note)];
}

/** How many candidates are not in the page, and where they are. */
function leftOut(tree, node) {
  const more = tree.working.more[node];
  if (!more) return [];
  const columns = more === 1 ? "column" : "columns";
  return [h("p", { class: "note" }, `… and ${grouped(more)} more ${columns}; working(${node}) lists them all.`)];
}

const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, " ");

// ---- its data

/** A histogram of the feature that a node asks for, with the row that is followed. */
function dataOf(tree, node) {
  if (!tree.rows || isLeaf(tree, node)) return [];
  const column = tree.columns[tree.feature[node]];
  const name = tree.labels ? column.shown : `${tree.target ?? "Target"} against ${column.shown}`;
  const drawn = nodeHistogram(tree, node);
  if (drawn) return [h("h3", {}, name), drawn];
  const why = tree.rows.left_out ? "Only the largest nodes have a histogram, so that the page stays small." : "Fewer than two of the rows come here.";
  return [h("h3", {}, name), h("p", { class: "note" }, why)];
}

/** The histogram of a node; undefined where it has none. */
export function nodeHistogram(tree, node, small = false) {
  const histogram = tree.rows?.nodes[node];
  if (!histogram) return undefined;
  const feature = tree.feature[node];
  const means = tree.labels ? [] : childrenOf(tree, node).map((child) => tree.mean[child]);
  return histogramOf(tree, feature, histogram, { cuts: cutsOf(tree, node), means, cell: tree.followed?.[feature], small });
}

function cutsOf(tree, node) {
  if (tree.columns[tree.feature[node]].nominal) return [];
  const begin = tree.lookup[node];
  return begin < 0 ? [tree.cut[node]] : tree.bounds.slice(begin, begin + tree.n_children[node] - 1);
}

// ---- its rule

function rule(tree, node) {
  const text = ruleOf(tree, node);
  const lines = h("pre", { class: "rule", tabindex: 0, role: "group", "aria-label": "Rule" }, text);
  const button = h("button", { type: "button", click: () => copy(text, lines, button) }, "Copy");
  return [h("h3", {}, "Rule", button), lines];
}

/** Copies text; where the browser does not let a frame do that, it is marked, ready for Ctrl+C. */
async function copy(text, element, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(element);
    button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
  }
}

// ---- its rows

function rowsOf(tree, node) {
  const known = isEmpty(tree, node) ? [] : tree.labels ? [classTable(tree, classesOf(tree, node))] : [meanTable(tree, node)];
  return [h("h3", {}, "Rows"), facts(tree, node), ...known];
}

function facts(tree, node) {
  const pairs = [["Rows", sizeOf(tree, node)]];
  if (tree.impurity[node] !== null) pairs.push([capital(tree.unit), measuredNumber(tree.impurity[node])]);
  if (!isLeaf(tree, node)) {
    if (tree.gain[node] !== null) pairs.push(["Gain", measuredNumber(tree.gain[node])]);
    pairs.push(["Missing cells go", missingText(tree, node)]);
  }
  return pairList(pairs);
}

const pairList = (pairs) => h("dl", {}, pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Classes with weight and probability; `classes` = [{ label, weight, share }], the likeliest first. */
export function classTable(tree, classes) {
  const head = tree.target ? h("thead", {}, h("tr", {}, h("th", { scope: "col" }, tree.target), h("td", {}))) : null;
  const body = classes.slice(0, MOST_CLASSES).map(({ label, weight, share }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, swatch(tree, label), h("span", { title: weight === undefined ? String(share) : String(weight) }, classWords(tree, label, weight, share))),
      h("td", { class: "share" }, shareBar(tree, label, share) || null),
    ),
  );
  const more = classes.length - MOST_CLASSES;
  if (more > 0) body.push(h("tr", {}, h("td", { colspan: 2 }, `… ${more} more`)));
  return h("table", { class: "classes" }, head, h("tbody", {}, body));
}

const shareBar = (tree, label, share) =>
  share > 0 && h("span", { class: "bar", style: `width: ${100 * share}%; background: ${colourOf(tree, label)}` });

/** A value, and all its digits where a pointer rests on it. */
const exactly = (x) => h("span", { title: String(x) }, valueWords(x));

function meanTable(tree, node) {
  const named = (what) => (tree.target ? `${tree.target}, ${what}` : capital(what));
  return pairList(
    tree.variance
      ? [[named("mean"), exactly(tree.mean[node])], [named("standard deviation"), exactly(deviation(tree, node))]]
      : [[named("value"), exactly(tree.mean[node])]],
  );
}
