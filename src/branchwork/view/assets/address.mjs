// The address of the page names the selected node: page.html#12 opens at node 12. Only a page of its own does that;
// the address of a notebook is not ours.

/** The node that the address names, or -1. */
export function nodeInAddress(tree) {
  const found = /^#(\d{1,9})$/.exec(location.hash);
  return found && Number(found[1]) < tree.n ? Number(found[1]) : -1;
}

/** Writes a node into the address. The reader's way back leads to the page before, not through all nodes. */
export function tellAddress(node) {
  try {
    history.replaceState(null, "", `#${node}`);
  } catch {
    // a page without an address, as in a frame
  }
}
