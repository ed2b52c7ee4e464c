// A model as questions, one at a time. The program (export/program.py) is followed with the answers given so far; the first
// cell that it wants and does not have is the next question. Text of the table only ever becomes text nodes.

import { h } from "../../webpage/assets/common.mjs";
import { number, percent } from "../../webpage/assets/digits.mjs";

const MISSING = -1; // of a category's code, and in child_of: as good as missing
const UNSEEN = -2;
const SHARED = -1; // in `missing`: down every branch
const TIE = 1e-12;
const MOST_BUTTONS = 24;
const MOST_LEAVES = 12;
const NUMBER = /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$/i;

// ---- the program

/** Follows the answers: {leaves} of each tree with their shares, or {ask, instead}: a field that is not answered yet. */
export function follow(program, cells) {
  const trees = [];
  for (const steps of program.trees) {
    const leaves = [];
    const waiting = [[0, 1]];
    while (waiting.length) {
      const [at, share] = waiting.pop();
      const step = steps[at];
      if (step.outputs) {
        leaves.push({ leaf: step, at, share });
        continue;
      }
      const next = childOf(step, program, cells);
      if (typeof next === "object") return next;
      if (next !== SHARED) waiting.push([step.children[next], share]);
      else {
        for (let k = step.children.length - 1; k >= 0; k--) {
          if (step.shares[k] > 0) waiting.push([step.children[k], share * step.shares[k]]);
        }
      }
    }
    trees.push(leaves);
  }
  return { trees };
}

function childOf(step, program, cells) {
  if (!cells.has(step.field)) return { ask: step.field };
  const own = childOfCell(step, cells.get(step.field));
  if (own !== MISSING) return own;
  for (const other of step.substitutes) {
    if (!cells.has(other.field)) return { ask: other.field, instead: step.field };
    const child = childOfSubstitute(other, cells.get(other.field));
    if (child !== MISSING) return child;
  }
  return step.missing;
}

function childOfCell(step, cell) {
  if (step.child_of) return cell >= 0 ? step.child_of[cell] : cell === UNSEEN ? step.unseen : MISSING;
  if (Number.isNaN(cell)) return MISSING;
  let child = 0;
  while (child < step.bounds.length && step.bounds[child] < cell) child++;
  return child;
}

function childOfSubstitute(other, cell) {
  if (other.child_of) return cell >= 0 ? other.child_of[cell] : MISSING;
  if (Number.isNaN(cell)) return MISSING;
  return cell <= other.cut ? other.low_child : 1 - other.low_child;
}

/** The outputs, of all labels or the number, and the position of the class that is decided for. */
export function answerOf(program, trees) {
  const outputs = linked(program, together(program, trees.map(mixed)));
  if (!program.labels) return { outputs, decision: -1 };
  if (program.kind === "single" && !program.shares_rows) return { outputs, decision: trees[0][0].leaf.decision };
  const largest = Math.max(...outputs);
  return { outputs, decision: outputs.findIndex((output) => output >= largest - TIE) };
}

function mixed(leaves) {
  return leaves[0].leaf.outputs.map((_, k) =>
    leaves.reduce((sum, { leaf, share }) => sum + leaf.outputs[k] * share, 0),
  );
}

function together(program, outputs) {
  if (program.kind === "single") return outputs[0];
  if (program.kind === "mean") return outputs[0].map((_, k) => outputs.reduce((sum, own) => sum + own[k], 0) / outputs.length);
  const sums = [...program.base];
  outputs.forEach((own, tree) => {
    if (program.output) sums[program.output[tree]] += own[0];
    else own.forEach((value, k) => (sums[k] += value));
  });
  return sums;
}

function linked(program, sums) {
  if (program.link === "exp") return sums.map(Math.exp);
  if (program.link === "logistic") {
    const chance = 1 / (1 + Math.exp(-sums[0]));
    return [1 - chance, chance];
  }
  if (program.link !== "softmax") return sums;
  const largest = Math.max(...sums);
  const parts = sums.map((sum) => Math.exp(sum - largest));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / whole);
}

/** Makes infinities, which JSON does not have, numbers again. */
export function revived(program) {
  for (const steps of program.trees) {
    for (const step of steps) {
      if (step.outputs) step.outputs = step.outputs.map(Number);
      else step.bounds = step.bounds.map(Number);
      for (const other of step.substitutes ?? []) if (other.cut !== null) other.cut = Number(other.cut);
    }
  }
  return program;
}

// ---- the page

/** Shows the questions in an element. */
export function mount(root, program, title) {
  let given = []; // {field, cell, text} in the order they were asked

  const say = (field, cell, text) => show([...given, { field, cell, text }]);
  const back = (count) => show(given.slice(0, count));

  function show(answers, isFirst = false) {
    given = answers;
    const found = follow(program, new Map(given.map(({ field, cell }) => [field, cell])));
    const main = found.trees ? result(program, found.trees, given) : question(program, found, given, say);
    root.replaceChildren(h("h1", {}, title), main, soFar(program, given, back));
    if (!isFirst) (main.querySelector("input, select") ?? main.querySelector("h2")).focus();
  }

  show([], true);
}

function question(program, { ask, instead }, given, say) {
  const field = program.fields[ask];
  const why = instead === undefined ? null : `Asked because ${program.fields[instead].name} is not known.`;
  return h(
    "section",
    { class: "question", "aria-labelledby": "asked" },
    h("p", { class: "count" }, `Question ${given.length + 1}`),
    h("h2", { id: "asked", tabindex: "-1" }, field.name),
    why && h("p", { class: "soft" }, why),
    field.nominal ? categories(program, ask, say) : numbers(ask, say),
    h("button", { type: "button", class: "unknown", click: () => say(ask, field.nominal ? MISSING : NaN, "not known") }, "I do not know"),
  );
}

function numbers(ask, say) {
  const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-labelledby": "asked", "aria-describedby": "wrong" });
  const wrong = h("p", { id: "wrong", class: "wrong", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    const typed = input.value.trim();
    if (!NUMBER.test(typed)) {
      wrong.textContent = typed ? `Expected a number, found “${typed}”.` : "Type a number, or say that you do not know.";
      input.setAttribute("aria-invalid", "true");
      input.focus();
      return;
    }
    const cell = Number(typed.replace(/inf(inity)?/i, "Infinity"));
    say(ask, cell, String(cell));
  };
  return h("form", { submit, novalidate: true }, input, h("button", { class: "main" }, "Next"), wrong);
}

function categories(program, ask, say) {
  const { texts, others } = program.fields[ask];
  const choices = texts.map((text, code) => [text, code]);
  if (others) choices.push(["Something else", UNSEEN]);
  if (choices.length <= MOST_BUTTONS) {
    const buttons = choices.map(([text, code]) => h("button", { type: "button", click: () => say(ask, code, text) }, text));
    return h("div", { class: "choices", role: "group", "aria-labelledby": "asked" }, buttons);
  }
  const select = h("select", { "aria-labelledby": "asked" }, choices.map(([text], k) => h("option", { value: k }, text)));
  const submit = (event) => {
    event.preventDefault();
    const [text, code] = choices[select.value];
    say(ask, code, text);
  };
  return h("form", { submit }, select, h("button", { class: "main" }, "Next"));
}

function soFar(program, given, back) {
  if (!given.length) return h("section", { class: "path", hidden: true });
  const items = given.map(({ field, text }, k) =>
    h(
      "li",
      {},
      h("span", { class: "name" }, program.fields[field].name),
      h("span", { class: "said" }, text),
      h("button", { type: "button", "aria-label": `Change ${program.fields[field].name}`, click: () => back(k) }, "Change"),
    ),
  );
  return h(
    "section",
    { class: "path", "aria-labelledby": "sofar" },
    h("h2", { id: "sofar" }, "So far"),
    h("ol", {}, items),
    h(
      "p",
      { class: "ways" },
      h("button", { type: "button", click: () => back(given.length - 1) }, "One step back"),
      h("button", { type: "button", click: () => back(0) }, "Start again"),
    ),
  );
}

function result(program, trees, given) {
  const { outputs, decision } = answerOf(program, trees);
  return h(
    "section",
    { class: "result", "aria-labelledby": "found" },
    h("p", { class: "count" }, given.length === 1 ? "After 1 question" : `After ${given.length} questions`),
    h("h2", { id: "found", tabindex: "-1" }, told(program, decision, outputs)),
    program.labels ? chances(program, outputs) : null,
    origin(program, trees),
  );
}

/** An answer with the name of what is predicted, if it has one: "survived: yes". */
function told(program, decision, outputs) {
  const says = program.labels ? program.labels[decision] : number(outputs[0]);
  return program.target ? `${program.target}: ${says}` : says;
}

function chances(program, outputs) {
  const rows = program.classes.map((label) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, program.labels[label]),
      h("td", { class: "bar" }, h("span", { style: `width: ${(100 * outputs[label]).toFixed(2)}%` })),
      h("td", { class: "share" }, percent(outputs[label])),
    ),
  );
  return h("table", {}, h("caption", {}, "Probability of each answer"), h("tbody", {}, rows));
}

/** Where the answer comes from: of one leaf there is nothing to say. */
function origin(program, trees) {
  if (program.kind !== "single") {
    return h("p", { class: "soft" }, `${program.kind === "mean" ? "The mean" : "The sum"} of ${trees.length} trees.`);
  }
  const [leaves] = trees;
  if (leaves.length === 1) return null;
  const listed = [...leaves].sort((a, b) => b.share - a.share || a.at - b.at);
  const items = listed.slice(0, MOST_LEAVES).map(({ leaf, share }) => {
    const says = told(program, leaf.decision, leaf.outputs);
    return h("li", {}, `${percent(share)} of it would end in a leaf that says `, h("b", {}, says));
  });
  if (listed.length > MOST_LEAVES) items.push(h("li", {}, `… and ${listed.length - MOST_LEAVES} more leaves`));
  return h(
    "div",
    { class: "soft" },
    h("p", {}, `Not everything is known, so this is a mixture of ${leaves.length} leaves:`),
    h("ul", {}, items),
  );
}
