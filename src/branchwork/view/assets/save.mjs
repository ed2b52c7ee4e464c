// The drawing as a file: SVG, or PNG made from it, of what is seen or of the whole tree. Every style is written into
// its element, so that the picture looks the same in programs that know nothing of the page's style sheet.
import { h, s } from "../../webpage/assets/common.mjs";
import { widthOf } from "./dom.mjs";
import { createDrawing, draw, fillOf } from "./draw.mjs";
import { everyInnerNode } from "./fold.mjs";
import { extent } from "./geometry.mjs";
import { layout } from "./layout.mjs";

const PICTURE_MARGIN = 24;
const HEAD = 58; // room for title and legend
const WIDEST_HEAD = 1600; // a picture is made wider for its legend, but not without end
const SHARPNESS = 2; // pixels of a PNG per pixel of the drawing
const LARGEST_SIDE = 16_000; // of a PNG, in pixels: what browsers can draw
const LARGEST_AREA = 120_000_000;

/**
 * The drawing as an SVG element that stands alone. `part` is "seen" for the window, "open" for all that is unfolded,
 * "whole" for all nodes; `headed` puts title and legend above it.
 */
export function pictureOf(app, part, headed = true) {
  const { tree, geometry } = app;
  const svg = s("svg", { class: "canvas picture" });
  app.parts.stage.append(svg); // styles are only known of elements on the page
  const drawing = createDrawing(tree, svg, `${app.prefix}p`);
  const unfolded = part === "whole" ? everyInnerNode(tree) : app.state.unfolded;
  const state = { ...app.state, unfolded, selected: -1, active: -1, found: new Set() };
  const place = part === "whole" ? layout(tree, unfolded) : app.place;
  const { view, width: broad, height: high } = cutOut(app, extent(geometry, place), part);
  draw(drawing, place, geometry, view, { width: broad, height: high }, state, part !== "seen");
  const head = headOf(app, drawing);
  svg.append(head.element);
  const top = headed ? HEAD : 0;
  const [width, height] = [headed ? Math.max(broad, Math.min(head.width, WIDEST_HEAD)) : broad, high + top];
  const clip = `${drawing.prefix}-clip`;
  const window = s("clipPath", { id: clip }, s("rect", { y: top, width, height: high }));
  const picture = s(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": drawing.family },
    s("title", {}, app.options.title || "Decision tree"),
    s("defs", {}, window, [...styled(svg.querySelector("defs")).childNodes]),
    s("rect", { width: "100%", height: "100%", fill: plainColour(getComputedStyle(app.parts.stage).backgroundColor) }),
    headed ? styled(head.element) : null,
    s("g", { "clip-path": `url(#${clip})` }, s("g", { transform: `translate(0 ${top})` }, styled(drawing.layer))),
  );
  svg.remove();
  return picture;
}

/** What is cut out of the drawing, in whole pixels: { view, width, height }; of the window only where something is. */
function cutOut(app, whole, part) {
  if (part !== "seen") {
    const [width, height] = [whole.width, whole.height].map((side) => Math.ceil(side + 2 * PICTURE_MARGIN));
    return { view: { x: PICTURE_MARGIN, y: PICTURE_MARGIN, scale: 1 }, width, height };
  }
  const { x, y, scale } = app.view;
  const [left, top] = [x, y].map((side) => Math.max(0, side - PICTURE_MARGIN));
  const right = Math.min(app.size.width, x + whole.width * scale + PICTURE_MARGIN);
  const bottom = Math.min(app.size.height, y + whole.height * scale + PICTURE_MARGIN);
  const view = { x: x - left, y: y - top, scale };
  return { view, width: Math.ceil(Math.max(1, right - left)), height: Math.ceil(Math.max(1, bottom - top)) };
}

/** Title and legend, as the bar on top of the page has them. */
function headOf({ tree, options }, drawing) {
  const { family } = drawing;
  const title = options.title || "Decision tree";
  const element = s("g", {}, s("text", { class: "title", x: PICTURE_MARGIN, y: 26 }, title));
  let x = PICTURE_MARGIN;
  const say = (text, dot) => {
    if (dot) element.append(s("circle", { cx: x + 5, cy: 41, r: 5, fill: dot }));
    element.append(s("text", { class: "facts", x: x + (dot ? 14 : 0), y: 45 }, text));
    x += widthOf(text, `12px ${family}`) + (dot ? 28 : 8);
  };
  if (tree.target) say(`${tree.target}${tree.labels ? ":" : ""}`);
  for (const label of tree.classes ?? []) say(tree.labels[label], fillOf(drawing, label));
  return { element, width: Math.max(x, PICTURE_MARGIN + widthOf(title, `650 13px ${family}`)) + PICTURE_MARGIN };
}

/**
 * A copy of an element in which all styles are attributes; classes, roles and names for screen readers are left out.
 * Elements of the same kind in the same surroundings have the same styles, which are looked up once: `known` holds
 * them, and `around` is the number of the surroundings.
 */
function styled(element, known = new Map(), around = 0) {
  const kind = ["class", "style", "fill"].map((name) => element.getAttribute(name) ?? "").join("|");
  const key = `${around} ${element.localName} ${kind}`;
  if (!known.has(key)) known.set(key, { number: known.size + 1, styles: stylesOf(element) });
  const { number, styles } = known.get(key);
  const copy = element.cloneNode(false);
  for (const { name } of [...copy.attributes]) if (/^(class|style|role|aria-|data-|tabindex)/.test(name)) copy.removeAttribute(name);
  if (element.localName !== "pattern") copy.removeAttribute("id");
  for (const [name, value] of styles) copy.setAttribute(name, value);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.data);
    else if (!isUnseen(child)) copy.append(styled(child, known, number));
  }
  return copy;
}

/** Whether a reader of the picture has no use for an element: what is only there to be clicked. */
const isUnseen = (element) => element.matches(".reach, .handle.open");

const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-dasharray", "opacity"];
const WRITTEN = ["font-size", "font-weight", "text-anchor", "paint-order", "stroke-linejoin", "stroke-width"];
const USUAL = {
  "fill-opacity": "1",
  stroke: "none",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  opacity: "1",
  "text-anchor": "start",
  "paint-order": "normal",
  "stroke-linejoin": "miter",
  "font-weight": "400",
};

/** The styles of an element that differ from what SVG takes for granted. */
function stylesOf(element) {
  const style = getComputedStyle(element);
  const isGroup = ["g", "defs", "pattern"].includes(element.localName);
  const names = [...DRAWN, ...(element.localName === "text" ? WRITTEN : []), ...(element.localName === "rect" ? ["stroke-width"] : [])];
  return (isGroup ? ["opacity"] : names)
    .filter((name) => style.stroke !== "none" || !name.startsWith("stroke"))
    .map((name) => [name, style.getPropertyValue(name)])
    .filter(([name, value]) => value !== USUAL[name])
    .map(([name, value]) => [name, name === "fill" || name === "stroke" ? plainColour(value) : value]);
}

const plainColours = new Map();

/** A colour as #rrggbb, which every program knows; what is none, such as a pattern, stays. */
function plainColour(text) {
  if (text === "none" || text.startsWith("url(")) return text.replaceAll('"', "");
  if (!plainColours.has(text)) {
    const pen = h("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
    plainColours.set(text, `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`);
  }
  return plainColours.get(text);
}

/** Saves the drawing. `kind` is "svg" or "png". */
export async function savePicture(app, kind, part) {
  const picture = pictureOf(app, part);
  const text = new XMLSerializer().serializeToString(picture);
  const name = (app.options.title || "tree").replace(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 60) || "tree";
  const file = kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await pngOf(picture, text);
  const url = URL.createObjectURL(file);
  h("a", { href: url, download: `${name}.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A picture in pixels: twice as many as on the screen, fewer where a browser could not draw them. */
async function pngOf(picture, text) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const most = Math.min(LARGEST_SIDE / width, LARGEST_SIDE / height, Math.sqrt(LARGEST_AREA / (width * height)));
  const scale = Math.min(SHARPNESS, most);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
