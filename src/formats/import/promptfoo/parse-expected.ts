import { assertionTypes } from "./assertion-types.ts";

/** What promptfoo calls assertions in a table, where it is not the name of their type. */
const otherNames: Readonly<Record<string, string>> = { grade: "llm-rubric", fn: "javascript", eval: "javascript" };

interface Expected {
  readonly type: string;
  readonly value?: string;
  readonly threshold?: number;
}

/** An `__expected` cell: `contains: refund`, `similar(0.8): Yes`, `not-regex: \d`, `is-json`; any other text is what the reply should equal. */
export function parseExpected(text: string): Expected {
  const code = /^file:\/\/\S+?\.(?:([cm]?[jt]sx?)|py)(?::\w+)?$/.exec(text.trim());
  if (code) return { type: code[1] === undefined ? "python" : "javascript", value: text.trim() };
  const [, not = "", written = "", threshold, value] =
    /^\s*(not-)?(trajectory:[a-z-]+|[a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::\s*([\s\S]*))?$/.exec(text) ?? [];
  const type = otherNames[written] ?? written;
  // A word by itself is an answer ("ruby"), also where promptfoo has an assertion of that name that says nothing without a value.
  const saysSomething =
    value !== undefined || threshold !== undefined || /-|^(?:latency|cost|guardrails|moderation)$/.test(type);
  if (!assertionTypes.has(type) || !saysSomething) return { type: "equals", value: text };
  return {
    type: `${not}${type}`,
    ...(value !== undefined && { value }),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  };
}
