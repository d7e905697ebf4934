import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { field, scalarText } from "../../records.ts";
import { applyFilter } from "./template-filters.ts";
import { templateText as textOf } from "./template-text.ts";

/** What a template says that we do not run. */
export class UnknownExpression extends Error {}

export interface Evaluated {
  readonly value: unknown;
  /** Names in it that have no value. */
  readonly missing: readonly string[];
}

/** Longer ones, and those nested deeper, are nobody's. */
const longest = 1000;
const deepest = 20;

/** The value of what stands between `{{` and `}}`: names, texts, numbers, lists, comparisons, filters. Throws `UnknownExpression`. */
export function evaluateExpression(expression: string, scope: JsonRecord): Evaluated {
  if (expression.length > longest) throw new UnknownExpression(`${expression.slice(0, 40)}…`);
  const tokens = tokensOf(expression);
  let at = 0;
  let depth = 0;
  let missing: string[] = [];

  const take = (...wanted: readonly string[]): string | undefined => {
    const token = tokens[at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    at++;
    return token;
  };
  const expect = (wanted: string): void => {
    if (take(wanted) === undefined) throw new UnknownExpression(expression);
  };
  const listUntil = (end: string): unknown[] => {
    const values: unknown[] = [];
    while (take(end) === undefined) {
      values.push(choice());
      if (take(",") === undefined) {
        expect(end);
        break;
      }
    }
    return values;
  };

  function choice(): unknown {
    if (++depth > deepest) throw new UnknownExpression(expression);
    let value = either();
    if (take("if") !== undefined) {
      const holds = Boolean(either());
      const other = take("else") === undefined ? "" : choice();
      value = holds ? value : other;
    }
    depth--;
    return value;
  }
  function either(): unknown {
    let value = both();
    while (take("or") !== undefined) {
      const other = both();
      value = value || other;
    }
    return value;
  }
  function both(): unknown {
    let value = negation();
    while (take("and") !== undefined) {
      const other = negation();
      value = value && other;
    }
    return value;
  }
  function negation(): unknown {
    let turns = 0;
    while (take("not") !== undefined) turns++;
    const value = membership();
    return turns === 0 ? value : Boolean(value) === (turns % 2 === 0);
  }
  function membership(): unknown {
    const before = missing.length;
    const value = comparison();
    if (take("is") !== undefined) {
      const negated = take("not") !== undefined;
      const test = tokens[at++] ?? "";
      if (!["defined", "undefined", "none"].includes(test)) throw new UnknownExpression(expression);
      missing.length = before;
      const holds = test === "none" ? value === null : (value === undefined) === (test === "undefined");
      return holds !== negated;
    }
    const negated = tokens[at] === "not" && tokens[at + 1] === "in" && at++ >= 0;
    if (take("in") === undefined) return value;
    return isIn(value, comparison()) !== negated;
  }
  function comparison(): unknown {
    let value = joined();
    for (let sign = take(...comparisons); sign !== undefined; sign = take(...comparisons))
      value = compare(value, sign, joined());
    return value;
  }
  function joined(): unknown {
    let value = sum();
    while (take("~") !== undefined) value = textOf(value) + textOf(sum());
    return value;
  }
  function sum(): unknown {
    let value = product();
    for (let sign = take("+", "-"); sign !== undefined; sign = take("+", "-")) {
      const other = product();
      if (sign === "-") value = Number(value) - Number(other);
      else
        value = typeof value === "number" && typeof other === "number" ? value + other : textOf(value) + textOf(other);
    }
    return value;
  }
  function product(): unknown {
    let value = filtered();
    for (let sign = take("*", "/", "%"); sign !== undefined; sign = take("*", "/", "%")) {
      const other = Number(filtered());
      value = sign === "*" ? Number(value) * other : sign === "/" ? Number(value) / other : Number(value) % other;
    }
    return value;
  }
  function filtered(): unknown {
    const before = missing.length;
    let value = take("-") === undefined ? member() : -Number(member());
    while (take("|") !== undefined) {
      const name = tokens[at++] ?? "";
      const options = take("(") === undefined ? [] : listUntil(")");
      // What is there for want of a value is not missing.
      if (name === "default" || name === "d") missing.length = before;
      const result = applyFilter(name, value, options);
      if (!result) throw new UnknownExpression(`filter ${name}`);
      value = result.value;
    }
    return value;
  }
  function member(): unknown {
    const start = at;
    let value = single();
    for (let sign = take(".", "["); sign !== undefined; sign = take(".", "[")) {
      const key = sign === "." ? tokens[at++] : choice();
      if (sign === "[") expect("]");
      value = memberOf(value, key);
    }
    if (tokens[at] === "(") throw new UnknownExpression(expression);
    if (value === undefined && isName(tokens[start])) missing.push(tokens.slice(start, at).join(""));
    return value;
  }
  function single(): unknown {
    const token = tokens[at++];
    if (token === undefined) throw new UnknownExpression(expression);
    if (token === "(") {
      const value = choice();
      expect(")");
      return value;
    }
    if (token === "[") return listUntil("]");
    if (/^["']/.test(token)) return token.slice(1, -1).replace(/\\(.)/gs, (_, sign: string) => escapes[sign] ?? sign);
    if (/^\d/.test(token)) return Number(token);
    if (Object.hasOwn(constants, token)) return constants[token];
    if (isName(token)) return field(scope, token);
    throw new UnknownExpression(expression);
  }

  const value = choice();
  if (at < tokens.length) throw new UnknownExpression(expression);
  missing = [...new Set(missing)];
  return { value, missing };
}

const comparisons = ["==", "!=", "===", "!==", "<", ">", "<=", ">="];
const constants: Readonly<Record<string, unknown>> = { true: true, false: false, none: null, null: null };
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
const words = new Set(["if", "else", "or", "and", "not", "in", "is"]);

const isName = (token: string | undefined): boolean =>
  token !== undefined && /^[\p{L}_$]/u.test(token) && !words.has(token) && !Object.hasOwn(constants, token);

function tokensOf(expression: string): string[] {
  const token =
    /\s*([\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[=!]==?|[<>]=?|[-+*/%~|()[\].,])/uy;
  const tokens: string[] = [];
  const end = expression.trimEnd().length;
  while (token.lastIndex < end) {
    const found = token.exec(expression)?.[1];
    if (found === undefined) throw new UnknownExpression(expression);
    tokens.push(found);
  }
  return tokens;
}

function memberOf(value: unknown, key: unknown): unknown {
  if (key === "length" && (Array.isArray(value) || typeof value === "string")) return value.length;
  if (Array.isArray(value) || typeof value === "string") return value[Number(key)] as unknown;
  return isRecord(value) ? field(value, String(key)) : undefined;
}

function isIn(value: unknown, among: unknown): boolean {
  if (typeof among === "string") return among.includes(textOf(value));
  if (Array.isArray(among)) return among.some((entry) => isSame(entry, value));
  return isRecord(among) && Object.hasOwn(among, textOf(value));
}

const isSame = (left: unknown, right: unknown): boolean =>
  left === right ||
  ((left ?? null) === null && (right ?? null) === null) ||
  (typeof left !== typeof right && scalarText(left) !== undefined && Number(left) === Number(right));

function compare(left: unknown, sign: string, right: unknown): boolean {
  if (sign.startsWith("=")) return sign === "===" ? left === right : isSame(left, right);
  if (sign.startsWith("!")) return sign === "!==" ? left !== right : !isSame(left, right);
  const [first, second] =
    typeof left === "string" && typeof right === "string" ? [left, right] : [Number(left), Number(right)];
  if (sign.startsWith("<")) return sign === "<" ? first < second : first <= second;
  return sign === ">" ? first > second : first >= second;
}
