// Following a row: a form with a field for every column in use, a place to paste one, and what the tree answers.
import { brief, h, number, percent } from "./dom.mjs";
import { classTable } from "./panel.mjs";
import { cellOfText, emptyRow, parseRow } from "./row.mjs";
import { answerOf, MISSING, UNSEEN, walk } from "./walk.mjs";
import { branchLabel } from "./words.mjs";

const MOST_CHOICES = 200; // of a list; columns with more categories have a text field
const MOST_STEPS = 200;

const HOW = {
  missing: "is not known",
  surrogate: "is not known",
  unseen: "was not seen in training",
  shared: "is not known: the row is shared among the branches by weight",
};

/**
 * Makes the form. `onWalk` is called with { steps, leaves } of each row, or with null when there is none; `goTo` with
 * a node that is asked for.
 */
export function createFollow(tree, prefix, onWalk, goTo) {
  const result = h("div", { class: "result", role: "status" });
  const fieldOf = (feature) => fieldFor(tree.columns[feature], `${prefix}-f${feature}`);
  const fields = new Map(tree.used.map((feature) => [feature, fieldOf(feature)]));
  const show = () => {
    try {
      const row = rowOf(tree, fields);
      const way = walk(tree, row);
      result.replaceChildren(...answered(tree, way, goTo));
      onWalk(way);
    } catch (error) {
      refuse(result, error, onWalk);
    }
  };
  const clear = () => {
    for (const [feature, field] of fields) setField(tree.columns[feature], field, emptyRow(tree)[feature]);
    result.replaceChildren();
    onWalk(null);
  };
  // Not a form: a sandboxed frame has none.
  const form = h("div", { class: "row", role: "group", "aria-label": "Cells of the row", input: show });
  for (const [feature, field] of fields) {
    form.append(h("label", { for: field.id }, tree.columns[feature].shown), field);
  }
  const button = (text, click) => h("button", { type: "button", click }, text);
  form.append(h("div", { class: "buttons" }, button("Follow", show), button("Clear", clear)));
  const paste = pasteArea(tree, prefix, fields, show, (error) => refuse(result, error, onWalk));
  return h("details", { class: "follow" }, h("summary", {}, "Follow a row"), form, paste, result);
}

function refuse(result, error, onWalk) {
  result.replaceChildren(h("p", { class: "error" }, error.message));
  onWalk(null);
}

function pasteArea(tree, prefix, fields, show, fail) {
  const id = `${prefix}-paste`;
  const area = h("textarea", { id, rows: 2, spellcheck: "false", placeholder: exampleOf(tree) });
  area.addEventListener("input", () => {
    if (!area.value.trim()) return;
    try {
      const row = parseRow(tree, area.value);
      for (const [feature, field] of fields) setField(tree.columns[feature], field, row[feature]);
    } catch (error) {
      fail(error);
      return;
    }
    show();
  });
  const label = h("label", { for: id }, "or paste it: JSON, or cells in the order of the columns");
  return h("div", { class: "paste" }, label, area);
}

function exampleOf(tree) {
  const names = tree.columns.slice(0, 3).map((column) => column.shown);
  return `${names.join(",")}${tree.columns.length > 3 ? ",…" : ""}`;
}

/** A list for a few categories, a text field otherwise. An empty field is a missing cell. */
function fieldFor(column, id) {
  if (!column.nominal) return h("input", { id, inputmode: "decimal", autocomplete: "off", placeholder: "missing" });
  if (column.texts.length > MOST_CHOICES) return h("input", { id, autocomplete: "off", placeholder: "missing" });
  const choice = (value, text) => h("option", { value }, text);
  return h("select", { id }, [
    choice(MISSING, "missing"),
    column.texts.map((text, code) => choice(code, text)),
    choice(UNSEEN, "another value"),
  ].flat());
}

function setField(column, field, cell) {
  if (field.localName === "select" || (!column.nominal && !Number.isNaN(cell))) field.value = String(cell);
  else if (cell >= 0) field.value = String(column.values[cell]);
  else field.value = cell === UNSEEN ? "another value" : "";
}

function rowOf(tree, fields) {
  const row = emptyRow(tree);
  for (const [feature, field] of fields) {
    const column = tree.columns[feature];
    row[feature] = field.localName === "select" ? Number(field.value) : cellOfText(column, field.value);
    if (row[feature] === UNSEEN && tree.handle_unknown === "error") {
      throw new Error(`${column.shown}: training never saw this value, and handle_unknown="error" refuses it.`);
    }
  }
  return row;
}

function answered(tree, { steps, leaves }, goTo) {
  const answer = answerOf(tree, leaves);
  const text = tree.labels ? tree.labels[answer.label] : number(answer.value);
  const parts = [h("p", { class: "answer" }, "Answer: ", h("strong", {}, text))];
  if (tree.labels) {
    const classes = tree.classes.map((label) => ({ label, share: answer.outputs[label] }));
    parts.push(classTable(tree, classes.sort((a, b) => b.share - a.share || a.label - b.label)));
  }
  parts.push(h("ol", { class: "steps" }, steps.slice(0, MOST_STEPS).map((step) => stepLine(tree, step, goTo))));
  if (steps.length > MOST_STEPS) parts.push(h("p", {}, `… ${steps.length - MOST_STEPS} steps more`));
  const several = leaves.length > 1;
  const end = ({ node, share }) => h("li", {}, link(node, goTo), several ? ` ${percent(share)}` : "");
  parts.push(h("p", {}, several ? `Ends in ${leaves.length} leaves:` : "Ends in:"));
  parts.push(h("ul", { class: "steps" }, leaves.slice(0, MOST_STEPS).map(end)));
  return parts;
}

function stepLine(tree, { node, branch, how, by, share }, goTo) {
  const column = tree.columns[tree.feature[node]].shown;
  const child = tree.first_child[node] + branch;
  const part = share < 1 ? ` (${brief(share)} of the row)` : "";
  const known = how === "known" ? tree.condition[child] : `${column} ${HOW[how]}`;
  const stands = how === "surrogate" ? `, ${tree.columns[by].shown} stands in` : "";
  const goes = how === "known" || how === "shared" ? "" : `: to “${branchLabel(tree, child)}”`;
  return h("li", {}, link(node, goTo), ` ${known}${stands}${goes}${part}`);
}

const link = (node, goTo) =>
  h("button", { type: "button", class: "link", click: () => goTo(node) }, `node ${node}`);
