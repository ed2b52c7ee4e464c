// The overview of an ensemble: a click on the picture of a tree shows that tree below, as its own page would.
import { h } from "../../webpage/assets/common.mjs";
import { mount } from "./tree.mjs";

/** Connects the pictures with the place for a tree. `data` has { trees, titles, style, orientation }. */
export function mountEnsemble(root, data) {
  const host = root.querySelector("#tree");
  const shadow = host.attachShadow({ mode: "open" }); // its style and that of the page do not touch each other
  const place = h("div", {});
  shadow.append(h("style", {}, data.style), place);
  const buttons = [...root.querySelectorAll("[data-tree]")];
  let shown = null;
  const show = (number) => {
    shown?.destroy();
    const [title, { orientation }] = [data.titles[number], data];
    shown = mount(place, data.trees[number], { title, orientation, embedded: true, among: true });
    for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.dataset.tree) === number));
  };
  show(0);
  for (const button of buttons) {
    button.addEventListener("click", () => {
      show(Number(button.dataset.tree));
      host.scrollIntoView({ block: "nearest" });
    });
  }
}
