// A report with a tree beside it: a cell of the confusion matrix lights its leaves, a line of a table selects its node.
//
// The tree lives in a shadow root, so that its style and that of the report do not touch each other.
import { h } from "../../webpage/assets/common.mjs";
import { mount } from "./tree.mjs";

/** Shows the tree, and connects the page with it. `data` has { tree, style, title, cells }. */
export function mountReport(root, data) {
  const host = root.querySelector("#tree");
  const shown = mountInside(host, data.tree, data.style, data.title);
  const told = root.querySelector("#told");
  let pressed = null;

  const light = (button) => {
    pressed?.setAttribute("aria-pressed", "false");
    pressed = button === pressed ? null : button;
    pressed?.setAttribute("aria-pressed", "true");
    const leaves = pressed ? data.cells[pressed.dataset.cell] : [];
    shown.highlight(leaves);
    told.textContent = pressed ? `${pressed.title}. ${leavesText(leaves)}` : told.dataset.usual;
    if (pressed) host.scrollIntoView({ block: "nearest" });
  };
  root.addEventListener("click", ({ target }) => {
    const cell = target.closest("[data-cell]");
    if (cell) light(cell);
    const node = target.closest("[data-goto]");
    if (!node) return;
    shown.select(Number(node.dataset.goto));
    host.scrollIntoView({ block: "nearest" });
  });
}

/** Shows two trees, and connects the page with both. `data` has { trees, style }. */
export function mountBoth(root, data) {
  const shown = ["a", "b"].map((name, k) => {
    const host = root.querySelector(`#tree-${name}`);
    return mountInside(host, data.trees[k], data.style, `Tree ${name.toUpperCase()}`, true);
  });
  root.addEventListener("click", ({ target }) => {
    const line = target.closest("[data-a]");
    if (!line) return;
    [line.dataset.a, line.dataset.b].map(Number).forEach((node, k) => {
      shown[k].highlight([[node, 1]]);
      shown[k].select(node);
    });
    root.querySelector("#tree-a").scrollIntoView({ block: "nearest" });
  });
}

function mountInside(host, tree, style, title, among = false) {
  const shadow = host.attachShadow({ mode: "open" });
  const place = h("div", {});
  shadow.append(h("style", {}, style), place);
  return mount(place, tree, { title, embedded: true, among });
}

function leavesText(leaves) {
  const named = leaves.slice(0, 8).map(([leaf, rows]) => `${leaf} (${rows})`);
  const more = leaves.length > named.length ? ` and ${leaves.length - named.length} more` : "";
  return `${leaves.length === 1 ? "Leaf" : "Leaves"} ${named.join(", ")}${more}.`;
}
