// Following a row: a field for every column in use, a place to paste a row, what the tree answers, why, and what if.
import { h } from "../../webpage/assets/common.mjs";
import { classTable } from "./panel.mjs";
import { cellIn, fieldFor, setField } from "./fields.mjs";
import { nearestChange } from "./nearest.mjs";
import { emptyRow, parseRow } from "./row.mjs";
import { answerOf, UNSEEN, walk } from "./walk.mjs";
import { answerWords, changeLine, stepList } from "./why.mjs";

const SLOW = 30; // milliseconds: a search that takes longer waits until a slider rests
const REST = 150;

/**
 * Makes the form. `onWalk` is called with { steps, leaves } of each row, or with null when there is none; `goTo` with
 * a node that is asked for.
 */
export function createFollow(tree, prefix, onWalk, goTo) {
  const result = createResult();
  const made = new Map(tree.used.map((feature) => [feature, fieldFor(tree, feature, `${prefix}-f${feature}`)]));
  const fields = new Map([...made].map(([feature, { field }]) => [feature, field]));
  const whatIf = createWhatIf(tree, (row) => (setFields(tree, fields, row), show()));
  const show = () => {
    try {
      const row = rowOf(tree, fields);
      const way = walk(tree, row);
      followRow(tree, row);
      result.say(answered(tree, way), [whatIf.element, ...detailsOf(tree, row, way, goTo)]);
      whatIf.look(row, answerOf(tree, way.leaves));
      onWalk(way);
    } catch (error) {
      fail(error);
    }
  };
  const none = () => {
    whatIf.stop();
    followRow(tree, undefined);
    onWalk(null);
  };
  const fail = (error) => {
    result.say(h("p", { class: "error" }, error.message));
    none();
  };
  const paste = pasteArea(tree, prefix, fields, show, fail);
  const clear = () => {
    setFields(tree, fields, emptyRow(tree));
    paste.querySelector("textarea").value = "";
    result.say();
    none();
  };
  // Not a form: a sandboxed frame has none.
  const form = h("div", { class: "row", role: "group", "aria-label": "Cells of the row", input: show });
  for (const [feature, { box, field }] of made) {
    form.append(h("label", { for: field.id }, tree.columns[feature].shown), box);
  }
  const button = (text, click) => h("button", { type: "button", click }, text);
  const typical = () => (setFields(tree, fields, typicalRow(tree)), show());
  form.append(h("div", { class: "buttons" }, button("Follow", show), tree.rows ? button("Typical row", typical) : null, button("Clear", clear)));
  setFields(tree, fields, emptyRow(tree));
  const begin = () => tree.rows && !whole.open && !tree.followed && typical(); // with a row where there is one
  const whole = h("details", { class: "follow" }, h("summary", { click: begin }, "Follow a row"), form, paste, result.element);
  return whole;
}

/** Marks the row that is followed in the histograms. */
function followRow(tree, row) {
  tree.followed = row;
  tree.redrawData?.();
}

/** The row of medians and most frequent categories. */
const typicalRow = (tree) => emptyRow(tree).map((cell, feature) => tree.rows.columns[feature]?.typical ?? cell);

/** Where the nearest other answer stands; it is looked for at once where that is quick. */
function createWhatIf(tree, follow) {
  const element = h("div", {});
  let [timer, took] = [0, 0];
  const stop = () => clearTimeout(timer);
  const look = (row, answer) => {
    stop();
    const search = () => {
      const begin = performance.now();
      const found = nearestChange(tree, row);
      took = performance.now() - begin;
      const changed = () => follow(found.change.changes.reduce((cells, { feature, value }) => cells.with(feature, value), row));
      element.replaceChildren(changeLine(tree, found, answer, changed));
    };
    if (took > SLOW) timer = setTimeout(search, REST);
    else search();
  };
  return { element, look, stop };
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

function setFields(tree, fields, row) {
  for (const [feature, field] of fields) setField(tree.columns[feature], field, row[feature]);
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

/** The answer, under the name of the target where it has one. */
function answered(tree, { leaves }) {
  const answer = answerOf(tree, leaves);
  const exact = tree.labels ? null : String(answer.value);
  return h("p", { class: "answer" }, `${tree.target ?? "Answer"}: `, h("strong", { title: exact }, answerWords(tree, answer)));
}

function detailsOf(tree, row, way, goTo) {
  const parts = [];
  if (tree.labels) {
    const { outputs } = answerOf(tree, way.leaves);
    const classes = tree.classes.map((label) => ({ label, share: outputs[label] }));
    parts.push(classTable(tree, classes.sort((a, b) => b.share - a.share || a.label - b.label)));
  }
  return [...parts, h("h2", { class: "minor" }, "Why"), ...stepList(tree, row, way, goTo)];
}
