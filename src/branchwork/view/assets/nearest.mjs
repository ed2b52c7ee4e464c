// The nearest change of a row with another answer: the search of model/nearest.py, step for step.
//
// At each question the row's own cell may stay, or is changed to a value with another answer. All that the questions on
// a way ask of one column is a demand: { kept, above, upto, codes }. Walks are continued in the order of their cost
// (cells changed, then their distance), so the first one that ends with another answer is the nearest of all.
import { answerOf, childrenOf, classesOf, isLeaf, UNSEEN, walk } from "./walk.mjs";

const UNKNOWN = -1; // the answer of a cell that is not known; a row then goes down every branch
const MOST_WALKS = 30_000;
const ROUNDING = 1e-9;
const SAME = 1e-12;

class TooManyWalks extends Error {}

/**
 * The nearest change of a row: { change, isExact }. `change` is null, or { leaf, label or value, changes, distance,
 * leaves, isNearest }, and of each changed cell { feature, value, above, upto, among }: numbers above the one and up to
 * the other will do, or these codes.
 */
export function nearestChange(tree, row) {
  const search = new Search(tree, row);
  let [found, isExact] = [null, true];
  try {
    found = search.nearest(false);
  } catch (error) {
    if (!(error instanceof TooManyWalks)) throw error;
    [found, isExact] = [search.nearest(true), false];
  }
  return { change: found && search.told(found, isExact), isExact };
}

class Search {
  constructor(tree, row) {
    Object.assign(this, { tree, row, now: answerOf(tree, walk(tree, row).leaves) });
    this.useful = this.above();
    this.cells = new Map();
  }

  // ---- what is wanted

  /** Whether leaves give another answer. */
  isMet(leaves) {
    const answer = this.answer(leaves);
    if (this.tree.labels) return answer !== this.now.label;
    if (leaves.length > 1 && Math.abs(answer - this.now.value) <= SAME * Math.max(Math.abs(answer), 1)) return false;
    return answer !== this.now.value;
  }

  answer(leaves) {
    const { label, value } = answerOf(this.tree, leaves.map(([node, share]) => ({ node, share })));
    return this.tree.labels ? label : value;
  }

  /** Nodes with a leaf below them, or that are one, which answers otherwise to a whole row. */
  above() {
    const { tree } = this;
    const useful = tree.feature.map((feature, node) => feature < 0 && this.isMet([[node, 1]]));
    for (let node = tree.n - 1; node > 0; node--) if (useful[node]) useful[tree.parent[node]] = true;
    return useful;
  }

  // ---- the search

  nearest(whole) {
    const { tree } = this;
    if (tree.n === 1) return null;
    const waiting = new Heap();
    waiting.push({ cost: [0, 0], waiting: [[0, 1]], leaves: [], demands: new Map(), low: null, high: null });
    let best = null;
    let left = MOST_WALKS + tree.n;
    while (waiting.size) {
      const walked = waiting.pop();
      if (best && compare(walked.cost, best.cost) > 0) break;
      if (!walked.waiting.length) {
        const leaf = mainLeaf(walked.leaves);
        const order = best ? compare(walked.cost, best.cost) || leaf - best.leaf : -1;
        if (order < 0) best = { ...walked, leaf };
        continue;
      }
      for (const longer of this.continued(walked, whole)) {
        left -= 1;
        if (left < 0 && !whole) throw new TooManyWalks();
        if (longer) waiting.push({ ...longer, cost: this.costOf(longer.demands) });
      }
    }
    return best;
  }

  costOf(demands) {
    const changed = [];
    for (const [feature, demand] of demands) if (!demand.kept) changed.push(this.distance(feature, demand));
    return [changed.length, exactSum(changed)];
  }

  distance(feature, demand) {
    const cell = this.row[feature];
    const { nominal, spread } = this.tree.columns[feature];
    if (nominal || Number.isNaN(cell)) return 1;
    return Math.abs(nearestNumber(cell, demand) - cell) / (spread === null ? 1 : Number(spread));
  }

  // ---- one step of a walk

  *continued(walked, whole) {
    const [[node, share], ...rest] = walked.waiting;
    const first = this.tree.first_child[node];
    for (const [child, demands] of this.ways(node, walked.demands, whole)) {
      const here = child >= 0 ? [[first + child, share]] : this.sharedOut(node, share);
      let [waiting, leaves] = [[...here, ...rest], walked.leaves];
      while (waiting.length && isLeaf(this.tree, waiting[0][0])) [waiting, leaves] = [waiting.slice(1), [...leaves, waiting[0]]];
      const longer = { waiting, leaves, demands, ...this.endsOf(walked, [node, share], here) };
      yield this.mayBeWanted(longer) ? longer : null;
    }
  }

  sharedOut(node, share) {
    const children = childrenOf(this.tree, node);
    const whole = children.reduce((sum, child) => sum + this.tree.weight[child], 0);
    return children.flatMap((child) => (this.tree.weight[child] > 0 ? [[child, share * (this.tree.weight[child] / whole)]] : []));
  }

  *ways(node, demands, whole) {
    const { tree, row } = this;
    const feature = tree.feature[node];
    const fallback = tree.default_child[node];
    const others = surrogatesAt(tree, node);
    const alone = !others.length && fallback >= 0; // a cell that is not known has an answer all the same
    let own = ownAnswer(tree, node, row[feature]);
    if (alone && own === UNKNOWN) own = fallback;
    if (!this.cells.has(node)) this.cells.set(node, cellsAt(tree, node, feature, alone));
    let pending = [];
    for (const [answer, demand] of answersOf(feature, this.cells.get(node), own, demands)) {
      if (answer !== UNKNOWN) yield [answer, new Map(demands).set(feature, demand)];
      else if (!whole) pending.push(new Map(demands).set(feature, demand));
    }
    for (const other of others) {
      const undecided = [];
      for (const soFar of pending) {
        const says = saidBy(other, row[other.feature]);
        for (const [answer, demand] of answersOf(other.feature, other.cells, says, soFar)) {
          const more = new Map(soFar).set(other.feature, demand);
          if (answer !== UNKNOWN) yield [answer, more];
          else undecided.push(more);
        }
      }
      pending = undecided;
    }
    for (const soFar of pending) yield [fallback, soFar];
  }

  // ---- walks that cannot end with another answer

  mayBeWanted({ waiting, leaves, low, high }) {
    if (!leaves.length && waiting.length === 1) return this.useful[waiting[0][0]];
    if (!waiting.length) return this.isMet(leaves);
    if (!this.tree.labels) return true;
    const slack = low.map((least, k) => ROUNDING * Math.max(Math.abs(least), Math.abs(high[k])));
    const floor = Math.max(...low.map((least, k) => least - slack[k]));
    return high.some((most, k) => k !== this.now.label && most + slack[k] >= floor);
  }

  /** The lowest and highest outputs after a node was left for some of its children; null while the row is whole. */
  endsOf(walked, [node, share], here) {
    if (!this.tree.labels || (walked.low === null && here.length === 1)) return { low: null, high: null };
    this.range ??= rangesOf(this.tree);
    const end = (own, limit) =>
      limit[node].map((before, k) => {
        const after = here.reduce((sum, [at, part]) => sum + part * limit[at][k], 0);
        return own === null ? after : own[k] - share * before + after;
      });
    return { low: end(walked.low, this.range.low), high: end(walked.high, this.range.high) };
  }

  // ---- what was found

  told({ leaves, leaf, demands }, isNearest) {
    const changed = [...demands].filter(([, demand]) => !demand.kept).sort(([a], [b]) => a - b);
    const changes = changed.map(([feature, demand]) => {
      if (!this.tree.columns[feature].nominal) {
        const { above, upto } = demand;
        return { feature, value: nearestNumber(this.row[feature], demand), above: finite(above), upto: finite(upto), among: null };
      }
      const among = [...demand.codes].sort((a, b) => a - b);
      return { feature, value: among[0], above: null, upto: null, among };
    });
    const distance = exactSum(changed.map(([feature, demand]) => this.distance(feature, demand)));
    const answer = this.answer(leaves);
    return { leaf, [this.tree.labels ? "label" : "value"]: answer, changes, distance, leaves, isNearest };
  }
}

const finite = (x) => (Number.isFinite(x) ? x : null);

/** The leaf with the largest share; of equal ones the first. */
const mainLeaf = (leaves) => leaves.reduce((best, leaf) => (leaf[1] > best[1] ? leaf : best))[0];

// ---- questions and their answers

function ownAnswer(tree, node, cell) {
  if (tree.columns[tree.feature[node]].nominal) {
    if (cell >= 0) return tree.pool[tree.lookup[node] + 1 + cell];
    return cell === UNSEEN && tree.unseen_child ? tree.unseen_child[node] : UNKNOWN;
  }
  return Number.isNaN(cell) ? UNKNOWN : boundsAt(tree, node).filter((bound) => bound < cell).length;
}

function boundsAt(tree, node) {
  const [begin, count] = [tree.lookup[node], tree.n_children[node] - 1];
  return begin >= 0 ? tree.bounds.slice(begin, begin + count) : [tree.cut[node], Infinity].slice(0, count);
}

/** The known values that take each branch of a node: [above, upto], or a set of codes. */
function cellsAt(tree, node, feature, alone) {
  const cells = new Map();
  if (!tree.columns[feature].nominal) {
    const limits = [-Infinity, ...boundsAt(tree, node), Infinity];
    for (let k = 0; k < tree.n_children[node]; k++) cells.set(k, [limits[k], limits[k + 1]]);
    return cells;
  }
  const begin = tree.lookup[node] + 1;
  for (let code = 0; code < tree.columns[feature].texts.length; code++) {
    const place = tree.pool[begin + code];
    addCode(cells, place < 0 && alone ? tree.default_child[node] : place, code);
  }
  return cells;
}

function addCode(cells, child, code) {
  if (!cells.has(child)) cells.set(child, new Set());
  cells.get(child).add(code);
}

function surrogatesAt(tree, node) {
  const all = tree.surrogates;
  return Array.from({ length: all?.count[node] ?? 0 }, (_, at) => {
    const k = all.first[node] + at;
    const [feature, cells] = [all.feature[k], new Map()];
    if (tree.columns[feature].nominal) {
      const children = tree.columns[feature].texts.map((_text, code) => all.pool[all.lookup[k] + code]);
      children.forEach((child, code) => addCode(cells, child, code));
      return { feature, children, cells };
    }
    const [cut, low] = [Number(all.cut[k]), all.low_child[k]];
    cells.set(low, [-Infinity, cut]).set(1 - low, [cut, Infinity]);
    return { feature, cut, low, cells };
  });
}

function saidBy({ children, cut, low }, cell) {
  if (children) return cell >= 0 ? children[cell] : UNKNOWN;
  return Number.isNaN(cell) ? UNKNOWN : cell <= cut ? low : 1 - low;
}

/** The answers that a column can give to a question, and what is then demanded of it. */
function* answersOf(feature, cells, own, demands) {
  const soFar = demands.get(feature) ?? { kept: true, above: -Infinity, upto: Infinity, codes: null };
  for (const answer of [...new Set([...cells.keys(), own])].sort((a, b) => a - b)) {
    const demand = also(soFar, cells.get(answer), answer === own && soFar.kept);
    const impossible = !demand.kept && (demand.codes ? !demand.codes.size : demand.above >= demand.upto);
    if (!impossible) yield [answer, demand];
  }
}

function also(soFar, cells, kept) {
  if (!cells) return { kept, above: Infinity, upto: -Infinity, codes: soFar.codes && new Set() };
  if (cells instanceof Set) {
    const codes = soFar.codes ? new Set([...soFar.codes].filter((code) => cells.has(code))) : cells;
    return { kept, above: -Infinity, upto: Infinity, codes };
  }
  return { kept, above: Math.max(soFar.above, cells[0]), upto: Math.min(soFar.upto, cells[1]), codes: null };
}

// ---- numbers

/** The number nearest to a cell that meets a demand; for a missing one, a limit of the demand. */
function nearestNumber(cell, { above, upto }) {
  if (Number.isNaN(cell) && upto === Infinity && above === -Infinity) return 0;
  return cell <= above || (Number.isNaN(cell) && upto === Infinity) ? nextAbove(above) : upto;
}

/** The smallest double above a number. */
function nextAbove(x) {
  if (x === 0) return Number.MIN_VALUE;
  if (x === -Infinity) return -Number.MAX_VALUE;
  const bits = new BigInt64Array(new Float64Array([x]).buffer);
  bits[0] += x > 0 ? 1n : -1n;
  return new Float64Array(bits.buffer)[0];
}

/** A sum that is rounded once, so that the order of its terms does not matter (Shewchuk). */
function exactSum(terms) {
  const parts = [];
  for (const term of terms) {
    if (!Number.isFinite(term)) return terms.reduce((sum, one) => sum + one, 0);
    let [x, kept] = [term, 0];
    for (const part of parts) {
      const [large, small] = Math.abs(x) < Math.abs(part) ? [part, x] : [x, part];
      const sum = large + small;
      const rest = small - (sum - large);
      if (rest) parts[kept++] = rest;
      x = sum;
    }
    parts.length = kept;
    parts.push(x);
  }
  return parts.reduceRight((sum, part) => sum + part, 0);
}

/** The lowest and the highest of each output among the leaves below each node. */
function rangesOf(tree) {
  const [low, high] = [[], []];
  for (let node = tree.n - 1; node >= 0; node--) {
    if (isLeaf(tree, node)) {
      const outputs = new Array(tree.labels.length).fill(0);
      for (const { label, share } of classesOf(tree, node)) outputs[label] = share;
      low[node] = high[node] = outputs;
    } else {
      const children = childrenOf(tree, node);
      low[node] = tree.labels.map((_, k) => Math.min(...children.map((child) => low[child][k])));
      high[node] = tree.labels.map((_, k) => Math.max(...children.map((child) => high[child][k])));
    }
  }
  return { low, high };
}

const compare = (a, b) => a[0] - b[0] || a[1] - b[1];

/** Walks in the order of their cost; of equal ones the first that was put in. */
class Heap {
  items = [];
  count = 0;

  get size() {
    return this.items.length;
  }

  before(a, b) {
    return (compare(a.cost, b.cost) || a.number - b.number) < 0;
  }

  push(walked) {
    const { items } = this;
    let at = items.push({ ...walked, number: this.count++ }) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!this.before(items[at], items[up])) break;
      [items[at], items[up]] = [items[up], items[at]];
      at = up;
    }
  }

  pop() {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (items.length) {
      items[0] = last;
      for (let at = 0; ; ) {
        let least = at;
        for (const down of [2 * at + 1, 2 * at + 2]) if (down < items.length && this.before(items[down], items[least])) least = down;
        if (least === at) break;
        [items[at], items[least]] = [items[least], items[at]];
        at = least;
      }
    }
    return first;
  }
}
