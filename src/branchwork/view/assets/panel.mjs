// The side panel: a node's rule, its rows, its working, and why it is a leaf.
import { h, number, percent } from "../../webpage/assets/common.mjs";
import { brief, chance, colourOf, decidingChance, fixed, swatch } from "./dom.mjs";
import { classesOf, isLeaf } from "./walk.mjs";
import { answerText, deviation, isEmpty, missingText, ruleOf, sizeOf, titleOf } from "./words.mjs";

const MOST_CLASSES = 20;

/** Shows a node in the panel. */
export function showNode(tree, panel, node) {
  const heading = isLeaf(tree, node) ? `answers ${answerText(tree, node)}` : `asks for ${titleOf(tree, node)}`;
  panel.replaceChildren(
    h("h2", {}, h("span", { class: "id" }, `Node ${node}`), ` ${heading}`),
    ...whyLeaf(tree, node),
    ...proofOf(tree, node),
    facts(tree, node),
    ...rule(tree, node),
    ...rowsOf(tree, node),
    ...workingOf(tree, node),
  );
}

function whyLeaf(tree, node) {
  const why = tree.stopped[tree.stop[node]];
  return why ? [h("p", { class: "why" }, `It is ${why}.`)] : [];
}

/** What is proven about an optimal tree: all of it at the root, a sentence below. */
const proofOf = ({ proof }, node) =>
  (node ? proof.below : proof.root).map((sentence) => h("p", { class: "proof" }, sentence));

function facts(tree, node) {
  const pairs = [["Rows", sizeOf(tree, node)]];
  if (tree.impurity[node] !== null) pairs.push([capital(tree.unit), fixed(tree.impurity[node])]);
  if (!isLeaf(tree, node)) {
    pairs.push(["Gain", fixed(tree.gain[node])], ["Missing cells go", missingText(tree, node)]);
  }
  return h("dl", {}, pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

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

function rowsOf(tree, node) {
  if (isEmpty(tree, node)) return [];
  return [h("h3", {}, "Its rows"), tree.labels ? classTable(tree, classesOf(tree, node)) : meanTable(tree, node)];
}

/** Classes with weight and probability; `classes` = [{ label, weight, share }], the likeliest first. */
export function classTable(tree, classes) {
  const weighed = classes.some(({ weight }) => weight !== undefined);
  const head = ["class", ...(weighed ? ["weight"] : []), "share"];
  const body = classes.slice(0, MOST_CLASSES).map(({ label, weight, share }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, swatch(tree, label), tree.labels[label]),
      weighed ? h("td", { class: "number" }, brief(weight)) : null,
      h("td", { class: "share" }, shareBar(tree, label, share), h("span", {}, percent(share))),
    ),
  );
  const more = classes.length - MOST_CLASSES;
  if (more > 0) body.push(h("tr", {}, h("td", { colspan: head.length }, `… ${more} more`)));
  return table("classes", head, body);
}

const shareBar = (tree, label, share) =>
  h("span", { class: "bar", style: `width: ${60 * share}%; background: ${colourOf(tree, label)}` });

function table(name, head, body) {
  const cells = head.map((text) => h("th", { scope: "col" }, text));
  return h("table", { class: name }, h("thead", {}, h("tr", {}, cells)), h("tbody", {}, body));
}

function meanTable(tree, node) {
  const pairs = tree.variance
    ? [["mean", number(tree.mean[node])], ["standard deviation", brief(deviation(tree, node))]]
    : [["value", number(tree.mean[node])]];
  return h("dl", {}, pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function workingOf(tree, node) {
  const rows = tree.working?.pages[node];
  if (!tree.working) {
    const note = tree.from_elsewhere
      ? "The tree came from elsewhere, without its working."
      : `The tree grew too large to keep its working: working(${node}, X=X, y=y) makes it from the training data.`;
    return noWorking(tree, node, note);
  }
  if (!rows) {
    const note =
      "Pruning has raised a subtree to this node, so the working that growth kept is of other rows: " +
      `working(${node}, X=X, y=y) makes it from the training data.`;
    return noWorking(tree, node, note);
  }
  const region = { class: "scroll", tabindex: 0, role: "group", "aria-label": "Working" };
  return [h("h3", {}, "Working"), h("div", region, workingTable(tree.working, rows)), ...leftOut(tree, node)];
}

/** Why there is no working; a leaf may never have had any. */
const noWorking = (tree, node, note) =>
  isLeaf(tree, node) ? [] : [h("h3", {}, "Working"), h("p", { class: "note" }, note)];

/** How many candidates are not in the page, and where they are. */
function leftOut(tree, node) {
  const more = tree.working.more[node];
  if (!more) return [];
  const columns = more === 1 ? "column" : "columns";
  return [h("p", { class: "note" }, `… and ${grouped(more)} more ${columns}; working(${node}) lists them all.`)];
}

const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, " ");

/** The best candidates; what no candidate has is left out. */
function workingTable({ columns, reasons }, rows) {
  const shown = columns.flatMap((name, k) => (rows.some((row) => row[k] !== null) ? [k] : []));
  const verdict = columns.indexOf("verdict");
  const test = columns.indexOf("test");
  const body = rows.map((row) => {
    const cells = row.with(test, withoutName(row[test], row[columns.indexOf("feature")]));
    const marked = { class: row[verdict] === "chosen" ? "chosen" : null };
    return h("tr", marked, shown.map((k) => workingCell(columns[k], cells[k], reasons)));
  });
  return table("working", shown.map((k) => columns[k].replaceAll("_", " ")), body);
}

/** A test without the name of its feature, which stands beside it. */
const withoutName = (test, feature) => (test?.startsWith(`${feature} `) ? test.slice(feature.length + 1) : test);

function workingCell(name, value, reasons) {
  if (name === "feature") return h("th", { scope: "row" }, value);
  if (name === "verdict") return h("td", {}, value === "chosen" ? "chosen" : reasons[value]);
  if (value === null) return h("td", { class: "number" }, "–");
  if (typeof value === "string" && name === "test") return h("td", {}, value);
  const write = { p_value: chance, adjusted_p: decidingChance }[name] ?? fixed;
  return h("td", { class: "number" }, write(Number(value)));
}
