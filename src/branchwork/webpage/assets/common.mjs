// What every page has: elements, and numbers for people. Text of the table only ever becomes text nodes.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element; attributes that are functions listen to the event they are named after. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number to at most ten digits. */
export const number = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(10))) : String(x));

/** A share without pretending: 99.97 % is not 100 %. What sums of shares lose in the last bits is not told. */
export function percent(share) {
  const text = (100 * share).toFixed(0);
  const ends = text === "0" || text === "100";
  if (!ends || Math.min(Math.abs(share), Math.abs(1 - share)) <= 1e-9) return `${text}%`;
  const finer = (100 * share).toFixed(2);
  return { "0.00": "<0.01%", "100.00": ">99.99%" }[finer] ?? `${finer}%`;
}
