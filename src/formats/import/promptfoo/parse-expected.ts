import { checkable, reasons } from "./assertion-types.ts";

/** What promptfoo calls assertions in a table, where it is not the name of their type. */
const otherNames: Readonly<Record<string, string>> = { grade: "llm-rubric", fn: "javascript", eval: "javascript" };

/** An `__expected` cell: `contains: refund`, `similar(0.8): Yes`, `not-regex: \d`, `is-json`; any other text is what the reply should equal. */
export function parseExpected(text: string): { type: string; value?: unknown; threshold?: number } {
  const [, not = "", written = "", threshold, value] =
    /^\s*(not-)?([a-z][a-z-]*)(?:\(([\d.]+)\))?(?::\s*([\s\S]*))?$/.exec(text) ?? [];
  const type = otherNames[written] ?? written;
  const bare = type === "is-json" || type === "contains-json" || type === "latency" || type === "cost";
  if (!(checkable.has(type) || reasons.has(type)) || (value === undefined && !bare))
    return { type: "equals", value: text };
  return {
    type: `${not}${type}`,
    ...(value !== undefined && {
      value: /-(all|any)$/.test(type) ? value.split(",").map((part) => part.trim()) : value,
    }),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  };
}
