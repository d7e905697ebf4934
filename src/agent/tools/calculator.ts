import { defineTool, ToolError, type Tool } from "./tool.ts";

/** Evaluates arithmetic, so that a model need not guess results. */
export function calculator(): Tool {
  return defineTool({
    idempotent: true,
    ours: true,
    name: "calculator",
    description:
      "Evaluates an arithmetic expression: + - * / % ^ ( ), sqrt abs round(x, digits) floor ceil min max log(x, base) ln exp sin cos tan pow(x, y), pi, e. " +
      "Angles are in radians, log is to base 10, results have 15 significant digits.",
    parameters: {
      type: "object",
      properties: { expression: { type: "string", description: "For example (3 + 4) * 2 ^ 10 / sqrt(2)." } },
      required: ["expression"],
      additionalProperties: false,
    },
    run: ({ expression }: { expression: string }) => formatNumber(evaluateArithmetic(expression)),
  });
}

/** Only digits that a double guarantees: exact integers in full, anything else to 15 significant digits. */
export function formatNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  const rounded = Number(value.toPrecision(15));
  if (Math.abs(rounded) < 1e15) return String(rounded);
  return value.toExponential(14).replace(/\.?0+e/, "e");
}

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
export function evaluateArithmetic(text: string): number {
  if (text.trim() === "") throw new ToolError("The expression is empty.");
  if (text.length > longestExpression) {
    throw new ToolError(`The expression is longer than ${longestExpression} characters.`);
  }
  const tokens = createExpressionReader(toTokens(text));
  const value = readSum(tokens, 0);
  const rest = tokens.next();
  if (rest.kind !== "end") throw new ToolError(`Expected an operator but found ${describeToken(rest)}.`);
  return value;
}

interface ExpressionReader {
  /** The next token, without taking it. */
  readonly peek: () => ArithmeticToken;
  readonly next: () => ArithmeticToken;
  /** Takes the next token if it is one of these symbols. */
  readonly take: (...symbols: readonly string[]) => ArithmeticToken | null;
  readonly expect: (symbol: string) => void;
}

function createExpressionReader(tokens: readonly ArithmeticToken[]): ExpressionReader {
  const end = tokens.at(-1) as ArithmeticToken;
  let index = 0;
  const peek = () => tokens[index] ?? end;
  const next = () => tokens[index++] ?? end;
  const take: ExpressionReader["take"] = (...symbols) => {
    const token = peek();
    return token.kind === "symbol" && symbols.includes(token.text) ? next() : null;
  };
  const expect: ExpressionReader["expect"] = (symbol) => {
    if (!take(symbol)) throw new ToolError(`Expected "${symbol}" but found ${describeToken(peek())}.`);
  };
  return { peek, next, take, expect };
}

function readSum(tokens: ExpressionReader, depth: number): number {
  let value = readProduct(tokens, depth);
  for (let operator = tokens.take("+", "-"); operator; operator = tokens.take("+", "-")) {
    const right = readProduct(tokens, depth);
    value = finite(operator.text === "+" ? value + right : value - right, operator);
  }
  return value;
}

function readProduct(tokens: ExpressionReader, depth: number): number {
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

function readSigned(tokens: ExpressionReader, depth: number): number {
  const sign = tokens.take("-", "+");
  if (!sign) return readPower(tokens, depth);
  const value = readSigned(tokens, deeper(depth, sign));
  return sign.text === "-" ? -value : value;
}

function readPower(tokens: ExpressionReader, depth: number): number {
  const base = readAtom(tokens, depth);
  const operator = tokens.take("^");
  if (!operator) return base;
  const exponent = readSigned(tokens, deeper(depth, operator));
  if (base === 0 && exponent < 0) throw new ToolError(`Division by zero at position ${operator.position}.`);
  return finite(base ** exponent, operator);
}

function readAtom(tokens: ExpressionReader, depth: number): number {
  const token = tokens.next();
  if (token.kind === "number") return finite(Number(token.text), token);
  if (token.kind === "name") return readName(tokens, token, depth);
  if (token.kind !== "symbol" || token.text !== "(") {
    throw new ToolError(`Expected a number but found ${describeToken(token)}.`);
  }
  const value = readSum(tokens, deeper(depth, token));
  tokens.expect(")");
  return value;
}

function readName(tokens: ExpressionReader, name: ArithmeticToken, depth: number): number {
  const constant = expressionConstants.get(name.text);
  if (constant !== undefined) return constant;
  const called = expressionFunctions.get(name.text);
  if (!called) throw new ToolError(`Unknown name ${describeToken(name)}. Known: ${knownNames}.`);
  const values = readFunctionArguments(tokens, deeper(depth, name));
  if (values.length < called.least || values.length > called.most) {
    throw new ToolError(`${describeToken(name)} takes ${describeCount(called)}, not ${values.length}.`);
  }
  return finite(called.apply(...values), name);
}

function readFunctionArguments(tokens: ExpressionReader, depth: number): readonly number[] {
  tokens.expect("(");
  if (tokens.take(")")) return [];
  const values = [readSum(tokens, depth)];
  while (tokens.take(",")) values.push(readSum(tokens, depth));
  tokens.expect(")");
  return values;
}

function describeCount({ least, most }: { least: number; most: number }): string {
  if (most === Number.POSITIVE_INFINITY) return `${least} or more values`;
  if (least !== most) return `${least} or ${most} values`;
  return most === 1 ? "1 value" : `${most} values`;
}

function deeper(depth: number, token: ArithmeticToken): number {
  if (depth < deepestNesting) return depth + 1;
  throw new ToolError(`The expression is nested deeper than ${deepestNesting} levels at position ${token.position}.`);
}

function finite(value: number, { position }: ArithmeticToken): number {
  if (Number.isFinite(value)) return value;
  const problem = Number.isNaN(value) || value === Number.NEGATIVE_INFINITY ? "is not a real number" : "is too large";
  throw new ToolError(`The result at position ${position} ${problem}.`);
}

function describeToken(token: ArithmeticToken): string {
  return token.kind === "end" ? "the end of the expression" : `"${token.text}" at position ${token.position}`;
}

/** A function of expressions. It may return NaN or an infinity; the evaluator turns those into errors. */
interface ExpressionFunction {
  readonly least: number;
  readonly most: number;
  readonly apply: (...values: number[]) => number;
}

const unary = (apply: (value: number) => number): ExpressionFunction => ({ least: 1, most: 1, apply });
const many = (apply: (...values: number[]) => number): ExpressionFunction => ({
  least: 1,
  most: Number.POSITIVE_INFINITY,
  apply,
});

const expressionConstants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
]);

const expressionFunctions: ReadonlyMap<string, ExpressionFunction> = new Map([
  ["sqrt", unary(Math.sqrt)],
  ["abs", unary(Math.abs)],
  ["round", { least: 1, most: 2, apply: roundTo }],
  ["floor", unary(Math.floor)],
  ["ceil", unary(Math.ceil)],
  ["min", many(Math.min)],
  ["max", many(Math.max)],
  ["log", { least: 1, most: 2, apply: logarithm }],
  ["ln", unary(Math.log)],
  ["exp", unary(Math.exp)],
  ["sin", unary(Math.sin)],
  ["cos", unary(Math.cos)],
  ["tan", unary(Math.tan)],
  ["pow", { least: 2, most: 2, apply: Math.pow }],
]);

/** Rounds half away from zero, on the decimal notation: 1.005 to two digits is 1.01. */
function roundTo(value = 0, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) return Number.NaN;
  const shifted = shift(Math.abs(value), digits);
  return Math.sign(value) * shift(Math.round(shifted), -digits);
}

function shift(value: number, digits: number): number {
  const [mantissa, exponent = "0"] = String(value).split("e");
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

function logarithm(value = 0, base = 10): number {
  if (base === 10) return Math.log10(value);
  if (base === 2) return Math.log2(value);
  return base > 0 ? Math.log(value) / Math.log(base) : Number.NaN;
}

const knownNames = [...expressionFunctions.keys(), ...expressionConstants.keys()].join(", ");

/** A token of an expression. `position` counts from 1. */
type ArithmeticToken =
  | { readonly kind: "number"; readonly text: string; readonly position: number }
  | { readonly kind: "name"; readonly text: string; readonly position: number }
  | { readonly kind: "symbol"; readonly text: string; readonly position: number }
  | { readonly kind: "end"; readonly text: ""; readonly position: number };

const pieces =
  /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[a-zA-Z_]\w*)|(?<symbol>\*\*|[-+*/%^(),×÷−]))/uy;
const spellings: Readonly<Record<string, string>> = { "**": "^", "×": "*", "÷": "/", "−": "-" };

/** Splits an expression into tokens; `**`, `×`, `÷` and the true minus sign become their plain forms. */
function toTokens(text: string): readonly ArithmeticToken[] {
  const tokens: ArithmeticToken[] = [];
  const end = text.trimEnd().length;
  pieces.lastIndex = 0;
  while (pieces.lastIndex < end) {
    const start = pieces.lastIndex;
    const groups = pieces.exec(text)?.groups;
    if (!groups) throw new ToolError(describeUnexpected(text, start));
    tokens.push(toToken(groups, pieces.lastIndex));
  }
  tokens.push({ kind: "end", text: "", position: end + 1 });
  return tokens;
}

function toToken({ number, name, symbol }: Partial<Record<string, string>>, end: number): ArithmeticToken {
  if (number !== undefined) return { kind: "number", text: number, position: end - number.length + 1 };
  if (name !== undefined) return { kind: "name", text: name.toLowerCase(), position: end - name.length + 1 };
  const text = symbol ?? "";
  return { kind: "symbol", text: spellings[text] ?? text, position: end - text.length + 1 };
}

function describeUnexpected(text: string, start: number): string {
  const rest = text.slice(start);
  const position = start + rest.length - rest.trimStart().length;
  const [character] = text.slice(position);
  return `"${character}" at position ${position + 1} is not part of an expression.`;
}
