// The parts of the page and where they stand: the bar on top, the drawing, the panel beside it.
import { h, s } from "../../webpage/assets/common.mjs";
import { rounded } from "../../webpage/assets/digits.mjs";
import { swatch } from "./dom.mjs";
import { createDivider } from "./divider.mjs";
import { BY_VALUE, valuesOf } from "./shade.mjs";
import { summary } from "./words.mjs";

const LONG_LEGEND = 36; // letters; a longer legend has a line of its own

/** Fills an element with the page; returns the parts that others work with. */
export function build(element, tree, prefix, options) {
  const called = (what) => (options.among ? `${what}, ${options.title}` : what); // one of several trees on a page
  const keys = h("p", { class: "keys", id: `${prefix}-keys` }, keysText(options));
  const spoken = { role: "tree", "aria-label": "Decision tree", "aria-describedby": keys.id };
  const svg = s("svg", { class: "canvas", tabindex: 0, ...spoken });
  const typed = { type: "search", class: "search", placeholder: "Search  /", autocomplete: "off" };
  const search = h("input", { ...typed, "aria-label": "Search" });
  const hits = h("span", { class: "hits", role: "status" });
  const tooltip = h("div", { class: "tooltip", role: "tooltip", hidden: true });
  const panel = h("section", { class: "node", "aria-label": called("Node") });
  const legend = legendOf(tree);
  const name = h("div", { class: "name" }, h("h1", {}, options.title || "Decision tree"), h("p", {}, summary(tree)));
  const menu = saveMenu(options);
  const searching = [search, button("previous", "‹", "Previous match"), button("next", "›", "Next match"), hits];
  const bar = h("header", {}, name, legend, tools(...searching), tools(...lookingButtons(menu, prefix)));
  const stage = h("div", { class: "stage" }, h("div", { class: "view" }, svg, tooltip, keys));
  const aside = h("aside", { "aria-label": called("Details") }, panel);
  const whole = h("div", { class: "whole" }, bar, stage);
  const root = h("div", { class: options.embedded ? "branchwork embedded" : "branchwork" }, whole);
  element.replaceChildren(root);
  whole.append(aside);
  aside.before(createDivider(root, aside, called("Width of the details")));
  return { root, svg, search, hits, tooltip, panel, legend, menu, stage, aside };
}

const tools = (...content) => h("div", { class: "tools" }, content);

const button = (name, text, label, more = {}) =>
  h("button", { type: "button", "data-do": name, "aria-label": label, title: label, ...more }, text);

function lookingButtons(menu, prefix) {
  menu.id = `${prefix}-save`;
  const save = button("save", "Save", "Save a picture", { "aria-expanded": "false", "aria-controls": menu.id });
  return [
    button("smaller", "−", "Zoom out (−)"),
    button("larger", "+", "Zoom in (+)"),
    button("fit", "Fit", "Fit the tree into the window (0)"),
    button("unfold", "Unfold all", "Unfold all nodes"),
    button("fold", "Fold", "Fold to the first levels"),
    button("turn", turnIcon(), "Draw from left to right", { "aria-pressed": "false" }),
    h("div", { class: "saving" }, save, menu),
    button("theme", "◐", "Light or dark"),
  ];
}

/** A small tree that grows to the right. */
const turnIcon = () =>
  s(
    "svg",
    { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
    s("path", { class: "icon", d: "M5 8C9 8 7 3.5 11 3.5M5 8C9 8 7 12.5 11 12.5M1.5 6.5h3.5v3h-3.5zM11 2h3.5v3h-3.5zM11 11h3.5v3h-3.5z" }),
  );

const SAVES = [
  ["svg-seen", "SVG, what is seen"],
  ["svg-whole", "SVG, the whole tree"],
  ["png-seen", "PNG, what is seen"],
  ["png-whole", "PNG, the whole tree"],
];

function saveMenu({ embedded }) {
  const choices = SAVES.map(([name, text]) => h("button", { type: "button", "data-do": name }, text));
  if (!embedded) choices.push(h("button", { type: "button", "data-do": "print" }, "Print"));
  return h("div", { class: "menu", hidden: true }, choices);
}

/** What is predicted, with a button for each class, or one for the value, that shades the tree by it. */
function legendOf(tree) {
  const target = tree.target ? h("span", { class: "target" }, `${tree.target}:`) : null;
  const choices = tree.labels ? tree.classes.map((label) => classChoice(tree, label)) : [valueChoice(tree)];
  const letters = tree.labels ? tree.classes.reduce((sum, label) => sum + tree.labels[label].length + 4, 0) : 0;
  const name = letters > LONG_LEGEND ? "legend long" : "legend";
  return h("div", { class: name, role: "group", "aria-label": "Legend: shade the tree by" }, target, choices);
}

const choice = (shade, title, ...content) =>
  h("button", { type: "button", class: "class", "data-shade": shade, "aria-pressed": "false", title }, content);

const classChoice = (tree, label) =>
  choice(label, `Shade by the share of ${tree.labels[label]}`, swatch(tree, label), tree.labels[label]);

function valueChoice(tree) {
  const { low, high } = valuesOf(tree);
  return choice(BY_VALUE, "Shade by the value", rounded(low), h("span", { class: "ramp" }), rounded(high));
}

const keysText = ({ embedded }) =>
  `arrows move · Enter selects · Space folds · / searches · + − 0 zoom · ${embedded ? "" : "wheel scrolls · "}Ctrl + wheel zooms`;
