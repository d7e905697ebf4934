import type { ToolCall } from "../../contract/model.ts";
import type { KnownTools } from "./trained-calls.ts";

const call = /(?<![\w.])([A-Za-z_][\w.]*)\(((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^()"'])*)\)/g;
const argument =
  /\s*([A-Za-z_]\w*)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|True|False|None|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(?:,|$)/y;

const mostCalls = 64;

/**
 * Calls written in Python, as Gemma and Llama were trained to: `calculator(expression="6*7")`. Only of tools that are known, and
 * only with plain values by name: what else stands there is for the model to write again.
 */
export function readPythonCalls(code: string, tools: KnownTools): readonly ToolCall[] {
  return [...code.matchAll(call).take(mostCalls)].flatMap(([, path = "", written = ""]) => {
    // Llama writes `calculator.call(…)`.
    const name = path.replace(/\.call$/, "");
    const args = tools.has(name) ? readArguments(written) : null;
    return args ? [{ id: "", name, arguments: JSON.stringify(args) }] : [];
  });
}

function readArguments(written: string): Record<string, unknown> | null {
  const args: [string, unknown][] = [];
  argument.lastIndex = 0;
  while (written.slice(argument.lastIndex).trim() !== "") {
    const match = argument.exec(written);
    if (!match) return null;
    args.push([match[1] ?? "", toValue(match[2] ?? "")]);
  }
  return Object.fromEntries(args);
}

const constants = new Map<string, unknown>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

function toValue(literal: string): unknown {
  if (constants.has(literal)) return constants.get(literal);
  const isText = literal.startsWith('"') || literal.startsWith("'");
  return isText ? unquote(literal.slice(1, -1)) : Number(literal);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const unquote = (text: string) => text.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
