// Which nodes are unfolded at first: whole levels, as many as can be read at once.
import { extent } from "./geometry.mjs";
import { layout } from "./layout.mjs";

const FEW_NODES = 5; // a page that shows no more than this is hardly used
const FEW_CHILDREN = 12;
const MOST_NODES = 400; // beyond it a reader has more than enough, and opening stays quick

/**
 * Nodes to unfold so that the drawing fits into a room of { width, height } pixels at scale 1. Levels are unfolded
 * whole as long as they fit; of the first one that does not, the heaviest nodes are unfolded as far as there is room.
 * The root is unfolded in any case.
 */
export function levelsThatFit(tree, geometry, room) {
  const fits = (unfolded) => {
    const place = layout(tree, unfolded);
    const { width, height } = extent(geometry, place);
    return width <= room.width && height <= room.height && place.nodes.length <= MOST_NODES;
  };
  let unfolded = new Set(tree.n_children[0] ? [0] : []);
  let level = childrenOfLevel(tree, [...unfolded]);
  while (level.some((node) => tree.n_children[node] > 0)) {
    const inner = level.filter((node) => tree.n_children[node] > 0);
    const deeper = new Set([...unfolded, ...inner]);
    if (inner.length > MOST_NODES || !fits(deeper)) return withHeaviest(tree, unfolded, inner, fits);
    unfolded = deeper;
    level = childrenOfLevel(tree, inner);
  }
  return unfolded;
}

function childrenOfLevel(tree, nodes) {
  return nodes.flatMap((node) => Array.from({ length: tree.n_children[node] }, (_, k) => tree.first_child[node] + k));
}

/**
 * Adds the heaviest nodes as long as they fit: no light one is open beside a heavy one that is folded. A first one of
 * many branches may be too wide where little would be seen without it.
 */
function withHeaviest(tree, unfolded, inner, fits) {
  const heaviest = inner.toSorted((a, b) => tree.weight[b] - tree.weight[a] || a - b);
  const isWide = tree.n_children[heaviest[0]] > 2 && tree.n_children[heaviest[0]] <= FEW_CHILDREN;
  if (isWide && layout(tree, unfolded).nodes.length < FEW_NODES) return unfolded.add(heaviest[0]);
  for (const node of heaviest) {
    unfolded.add(node);
    if (fits(unfolded)) continue;
    unfolded.delete(node);
    break;
  }
  return unfolded;
}

/** All nodes that can be unfolded. */
export function everyInnerNode(tree) {
  const inner = new Set();
  for (let node = 0; node < tree.n; node++) if (tree.n_children[node] > 0) inner.add(node);
  return inner;
}
