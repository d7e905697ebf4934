import { z } from "zod";
import { unwrapFence } from "../text/unwrap-fence.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck } from "./define-check.ts";

const maximumLength = 1_000_000;

/**
 * The reply is JSON that fits the schema, by the draft that `$schema` names (draft 7 for older ones), else by 2020-12. Formats are
 * always checked, even where the draft leaves that open. A reply that is one fenced code block is unwrapped first.
 */
export const jsonSchema = defineCheck({
  schema: z.object({
    type: z.literal("json_schema"),
    ...checkFields,
    anywhere: z.boolean().optional().describe("Also accepts JSON inside other text."),
    schema: z.record(z.string(), z.json()),
  }),
  id: "JsonSchemaSetting",
  label: "Valid JSON",
  help: "1 when the reply is JSON that matches the schema; a fenced code block is unwrapped first.",
  form: {
    fresh: { schema: { type: "object" } },
    fields: { schema: "JSON Schema", anywhere: "may be inside other text" },
  },
  runs: "thread",
  // A small schema can take minutes to compile, and to apply.
  source: { field: "schema", size: ({ schema }) => JSON.stringify(schema).length, most: 100_000, quick: 0 },
  compile({ schema, anywhere = false }, compilers) {
    const fits = compilers.schema(schema);
    return {
      isQuick: () => false,
      check({ reply }) {
        if (reply.raw.length > maximumLength)
          return { value: null, reason: `longer than ${maximumLength} characters`, failed: true };
        const parsed = parse(unwrapFence(reply.raw));
        if (parsed.ok) return fits(parsed.value);
        if (!anywhere) return { value: 0, reason: "the reply is not JSON" };
        const results = valuesIn(reply.raw).map(fits);
        return (
          results.find(({ value }) => value === 1) ??
          results[0] ?? { value: 0, reason: "there is no JSON in the reply" }
        );
      },
    };
  },
});

/** Values of JSON in a text that are tried: each may take as long as the text. */
const mostValues = 100;

/** The objects and lists in a text, none inside another. */
function valuesIn(text: string): unknown[] {
  const values: unknown[] = [];
  let tries = 0;
  for (let at = text.search(/[[{]/); at !== -1 && tries < mostValues; tries++) {
    const end = endOfValue(text, at);
    const parsed = end === -1 ? ({ ok: false } as const) : parse(text.slice(at, end));
    if (parsed.ok) values.push(parsed.value);
    const from = parsed.ok ? end : at + 1;
    const next = text.slice(from).search(/[[{]/);
    at = next === -1 ? -1 : from + next;
  }
  return values;
}

/** The place after the bracket that closes the one here; -1 when it is never closed. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (const { 0: part, index } of text.slice(at).matchAll(/"(?:[^"\\]|\\[^])*"?|[[\]{}]/g)) {
    if (part === "[" || part === "{") depth++;
    else if (part === "]" || part === "}") depth--;
    if (depth === 0) return at + index + part.length;
  }
  return -1;
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
