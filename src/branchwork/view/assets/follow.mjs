// Following a row: a form with a field for every column in use, a place to paste one, and what the tree answers.
import { h, number, percent } from "../../webpage/assets/common.mjs";
import { brief } from "./dom.mjs";
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
  const result = createResult();
  const fieldOf = (feature) => fieldFor(tree.columns[feature], `${prefix}-f${feature}`);
  const fields = new Map(tree.used.map((feature) => [feature, fieldOf(feature)]));
  const show = () => {
    try {
      const row = rowOf(tree, fields);
      const way = walk(tree, row);
      result.say(answered(tree, way), detailsOf(tree, way, goTo));
      onWalk(way);
    } catch (error) {
      fail(error);
    }
  };
  const fail = (error) => {
    result.say(h("p", { class: "error" }, error.message));
    onWalk(null);
  };
  const paste = pasteArea(tree, prefix, fields, show, fail);
  const clear = () => {
    setFields(tree, fields, emptyRow(tree));
    paste.querySelector("textarea").value = "";
    result.say();
    onWalk(null);
  };
  // Not a form: a sandboxed frame has none.
  const form = h("div", { class: "row", role: "group", "aria-label": "Cells of the row", input: show });
  for (const [feature, field] of fields) {
    form.append(h("label", { for: field.id }, tree.columns[feature].shown), field);
  }
  const button = (text, click) => h("button", { type: "button", click }, text);
  form.append(h("div", { class: "buttons" }, button("Follow", show), button("Clear", clear)));
  setFields(tree, fields, emptyRow(tree));
  return h("details", { class: "follow" }, h("summary", {}, "Follow a row"), form, paste, result.element);
}

/** Where the answer stands. A screen reader reads it at once, and not the details. */
function createResult() {
  const [said, details] = [h("div", { role: "status" }), h("div", {})];
  const say = (answer, more = []) => {
    said.replaceChildren(...(answer ? [answer] : []));
    details.replaceChildren(...more);
  };
  return { element: h("div", { class: "result" }, said, details), say };
}

function pasteArea(tree, prefix, fields, show, fail) {
  const id = `${prefix}-paste`;
  const area = h("textarea", { id, rows: 2, spellcheck: "false", placeholder: exampleOf(tree) });
  area.addEventListener("input", () => {
    if (!area.value.trim()) return;
    try {
      setFields(tree, fields, parseRow(tree, area.value));
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

function setFields(tree, fields, row) {
  for (const [feature, field] of fields) setField(tree.columns[feature], field, row[feature]);
}

/** Shows a cell in its field. A field's text may say less than the cell, so the cell stays as long as the text does. */
function setField(column, field, cell) {
  if (field.localName === "select" || (!column.nominal && !Number.isNaN(cell))) field.value = String(cell);
  else if (cell >= 0) field.value = String(column.values[cell]);
  else field.value = cell === UNSEEN ? "another value" : "";
  field.given = { text: field.value, cell };
}

function cellIn(column, field) {
  if (field.localName === "select") return Number(field.value);
  return field.value === field.given.text ? field.given.cell : cellOfText(column, field.value);
}

function rowOf(tree, fields) {
  const row = emptyRow(tree);
  for (const [feature, field] of fields) {
    const column = tree.columns[feature];
    row[feature] = cellIn(column, field);
    if (row[feature] === UNSEEN && tree.handle_unknown === "error") {
      throw new Error(`${column.shown}: training never saw this value, and handle_unknown="error" refuses it.`);
    }
  }
  return row;
}

function answered(tree, { leaves }) {
  const answer = answerOf(tree, leaves);
  const text = tree.labels ? tree.labels[answer.label] : number(answer.value);
  return h("p", { class: "answer" }, "Answer: ", h("strong", {}, text));
}

function detailsOf(tree, { steps, leaves }, goTo) {
  const parts = [];
  if (tree.labels) {
    const { outputs } = answerOf(tree, leaves);
    const classes = tree.classes.map((label) => ({ label, share: outputs[label] }));
    parts.push(classTable(tree, classes.sort((a, b) => b.share - a.share || a.label - b.label)));
  }
  parts.push(h("ol", { class: "steps" }, steps.slice(0, MOST_STEPS).map((step) => stepLine(tree, step, goTo))));
  if (steps.length > MOST_STEPS) parts.push(h("p", {}, `… ${steps.length - MOST_STEPS} steps more`));
  const several = leaves.length > 1;
  const end = ({ node, share }) => h("li", {}, link(node, goTo), several ? ` ${percent(share)}` : "");
  parts.push(h("p", {}, several ? `Ends in ${leaves.length} leaves:` : "Ends in:"));
  parts.push(h("ul", { class: "steps" }, leaves.slice(0, MOST_STEPS).map(end)));
  if (leaves.length > MOST_STEPS) parts.push(h("p", {}, `… ${leaves.length - MOST_STEPS} leaves more`));
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
