// What a page remembers of its reader: the width of the panel for good, the direction of the tree for the session.
// A sandboxed frame has no storage. Such a page forgets, and works all the same.

const storageOf = (kind) => (kind === "session" ? window.sessionStorage : window.localStorage);

/** Keeps a text under a name; `kind` is "session" or "always". */
export function remember(kind, name, text) {
  try {
    storageOf(kind).setItem(`branchwork.${name}`, text);
  } catch {
    // no storage here
  }
}

/** What was kept under a name, or null. */
export function recall(kind, name) {
  try {
    return storageOf(kind).getItem(`branchwork.${name}`);
  } catch {
    return null;
  }
}
