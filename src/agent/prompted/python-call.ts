import type { ToolCall } from "../../contract/ports/chat-model.ts";
import type { KnownTools } from "./trained-calls.ts";

const opening = /(?<![\w.])([A-Za-z_][\w.]*)\(/g;
const argument =
  /\s*([A-Za-z_]\w*)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|True|False|None|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(?:,|$)/y;

const mostCalls = 64;

/**
 * Calls in Python notation, as Gemma and Llama write them: `calculator(expression="6*7")`. Only known tools with plain keyword arguments
 * are read; the model has to repeat any other call.
 */
export function readPythonCalls(code: string, tools: KnownTools): readonly ToolCall[] {
  return [...findCalls(code).take(mostCalls)].flatMap(({ path, written }) => {
    // Llama writes `calculator.call(…)`.
    const name = path.replace(/\.call$/, "");
    const args = tools.has(name) ? readPythonArguments(written) : null;
    return args ? [{ id: "", name, arguments: JSON.stringify(args) }] : [];
  });
}

/**
 * The calls of a text that is only a list of calls, as Llama writes it: `[calculator(expression="6*7"), look()]`. None when the list
 * contains anything else.
 */
export function readPythonList(text: string, tools: KnownTools): readonly ToolCall[] {
  const code = /^\s*\[([^]*)\]\s*$/.exec(text)?.[1] ?? "";
  const calls = [...findCalls(code).take(mostCalls)];
  const ends = [0, ...calls.map(({ end }) => end)];
  const between = [...calls.map(({ start }) => start), code.length].map((start, index) =>
    code.slice(ends[index], start),
  );
  const [first = "", ...others] = between;
  const last = others.pop() ?? "";
  const isList = first.trim() === "" && last.trim() === "" && others.every((part) => part.trim() === ",");
  const read = isList ? readPythonCalls(code, tools) : [];
  return read.length === calls.length ? read : [];
}

interface PythonCall {
  readonly path: string;
  readonly written: string;
  readonly start: number;
  readonly end: number;
}

function* findCalls(code: string): Generator<PythonCall> {
  const ends = argumentEnds(code);
  let from = 0;
  for (const { 0: opened, 1: path = "", index } of code.matchAll(opening)) {
    const start = index + opened.length;
    const end = ends[start] ?? -1;
    if (index < from || end < 0) continue;
    yield { path, written: code.slice(start, end), start: index, end: end + 1 };
    from = end + 1;
  }
}

/**
 * For each position of the code, the end of arguments that begin there, before their closing bracket; -1 when another bracket opens
 * first or a string never ends. Computed from the end: reading forward from each bracket would take minutes for a reply full of quotes.
 */
function argumentEnds(code: string): Int32Array {
  const noEnds = () => new Int32Array(code.length + 2).fill(-1);
  const [outside, single, double] = [noEnds(), noEnds(), noEnds()];
  const ending = (ends: Int32Array, at: number): number => ends[at] ?? -1;
  for (let at = code.length - 1; at >= 0; at--) {
    const sign = code[at];
    const next = at + (sign === "\\" ? 2 : 1);
    single[at] = ending(sign === "'" ? outside : single, next);
    double[at] = ending(sign === '"' ? outside : double, next);
    if (sign === ")") outside[at] = at;
    else if (sign !== "(") outside[at] = ending(sign === "'" ? single : sign === '"' ? double : outside, at + 1);
  }
  return outside;
}

function readPythonArguments(written: string): Record<string, unknown> | null {
  const args: [string, unknown][] = [];
  argument.lastIndex = 0;
  while (written.slice(argument.lastIndex).trim() !== "") {
    const match = argument.exec(written);
    if (!match) return null;
    args.push([match[1] ?? "", toPythonValue(match[2] ?? "")]);
  }
  return Object.fromEntries(args);
}

const constants = new Map<string, unknown>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

function toPythonValue(literal: string): unknown {
  if (constants.has(literal)) return constants.get(literal);
  const isText = literal.startsWith('"') || literal.startsWith("'");
  return isText ? unquote(literal.slice(1, -1)) : Number(literal);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** A numeric escape, `\x41`, `\u00e9` or `\U0001f600`, or a letter. */
const escaped = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(00(?:0[\da-fA-F]|10)[\da-fA-F]{4})|(.))/gs;

const unquote = (text: string) =>
  text.replaceAll(escaped, (_, two?: string, four?: string, eight?: string, letter = "") => {
    const code = two ?? four ?? eight;
    return code === undefined ? (escapes[letter] ?? letter) : String.fromCodePoint(Number.parseInt(code, 16));
  });
