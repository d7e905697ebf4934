import { ToolError } from "../tool.ts";
import { expressionConstants, expressionFunctions } from "./expression-functions.ts";
import { toTokens, type Token } from "./expression-token.ts";

const longestExpression = 1000;
const deepestNesting = 64;

/**
 * The value of an arithmetic expression. Grammar, loosest first:
 *   sum     = product (("+" | "-") product)*
 *   product = signed (("*" | "/" | "%") signed)*
 *   signed  = ("-" | "+") signed | power          so -2^2 is -4
 *   power   = atom ("^" signed)?                  so 2^3^2 is 2^9, and 2^-1 works
 *   atom    = number | constant | function "(" sum ("," sum)* ")" | "(" sum ")"
 * `%` is the remainder, with the sign of the dividend. Throws a ToolError that names the position.
 */
export function evaluateExpression(text: string): number {
  if (text.trim() === "") throw new ToolError("The expression is empty.");
  if (text.length > longestExpression) {
    throw new ToolError(`The expression is longer than ${longestExpression} characters.`);
  }
  const tokens = createReader(toTokens(text));
  const value = readSum(tokens, 0);
  const rest = tokens.next();
  if (rest.kind !== "end") throw new ToolError(`Expected an operator but found ${describe(rest)}.`);
  return value;
}

interface Reader {
  /** The token in front, left there. */
  readonly peek: () => Token;
  readonly next: () => Token;
  /** Takes the token in front when it is one of these symbols. */
  readonly take: (...symbols: readonly string[]) => Token | null;
  readonly expect: (symbol: string) => void;
}

function createReader(tokens: readonly Token[]): Reader {
  const end = tokens.at(-1) as Token;
  let index = 0;
  const peek = () => tokens[index] ?? end;
  const next = () => tokens[index++] ?? end;
  const take: Reader["take"] = (...symbols) => {
    const token = peek();
    return token.kind === "symbol" && symbols.includes(token.text) ? next() : null;
  };
  const expect: Reader["expect"] = (symbol) => {
    if (!take(symbol)) throw new ToolError(`Expected "${symbol}" but found ${describe(peek())}.`);
  };
  return { peek, next, take, expect };
}

function readSum(tokens: Reader, depth: number): number {
  let value = readProduct(tokens, depth);
  for (let operator = tokens.take("+", "-"); operator; operator = tokens.take("+", "-")) {
    const right = readProduct(tokens, depth);
    value = finite(operator.text === "+" ? value + right : value - right, operator);
  }
  return value;
}

function readProduct(tokens: Reader, depth: number): number {
  let value = readSigned(tokens, depth);
  for (let operator = tokens.take("*", "/", "%"); operator; operator = tokens.take("*", "/", "%")) {
    const right = readSigned(tokens, depth);
    if (operator.text !== "*" && right === 0) throw new ToolError(`Division by zero at position ${operator.position}.`);
    value = finite(operator.text === "*" ? value * right : divide(operator.text, value, right), operator);
  }
  return value;
}

function divide(operator: string, left: number, right: number): number {
  return operator === "/" ? left / right : left % right;
}

function readSigned(tokens: Reader, depth: number): number {
  const sign = tokens.take("-", "+");
  if (!sign) return readPower(tokens, depth);
  const value = readSigned(tokens, deeper(depth, sign));
  return sign.text === "-" ? -value : value;
}

function readPower(tokens: Reader, depth: number): number {
  const base = readAtom(tokens, depth);
  const operator = tokens.take("^");
  if (!operator) return base;
  const exponent = readSigned(tokens, deeper(depth, operator));
  if (base === 0 && exponent < 0) throw new ToolError(`Division by zero at position ${operator.position}.`);
  return finite(base ** exponent, operator);
}

function readAtom(tokens: Reader, depth: number): number {
  const token = tokens.next();
  if (token.kind === "number") return finite(Number(token.text), token);
  if (token.kind === "name") return readName(tokens, token, depth);
  if (token.kind !== "symbol" || token.text !== "(") {
    throw new ToolError(`Expected a number but found ${describe(token)}.`);
  }
  const value = readSum(tokens, deeper(depth, token));
  tokens.expect(")");
  return value;
}

function readName(tokens: Reader, name: Token, depth: number): number {
  const constant = expressionConstants.get(name.text);
  if (constant !== undefined) return constant;
  const called = expressionFunctions.get(name.text);
  if (!called) throw new ToolError(`Unknown name ${describe(name)}. Known: ${knownNames}.`);
  const values = readArguments(tokens, deeper(depth, name));
  if (values.length < called.least || values.length > called.most) {
    throw new ToolError(`${describe(name)} takes ${describeCount(called)}, not ${values.length}.`);
  }
  return finite(called.apply(...values), name);
}

function readArguments(tokens: Reader, depth: number): readonly number[] {
  tokens.expect("(");
  if (tokens.take(")")) return [];
  const values = [readSum(tokens, depth)];
  while (tokens.take(",")) values.push(readSum(tokens, depth));
  tokens.expect(")");
  return values;
}

const knownNames = [...expressionFunctions.keys(), ...expressionConstants.keys()].join(", ");

function describeCount({ least, most }: { least: number; most: number }): string {
  if (most === Number.POSITIVE_INFINITY) return `${least} or more values`;
  if (least !== most) return `${least} or ${most} values`;
  return most === 1 ? "1 value" : `${most} values`;
}

function deeper(depth: number, token: Token): number {
  if (depth < deepestNesting) return depth + 1;
  throw new ToolError(`The expression is nested deeper than ${deepestNesting} levels at position ${token.position}.`);
}

function finite(value: number, { position }: Token): number {
  if (Number.isFinite(value)) return value;
  const problem = Number.isNaN(value) || value === Number.NEGATIVE_INFINITY ? "is not a real number" : "is too large";
  throw new ToolError(`The result at position ${position} ${problem}.`);
}

function describe(token: Token): string {
  return token.kind === "end" ? "the end of the expression" : `"${token.text}" at position ${token.position}`;
}
