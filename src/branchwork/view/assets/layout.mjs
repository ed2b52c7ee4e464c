// Where the cards go: a tidy tree with aligned levels (Buchheim, Jünger and Leipert, 2002: Walker's algorithm in
// linear time). Ids grow from parent to child, so a loop over ids is a walk, and nothing here is recursive.

/** Nodes that are to be seen: those whose ancestors are all unfolded, breadth first. */
export function visibleNodes(tree, unfolded) {
  const nodes = [0];
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    if (!unfolded.has(node)) continue;
    for (let k = 0; k < tree.n_children[node]; k++) nodes.push(tree.first_child[node] + k);
  }
  return nodes;
}

/** Nodes to unfold at first: level by level, as long as no more than `most` nodes are to be seen. */
export function firstUnfolded(tree, most) {
  const unfolded = new Set();
  let seen = 1;
  for (let node = 0; node < tree.n; node++) {
    const reached = node === 0 || unfolded.has(tree.parent[node]);
    if (!reached || tree.n_children[node] === 0) continue;
    if (node > 0 && seen + tree.n_children[node] > most) break;
    unfolded.add(node);
    seen += tree.n_children[node];
  }
  return unfolded;
}

/**
 * The place of every visible node, in cards' widths from the left: { nodes, levels, x: Map, width }.
 * `levels` has the nodes of each depth from left to right.
 */
export function layout(tree, unfolded) {
  const nodes = visibleNodes(tree, unfolded);
  const work = new Map(nodes.map((node) => [node, newWork(node)]));
  for (let at = nodes.length - 1; at >= 0; at--) {
    if (unfolded.has(nodes[at])) placeChildren(tree, work, nodes[at]);
  }
  return placed(tree, nodes, work);
}

function newWork(node) {
  return { node, prelim: 0, mod: 0, change: 0, shift: 0, number: 0, thread: null, ancestor: null, children: [] };
}

/** Puts the subtrees of a node side by side; each of them is already laid out in itself. */
function placeChildren(tree, work, node) {
  const parent = work.get(node);
  for (let k = 0; k < tree.n_children[node]; k++) parent.children.push(work.get(tree.first_child[node] + k));
  let fallback = parent.children[0];
  parent.children.forEach((child, k) => {
    child.number = k;
    child.ancestor = child;
    child.parent = parent;
    const middle = child.children.length ? (child.children[0].prelim + child.children.at(-1).prelim) / 2 : 0;
    child.prelim = k > 0 ? parent.children[k - 1].prelim + 1 : middle;
    child.mod = k > 0 ? child.prelim - middle : 0;
    fallback = apportion(child, parent, fallback);
  });
  spreadShifts(parent);
}

const leftmost = (v) => v.children[0] ?? v.thread;
const rightmost = (v) => v.children.at(-1) ?? v.thread;

/** Moves a subtree to the right until it is clear of those before it. */
function apportion(v, parent, fallback) {
  if (v.number === 0) return fallback;
  let innerRight = v;
  let outerRight = v;
  let innerLeft = parent.children[v.number - 1];
  let outerLeft = parent.children[0];
  let [sumInnerRight, sumOuterRight, sumInnerLeft, sumOuterLeft] =
    [innerRight.mod, outerRight.mod, innerLeft.mod, outerLeft.mod];
  while (rightmost(innerLeft) && leftmost(innerRight)) {
    innerLeft = rightmost(innerLeft);
    innerRight = leftmost(innerRight);
    outerLeft = leftmost(outerLeft);
    outerRight = rightmost(outerRight);
    outerRight.ancestor = v;
    const overlap = innerLeft.prelim + sumInnerLeft - (innerRight.prelim + sumInnerRight) + 1;
    if (overlap > 0) {
      moveSubtree(innerLeft.ancestor?.parent === parent ? innerLeft.ancestor : fallback, v, overlap);
      sumInnerRight += overlap;
      sumOuterRight += overlap;
    }
    sumInnerLeft += innerLeft.mod;
    sumInnerRight += innerRight.mod;
    sumOuterLeft += outerLeft.mod;
    sumOuterRight += outerRight.mod;
  }
  if (rightmost(innerLeft) && !rightmost(outerRight)) {
    outerRight.thread = rightmost(innerLeft);
    outerRight.mod += sumInnerLeft - sumOuterRight;
  }
  if (leftmost(innerRight) && !leftmost(outerLeft)) {
    outerLeft.thread = leftmost(innerRight);
    outerLeft.mod += sumInnerRight - sumOuterLeft;
    return v;
  }
  return fallback;
}

function moveSubtree(left, right, shift) {
  const gaps = right.number - left.number;
  right.change -= shift / gaps;
  right.shift += shift;
  left.change += shift / gaps;
  right.prelim += shift;
  right.mod += shift;
}

/** Small subtrees between two large ones share the room between them evenly. */
function spreadShifts(parent) {
  let shift = 0;
  let change = 0;
  for (const child of parent.children.toReversed()) {
    child.prelim += shift;
    child.mod += shift;
    change += child.change;
    shift += child.shift + change;
  }
}

function placed(tree, nodes, work) {
  const root = work.get(0);
  if (root.children.length) root.prelim = (root.children[0].prelim + root.children.at(-1).prelim) / 2;
  const x = new Map();
  const offset = new Map([[0, 0]]);
  const levels = [];
  let left = Infinity;
  for (const node of nodes) {
    const { prelim, mod, children } = work.get(node);
    x.set(node, prelim + offset.get(node));
    left = Math.min(left, x.get(node));
    for (const child of children) offset.set(child.node, offset.get(node) + mod);
    (levels[tree.depth[node]] ??= []).push(node);
  }
  let width = 0;
  for (const node of nodes) {
    x.set(node, x.get(node) - left);
    width = Math.max(width, x.get(node));
  }
  return { nodes, levels, x, width: width + 1 };
}
