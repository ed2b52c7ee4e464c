// The tree as the page holds it, and the way a row takes through it: step for step the library's own walk.
//
// A row is a list with one cell a column: a number, NaN where it is missing; or the code of a category, or one of:
export const MISSING = -1;
export const UNSEEN = -2; // a category that training never saw

/** A number of the data: JSON has neither NaN nor infinity. */
const real = (x) => (x === null ? NaN : Number(x));

/** The data of a page with what follows from them: parents, depths, sizes of subtrees, columns in use. */
export function readTree(data) {
  const tree = { ...data, ...data.nodes, n: data.nodes.feature.length };
  tree.cut = tree.cut.map(real);
  tree.bounds = tree.bounds.map(real);
  tree.pool = withoutRuns(data.pool);
  if (data.surrogates) tree.surrogates = { ...data.surrogates, pool: withoutRuns(data.surrogates.pool) };
  tree.parent = new Int32Array(tree.n).fill(-1);
  tree.depth = new Int32Array(tree.n);
  tree.size = new Int32Array(tree.n).fill(1);
  for (let node = 0; node < tree.n; node++) {
    for (const child of childrenOf(tree, node)) {
      tree.parent[child] = node;
      tree.depth[child] = tree.depth[node] + 1;
    }
  }
  for (let node = tree.n - 1; node > 0; node--) tree.size[tree.parent[node]] += tree.size[node];
  if (tree.entries && !tree.entries.share) tree.entries = { ...tree.entries, share: sharesOf(tree) };
  const used = new Set([...tree.feature, ...(tree.surrogates?.feature ?? [])]);
  tree.used = [...used].filter((feature) => feature >= 0).sort((a, b) => a - b);
  return tree;
}

/** The probability of each entry where it is the part of its node's weight. */
function sharesOf({ entries, weight, n }) {
  const shares = [];
  for (let node = 0; node < n; node++) {
    for (let k = entries.start[node]; k < entries.start[node + 1]; k++) shares.push(entries.weight[k] / weight[node]);
  }
  return shares;
}

/** A list that is written as its values and how many times each of them comes. */
const withoutRuns = ({ child, times }) => child.flatMap((value, k) => new Array(times[k]).fill(value));

export const isLeaf = (tree, node) => tree.feature[node] < 0;

export function childrenOf(tree, node) {
  return Array.from({ length: tree.n_children[node] }, (_, k) => tree.first_child[node] + k);
}

/** Nodes from the root to a node, both included. */
export function pathTo(tree, node) {
  const path = [];
  for (let at = node; at >= 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** Weight and probability of each class of a node, the likeliest first. */
export function classesOf(tree, node) {
  const { start, label, weight, share } = tree.entries;
  const found = [];
  for (let k = start[node]; k < start[node + 1]; k++) {
    found.push({ label: label[k], weight: weight[k], share: share[k] });
  }
  return found.sort((a, b) => b.share - a.share || a.label - b.label);
}

/**
 * Which branch a row takes, counted from the first, and how that came about: "known", "missing", "unseen",
 * "surrogate" (then `by` says which) or "shared": then there is no one branch.
 */
export function branchOf(tree, node, row) {
  const feature = tree.feature[node];
  const cell = row[feature];
  if (tree.columns[feature].nominal) {
    const branch = cell >= 0 ? tree.pool[tree.lookup[node] + 1 + cell] : -1;
    if (branch >= 0) return { branch, how: "known" };
    if (cell === UNSEEN && tree.unseen_child) return { branch: tree.unseen_child[node], how: "unseen" };
    return branchOfUnknown(tree, node, row);
  }
  if (Number.isNaN(cell)) return branchOfUnknown(tree, node, row);
  if (tree.lookup[node] >= 0) return { branch: intervalOf(tree, node, cell), how: "known" };
  return { branch: cell <= tree.cut[node] ? 0 : 1, how: "known" };
}

/** How many bounds of a node lie below a number. */
function intervalOf(tree, node, x) {
  const begin = tree.lookup[node];
  const bounds = tree.bounds.slice(begin, begin + tree.n_children[node] - 1);
  const at = bounds.findIndex((bound) => x <= bound);
  return at < 0 ? bounds.length : at;
}

/** A cell that is not known: the first surrogate that knows its own decides, otherwise the default. */
function branchOfUnknown(tree, node, row) {
  const { surrogates } = tree;
  for (let k = surrogates?.first[node] ?? 0, left = surrogates?.count[node] ?? 0; left > 0; k++, left--) {
    const branch = branchOfSurrogate(tree, k, row[surrogates.feature[k]]);
    if (branch >= 0) return { branch, how: "surrogate", by: surrogates.feature[k] };
  }
  const branch = tree.default_child[node];
  return { branch, how: branch < 0 ? "shared" : "missing" };
}

function branchOfSurrogate(tree, k, cell) {
  const { feature, cut, low_child: low, lookup, pool } = tree.surrogates;
  if (tree.columns[feature[k]].nominal) return cell < 0 ? -1 : pool[lookup[k] + cell];
  if (Number.isNaN(cell)) return -1;
  return cell <= cut[k] ? low[k] : 1 - low[k];
}

/** Sends a row down the tree: every step with the row's share there, and the leaves it ends in. */
export function walk(tree, row) {
  const steps = [];
  const leaves = [];
  const waiting = [{ node: 0, share: 1 }];
  while (waiting.length) {
    const { node, share } = waiting.pop();
    if (isLeaf(tree, node)) {
      leaves.push({ node, share });
      continue;
    }
    const step = { node, share, ...branchOf(tree, node, row) };
    steps.push(step);
    if (step.how !== "shared") waiting.push({ node: tree.first_child[node] + step.branch, share });
    else for (const part of sharedOut(tree, node, share).reverse()) waiting.push(part); // the first comes out first
  }
  return { steps, leaves };
}

/** The children of a node, each with its part of a row's share. */
function sharedOut(tree, node, share) {
  const children = childrenOf(tree, node);
  const whole = children.reduce((sum, child) => sum + tree.weight[child], 0);
  return children
    .filter((child) => tree.weight[child] > 0)
    .map((child) => ({ node: child, share: share * (tree.weight[child] / whole) }));
}

/** What the tree answers a row that ends in these leaves: a number, or a label and the probabilities of all labels. */
export function answerOf(tree, leaves) {
  if (!tree.labels) {
    return { value: leaves.reduce((sum, { node, share }) => sum + tree.mean[node] * share, 0) };
  }
  const outputs = new Array(tree.labels.length).fill(0);
  for (const { node, share } of leaves) {
    for (const one of classesOf(tree, node)) outputs[one.label] += one.share * share;
  }
  return { outputs, label: tree.shares_rows ? likeliestOf(outputs) : tree.decision[leaves[0].node] };
}

const TIE = 1e-12; // sums of shares that are this close are equal

/** The label with the largest probability; of equal ones the first. */
export function likeliestOf(outputs) {
  const most = Math.max(...outputs) - TIE;
  return outputs.findIndex((output) => output >= most);
}
