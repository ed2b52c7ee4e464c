// For keyboards and screen readers: what Sphinx and the theme leave out.

/** What can be scrolled can be reached with the Tab key, as long as it can be scrolled. */
function reachable() {
  for (const element of document.querySelectorAll(".highlight pre, .table-wrapper")) {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }
}

/** Headings have a level, landmarks a name, and the lines of a signature are no list of definitions. */
function named() {
  const set = (selector, name, value) => {
    for (const element of document.querySelectorAll(selector)) element.setAttribute(name, value);
  };
  set(".caption[role='heading']", "aria-level", "2");
  set(".sidebar-drawer", "aria-label", "All pages");
  set(".toc-drawer", "aria-label", "On this page");
  for (const list of document.querySelectorAll("dt.sig dl")) list.replaceWith(linesOf(list));
}

function linesOf(list) {
  const lines = document.createElement("div");
  lines.className = "sig-lines";
  for (const item of [...list.children]) {
    const line = document.createElement("div");
    line.append(...item.childNodes);
    lines.append(line);
  }
  return lines;
}

document.addEventListener("DOMContentLoaded", () => (named(), reachable()));
window.addEventListener("load", reachable);
window.addEventListener("resize", reachable);
