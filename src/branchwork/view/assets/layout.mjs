// Where the cards go: a tidy tree with aligned levels (Buchheim, Jünger and Leipert, 2002: Walker's algorithm in
// linear time). Ids grow from parent to child, so a loop over ids is a walk, and nothing here is recursive.

const FARTHEST = 2; // cards between a parent and its heaviest child

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

/**
 * The place of every visible node, in cards from the left: { nodes, levels, x, width }. `levels` has the nodes of each
 * depth from left to right, `x` the place of each node by its id.
 */
export function layout(tree, unfolded) {
  const nodes = visibleNodes(tree, unfolded);
  const work = new Array(tree.n);
  for (const node of nodes) work[node] = newWork(node);
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
  const parent = work[node];
  for (let k = 0; k < tree.n_children[node]; k++) parent.children.push(work[tree.first_child[node] + k]);
  let fallback = parent.children[0];
  parent.children.forEach((child, k) => {
    child.number = k;
    child.ancestor = child;
    child.parent = parent;
    const middle = child.children.length ? anchorOf(tree, child.children) : 0;
    child.prelim = k > 0 ? parent.children[k - 1].prelim + 1 : middle;
    child.mod = k > 0 ? child.prelim - middle : 0;
    fallback = apportion(child, parent, fallback);
  });
  spreadShifts(parent);
}

/** Where a parent stands: over the middle of its children, but never far from the heaviest, so that a way on is in sight. */
function anchorOf(tree, children) {
  const middle = (children[0].prelim + children.at(-1).prelim) / 2;
  const heaviest = children.reduce((most, child) => (tree.weight[child.node] > tree.weight[most.node] ? child : most));
  return Math.min(heaviest.prelim + FARTHEST, Math.max(heaviest.prelim - FARTHEST, middle));
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
  const root = work[0];
  if (root.children.length) root.prelim = anchorOf(tree, root.children);
  const x = new Float64Array(tree.n);
  const offset = new Float64Array(tree.n);
  const levels = [];
  let left = Infinity;
  for (const node of nodes) {
    const { prelim, mod, children } = work[node];
    x[node] = prelim + offset[node];
    left = Math.min(left, x[node]);
    for (const child of children) offset[child.node] = offset[node] + mod;
    (levels[tree.depth[node]] ??= []).push(node);
  }
  let width = 0;
  for (const node of nodes) {
    x[node] -= left;
    width = Math.max(width, x[node]);
  }
  return { nodes, levels, x, width: width + 1 };
}
