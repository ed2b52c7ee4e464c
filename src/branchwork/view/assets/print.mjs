// On paper: white, all that is unfolded on one sheet where it can be read there, else what is seen; the panel below.
import { h } from "../../webpage/assets/common.mjs";
import { extent } from "./geometry.mjs";
import { pictureOf } from "./save.mjs";

const SHEET = { width: 1600, height: 1900 }; // a larger drawing would have letters of less than 5 points on A4

/** Makes a page ready for paper whenever it is printed. */
export function listenToPrinter(app) {
  const sheet = h("div", { class: "sheet" });
  app.parts.stage.after(sheet);
  const ready = () => {
    const { root } = app.parts;
    const theme = root.dataset.theme;
    root.dataset.theme = "light";
    root.style.setProperty("--ground", "#fff");
    const { width, height } = extent(app.geometry, app.place);
    sheet.replaceChildren(pictureOf(app, width <= SHEET.width && height <= SHEET.height ? "open" : "seen", false));
    root.style.removeProperty("--ground");
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  window.addEventListener("beforeprint", ready, { signal: app.gone.signal });
  window.addEventListener("afterprint", () => sheet.replaceChildren(), { signal: app.gone.signal });
}
