import { parse } from "csv-parse/browser/esm/sync";
import { RE2JS } from "re2js";
import { parse as parseYaml } from "yaml";
import { isRecord } from "../../../base/json.ts";
import { TurnCheck } from "../../../contract/schemas/scorer-setting.ts";
import { lineEnds } from "../../line-ends.ts";
import { scalarText } from "../../records.ts";
import type { CheckDraft } from "../../scenario-draft.ts";

/** An assertion of promptfoo as a check of ours, or undefined where none judges the same. */
export function toCheck(assertion: CheckDraft): TurnCheck | undefined {
  const setting = settingOf(assertion);
  const parsed = setting && TurnCheck.safeParse(setting);
  return parsed?.success ? parsed.data : undefined;
}

function settingOf({ type, value, negated, threshold }: CheckDraft): object | undefined {
  switch (type) {
    case "contains":
    case "icontains":
      return containing(oneText(value), { type, mode: negated ? "none" : "all" });
    case "contains-any":
    case "icontains-any":
      return containing(textsOf(value), { type, mode: negated ? "none" : "any" });
    case "contains-all":
    case "icontains-all":
      return negated ? undefined : containing(textsOf(value), { type, mode: "all" });
    case "equals": {
      const text = scalarText(value);
      return text === undefined ? undefined : { type, text, negate: negated };
    }
    case "starts-with":
      return matching(`\\A${RE2JS.quote(scalarText(value) ?? "")}`, negated);
    case "regex":
      return matching(atEnds(scalarText(value) ?? ""), negated);
    case "is-json":
      return negated ? undefined : fitting(schemaOf(value));
    case "word-count":
      return negated ? undefined : { type: "length", unit: "words", ...wordBounds(value) };
    case "llm-rubric":
    case "g-eval":
    case "model-graded-closedqa":
      return negated ? undefined : { type: "rubric", text: rubricText(value) };
    case "latency":
      return negated ? undefined : { type, max_ms: threshold };
    case "cost":
      return negated ? undefined : { type, max: threshold };
    default:
      return undefined;
  }
}

function containing(texts: readonly string[], { type, mode }: { type: string; mode: string }): object | undefined {
  // White space alone is in every reply: nothing is checked by it.
  if (texts.length === 0 || texts.some((text) => text.trim() === "")) return undefined;
  const text = texts.length === 1 ? texts[0] : texts;
  return { type: "contains", text, mode, ignore_case: type.startsWith("i") };
}

function matching(pattern: string, negate: boolean): object | undefined {
  return isRunnable(pattern) ? { type: "regex", pattern, negate } : undefined;
}

/** Code that promptfoo runs as JavaScript may look around or back; a pattern here must run in linear time. */
function isRunnable(pattern: string): boolean {
  try {
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return true;
  } catch {
    return false;
  }
}

/** promptfoo reads schemas by draft 7; ours that name no draft are read by a later one, in which lists of items have another form. */
function fitting(schema: unknown): object | undefined {
  if (!patternsOf(schema).every(isRunnable)) return undefined;
  const isOlder = /"(?:additionalItems":|items":\[)/.test(JSON.stringify(schema) ?? "");
  const draft = isOlder && { $schema: "http://json-schema.org/draft-07/schema#" };
  return { type: "json_schema", schema: isRecord(schema) ? { ...draft, ...schema } : schema };
}

function patternsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(patternsOf);
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "pattern" && typeof value === "string") return [value];
    return [...(key === "patternProperties" && isRecord(value) ? Object.keys(value) : []), ...patternsOf(value)];
  });
}

/** `^` and `$` of promptfoo are the ends of the reply; ours are those of a line unless told. Our export has a form for those. */
function atEnds(pattern: string): string {
  if (!/[$^]/.test(pattern)) return pattern;
  const { script, linear } = lineEnds;
  return `(?-m)${pattern.replaceAll(script.start, linear.start).replaceAll(script.end, linear.end)}`;
}

const oneText = (value: unknown): string[] => {
  const text = scalarText(value);
  return text === undefined ? [] : [text];
};

/** A list, or a text with commas between its entries and quotes around those that hold one. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(oneText);
  try {
    const rows: string[][] = parse(scalarText(value) ?? "", { trim: true, relax_quotes: true });
    return rows.flat().filter((text) => text !== "");
  } catch {
    return [];
  }
}

/** Without a schema any JSON will do; one may be written as text. */
function schemaOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return parseYaml(value);
  } catch {
    return undefined;
  }
}

/** Several criteria are asked for together; those that have a structure, as promptfoo writes it out. */
const rubricText = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.flatMap(oneText).join("\n");
  return isRecord(value) ? JSON.stringify(value, null, 2) : scalarText(value);
};

function wordBounds(value: unknown): object {
  if (isRecord(value)) return { min: value["min"], max: value["max"] };
  const count = Number(scalarText(value));
  return { min: count, max: count };
}
