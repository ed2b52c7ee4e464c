// For keyboards and screen readers: what Sphinx and the theme leave out.

/** What can be scrolled can be reached with the Tab key, as long as it can be scrolled. */
function reachable() {
  for (const element of document.querySelectorAll(".highlight pre, .table-wrapper, .formula, .output.text_html")) {
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

/** Live pages are as light or dark as the page around them. A browser allows it if both come from a server. */
function alike() {
  const theme = document.body.dataset.theme;
  for (const frame of document.querySelectorAll(".live iframe")) {
    const page = frame.contentDocument?.getElementById("tree");
    if (!page) continue;
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
    else delete page.dataset.theme;
  }
}

/** The link below a live page lets the tree grow in the frame. A new address is needed, or the page would not load again. */
function playInFrame(event) {
  event.preventDefault();
  const frame = event.target.closest(".live").querySelector("iframe");
  frame.src = `${frame.src.split(/[?#]/)[0]}?${Date.now()}#steps`;
  frame.scrollIntoView({ block: "nearest" });
}

document.addEventListener("DOMContentLoaded", () => {
  named();
  reachable();
  for (const link of document.querySelectorAll(".live a.steps")) link.addEventListener("click", playInFrame);
  for (const frame of document.querySelectorAll(".live iframe")) frame.addEventListener("load", alike);
  new MutationObserver(alike).observe(document.body, { attributeFilter: ["data-theme"] });
});
window.addEventListener("load", reachable);
window.addEventListener("resize", reachable);
