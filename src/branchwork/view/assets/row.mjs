// A row as a person types or pastes it, turned into cells of the tree's columns.
import { MISSING, UNSEEN } from "./walk.mjs";

const NUMBER = /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$/i;
const ABSENT = new Set(["", "NA", "NaN", "nan"]);

const missingCell = (column) => (column.nominal ? MISSING : NaN);

/** A row of nothing but missing cells. */
export const emptyRow = (tree) => tree.columns.map(missingCell);

/** A cell typed as text. */
export function cellOfText(column, text) {
  const typed = text.trim();
  if (column.nominal) {
    const code = codeOfText(column, text);
    return code === UNSEEN && ABSENT.has(typed) ? MISSING : code;
  }
  if (ABSENT.has(typed)) return NaN;
  if (!NUMBER.test(typed)) throw new Error(`${column.shown}: expected a number, found “${typed}”.`);
  return Number(typed.replace(/inf(inity)?/i, "Infinity"));
}

/** The category that a text stands for: the text itself, otherwise what it says as a truth value or a number. */
function codeOfText(column, text) {
  for (const spelling of [text, text.trim()]) {
    const code = codeOf(column, spelling);
    if (code !== UNSEEN) return code;
  }
  return NUMBER.test(text.trim()) ? codeOf(column, Number(text)) : UNSEEN;
}

/** The code of a category; true and "true" are one value where the column knows only the other spelling. */
function codeOf(column, value) {
  column.codes ??= codesOf(column);
  return column.codes.get(value) ?? UNSEEN;
}

function codesOf(column) {
  const codes = new Map(column.values.map((value, code) => [value, code]));
  column.values.forEach((value, code) => {
    for (const spelling of otherSpellings(value)) if (!codes.has(spelling)) codes.set(spelling, code);
  });
  return codes;
}

function otherSpellings(value) {
  if (typeof value === "boolean") return value ? ["True", "true"] : ["False", "false"];
  if (typeof value !== "string") return [];
  const small = value.toLowerCase();
  return small === "true" || small === "false" ? [small === "true"] : [];
}

/** A cell of a JSON object. */
function cellOfValue(column, value) {
  if (value === null || value === undefined) return missingCell(column);
  if (column.nominal) return codeOf(column, value);
  if (typeof value === "number") return value;
  throw new Error(`${column.shown}: expected a number, found ${JSON.stringify(value)}.`);
}

/** Reads a pasted row: a JSON object, a line of cells in the order of the columns, or a header and a line. */
export function parseRow(tree, text) {
  const trimmed = text.replace(/^[\r\n]+|[\r\n]+$/g, "");
  const json = trimmed.trim();
  if (json.startsWith("{") || json.startsWith("[")) return rowOfJson(tree, json);
  const lines = trimmed.split(/\r?\n/);
  const delimiter = lines[0].includes("\t") ? "\t" : lines[0].includes(",") ? "," : ";";
  const [first, second, ...more] = lines.map((line) => fieldsOf(line, delimiter));
  if (more.length) throw new Error(`Expected one row, or a header and a row; found ${lines.length} lines.`);
  if (second) return rowOfNamed(tree, first, second);
  if (first.length !== tree.columns.length) {
    throw new Error(
      `The row has ${first.length} cells, the table has ${tree.columns.length} columns. Give a header, or all columns.`,
    );
  }
  return tree.columns.map((column, k) => cellOfText(column, first[k]));
}

function rowOfJson(tree, text) {
  const parsed = parsedJson(text);
  const given = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : parsed;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new Error("Expected an object, and only one: column names and cells.");
  }
  checkNames(tree, Object.keys(given));
  return tree.columns.map((column) =>
    cellOfValue(column, Object.hasOwn(given, column.name) ? given[column.name] : null),
  );
}

function parsedJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${error.message}. A missing cell is null.`);
  }
}

function rowOfNamed(tree, names, cells) {
  if (names.length !== cells.length) {
    throw new Error(`The header has ${names.length} names, the row has ${cells.length} cells.`);
  }
  checkNames(tree, names);
  const place = new Map(names.map((name, k) => [name, k]));
  return tree.columns.map((column) => cellOfText(column, cells[place.get(column.name)] ?? ""));
}

function checkNames(tree, names) {
  if (!tree.columns.some((column) => names.includes(column.name))) {
    throw new Error(`None of the names is a column of the table, which has ${tree.columns[0].shown}, …`);
  }
}

/** The cells of one line; a cell in double quotes may hold delimiters, and "" for a quote. */
function fieldsOf(line, delimiter) {
  const fields = [];
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') {
      const quoted = /^"((?:[^"]|"")*)"/.exec(line.slice(at));
      if (!quoted) throw new Error("A quote is not closed.");
      fields.push(quoted[1].replaceAll('""', '"'));
      at += quoted[0].length;
      if (at < line.length && line[at] !== delimiter) throw new Error("A quote ends in the middle of a cell.");
    } else {
      const end = line.indexOf(delimiter, at);
      fields.push(line.slice(at, end < 0 ? line.length : end));
      at = end < 0 ? line.length : end;
    }
  }
  return fields;
}
