// Numbers for people, sign for sign as Python writes them: the functions of view/digits.py and tree/split.py, by the same
// names. JavaScript alone would round a half up, where Python takes the even digit, and write 0.00001 for 1e-05.

const EXACT = 60; // digits after which two numbers that differ have shown it
const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"]];
const POWERS = 1e15; // from here on a number is a power of ten
const spelled = (x) => (Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf");
const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0*$/, "") : text);

/** A number to this many places behind the point, as f"{x:.2f}" writes it. */
export function places(x, count) {
  if (!Number.isFinite(x)) return spelled(x);
  const all = x.toFixed(EXACT);
  const end = all.length - EXACT + count;
  const shown = x.toFixed(count);
  if (!/^50*$/.test(all.slice(end))) return shown;
  const below = all.slice(0, end).replace(/\.$/, "");
  return /[02468]$/.test(below) ? below : shown;
}

/** A number to this many digits, as f"{x:.4g}" writes it. */
export function general(x, digits) {
  if (!Number.isFinite(x)) return spelled(x);
  const [signs, power] = toDigits(Math.abs(x), digits);
  const minus = x < 0 || Object.is(x, -0) ? "-" : "";
  if (power < -4 || power >= digits) {
    const size = String(Math.abs(power)).padStart(2, "0");
    return `${minus}${withoutZeros(`${signs[0]}.${signs.slice(1)}`)}e${power < 0 ? "-" : "+"}${size}`;
  }
  const point = power + 1;
  const text = point > 0 ? `${signs.slice(0, point)}.${signs.slice(point)}` : `0.${"0".repeat(-point)}${signs}`;
  return minus + withoutZeros(text);
}

/** The digits of a positive number, the first one before the point, and its power of ten; a half goes to the even digit. */
function toDigits(x, digits) {
  const parted = (text) => {
    const [signs, power] = text.split("e");
    return [signs.replace(".", ""), Number(power)];
  };
  const [all, power] = parted(x.toExponential(EXACT));
  const below = all.slice(0, digits);
  const isHalf = /^50*$/.test(all.slice(digits));
  return isHalf && /[02468]$/.test(below) ? [below, power] : parted(x.toExponential(digits - 1));
}

/** A number to at most ten digits: a threshold, of which more may matter. */
export function number(x) {
  if (Number.isInteger(x) && Math.abs(x) < POWERS) return String(x);
  const shown = general(x, 10);
  const below = !Number.isFinite(x) || Number(shown) === x ? null : float32Below(x);
  return below === null ? shown : shortest(below);
}

const bits = new DataView(new ArrayBuffer(8));

function nextUp(x) {
  bits.setFloat64(0, x);
  bits.setBigInt64(0, bits.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

/** The lower neighbour of a middle between two float32 numbers, which is where other libraries put their thresholds. */
function float32Below(x) {
  if (x === 2 ** -150) return 0;
  for (const middle of [x, nextUp(x)]) {
    bits.setFloat64(0, middle);
    const exponent = ((bits.getUint32(0) >>> 20) & 0x7ff) - 1022;
    if (Math.abs(exponent) >= 120) continue;
    const steps = middle * 2 ** (25 - exponent); // a float32 has 24 bits
    if (Math.abs(steps % 2) === 1) return Math.fround((steps - 1) * 2 ** (exponent - 25));
  }
  return null;
}

/** A float32 number with as few digits as tell it from its neighbours. */
function shortest(x) {
  let digits = 1;
  while (Math.fround(Number(x.toPrecision(digits))) !== x) digits += 1;
  const power = toDigits(Math.abs(x), digits)[1];
  return general(x, power >= 0 && power < 16 ? Math.max(digits, power + 1) : digits);
}

/** A number to a few digits, from a million on in millions; below, digits before the point are not rounded away. */
export function rounded(x, digits = 4) {
  const short = Number(general(x, digits).replace("inf", "Infinity"));
  const size = Math.abs(short);
  if (!(size >= 10 ** digits && size < POWERS)) return number(short);
  const unit = UNITS.find(([least]) => size >= least);
  return unit ? `${number(Number(general(x / unit[0], digits)))} ${unit[1]}` : places(x, 0);
}

/** An impurity, a gain or a statistic: four places below ten, else four digits, in millions; a dash for none. */
export function measured(x) {
  if (x === null) return "–";
  const size = Math.abs(x);
  return size === 0 || (size >= 0.001 && size < 9.99995) ? places(x, 4) : rounded(x);
}

/** The weight of some rows: whole, or to a few places and twice as many digits; below 1 to as many digits. */
export function weighed(weight, count = 2) {
  if (Math.abs(weight) < 1) return number(Number(general(weight, count)));
  const short = Number(places(weight, count));
  if (Number.isInteger(short)) return number(short);
  return number(Number(Math.abs(short) < 10 ** (2 * count) ? general(short, 2 * count) : places(short, 0)));
}

/** A threshold, or an end of a scale: to six digits, and a large number with all that it has. */
export const brief = (x) => (Math.abs(x) >= 1e6 ? number(x) : rounded(x, 6));

/** A p-value to three digits; one below 0.0001 is only said to be less. */
export const chance = (p) => (p < 0.0001 ? "< 0.0001" : general(p, 3));

/** A p-value that decides between columns, with its digits; 0 is one that no double can hold. */
export const decidingChance = (p) => (p > 0 ? general(p, 3) : "< 1e-300");

/** A share without pretending: 99.97 % is not 100 %. What sums of shares lose in the last bits is not told. */
export function percent(share) {
  const text = `${places(100 * share, 0)}%`;
  const isEnd = text === "0%" || text === "100%";
  if (!isEnd || Math.min(Math.abs(share), Math.abs(1 - share)) <= 1e-9) return text;
  const finer = `${places(100 * share, 2)}%`;
  return { "0.00%": "<0.01%", "100.00%": ">99.99%" }[finer] ?? finer;
}
