import { isRecord } from "../../base/json.ts";

const longestText = 100_000;

/**
 * The tool that a reply names in a call written as text, as models do that were not trained for tool calls: JSON in a fenced block, in
 * `<tool_call>` tags or alone, with the name of a tool that was offered and an object of arguments. Null when there is none.
 */
export function writtenCall(text: string, tools: readonly { readonly name: string }[]): string | null {
  if (tools.length === 0 || text.length > longestText || !text.includes("{")) return null;
  const names = new Set(tools.map(({ name }) => name));
  for (const block of blocksOf(text)) {
    const name = calledIn(block, names);
    if (name !== null) return name;
  }
  return null;
}

const tags = /<(tool_call|function_call|tool_calls)>([^]*?)(?:<\/\1>|$)/g;

function* blocksOf(text: string): Iterable<unknown> {
  // Every second piece is between fences; the last one may not be closed.
  const fenced = text.split("```").filter((_, index) => index % 2 === 1);
  const blocks = [
    ...fenced.map((block) => block.replace(/^[\w-]*\s/, "")),
    ...text.matchAll(tags).map(([, , inner]) => inner ?? ""),
  ];
  for (const block of [...blocks, text]) {
    const json = block.trim();
    if (!/^[[{]/.test(json)) continue;
    const value = parsed(json);
    if (value !== undefined) yield value;
    // Several calls may follow each other, one per line.
    else for (const line of json.split("\n")) yield parsed(line);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function calledIn(value: unknown, names: ReadonlySet<string>): string | null {
  if (Array.isArray(value)) return value.map((item) => calledIn(item, names)).find((name) => name !== null) ?? null;
  if (!isRecord(value)) return null;
  if (Array.isArray(value["tool_calls"])) return calledIn(value["tool_calls"], names);
  const call = isRecord(value["function"]) ? value["function"] : value;
  const name = [call["name"], call["tool"], call["tool_name"], call["function"], call["action"]].find(
    (given) => typeof given === "string" && names.has(given),
  );
  const given = ["arguments", "args", "parameters", "input", "action_input"].map((field) => call[field]);
  const hasArguments = given.some((each) => isRecord(each) || (typeof each === "string" && isRecord(parsed(each))));
  return typeof name === "string" && hasArguments ? name : null;
}
