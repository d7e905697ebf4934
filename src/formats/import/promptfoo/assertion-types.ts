import { parse } from "csv-parse/browser/esm/sync";
import { RE2JS } from "re2js";
import { parse as parseYaml } from "yaml";
import { isRecord } from "../../../base/json.ts";
import { TurnCheck } from "../../../contract/schemas/scorer-setting.ts";
import { scalarText } from "../../documents/records.ts";
import type { UnmappedCheckDraft } from "../../imported-scenario.ts";
import { fromScriptPattern } from "../../regex-dialects.ts";

/** Assertions whose value is a reference reply. */
export const referenceTypes: ReadonlySet<string> = new Set([
  "equals",
  "similar",
  "levenshtein",
  "rouge-n",
  "bleu",
  "gleu",
  "meteor",
  "factuality",
  "model-graded-factuality",
]);

/** Assertions that can be converted: to reference replies, to checks, or else to unmapped checks. */
export const checkableTypes: ReadonlySet<string> = new Set([
  ...referenceTypes,
  "contains",
  "icontains",
  "contains-all",
  "contains-any",
  "icontains-all",
  "icontains-any",
  "starts-with",
  "regex",
  "word-count",
  "llm-rubric",
  "g-eval",
  "model-graded-closedqa",
  "is-json",
  "contains-json",
  "latency",
  "cost",
]);

/** Reasons why some types are not supported. */
export const unsupportedReasons: ReadonlyMap<string, string> = new Map([
  ["javascript", "it runs its own code"],
  ["python", "it runs its own code"],
  ["ruby", "it runs its own code"],
  ["webhook", "it calls another service"],
  ["perplexity", "it needs token probabilities"],
  ["perplexity-score", "it needs token probabilities"],
]);

/** Other types that promptfoo knows; they are not supported. */
const others = [
  "agent-rubric",
  "answer-relevance",
  "classifier",
  "contains-html",
  "contains-sql",
  "contains-xml",
  "context-faithfulness",
  "context-recall",
  "context-relevance",
  "conversation-relevance",
  "finish-reason",
  "guardrails",
  "is-html",
  "is-refusal",
  "is-sql",
  "is-valid-function-call",
  "is-valid-openai-function-call",
  "is-valid-openai-tools-call",
  "is-xml",
  "moderation",
  "pi",
  "search-rubric",
  "skill-used",
  "tool-call-f1",
  "trace-error-spans",
  "trace-span-count",
  "trace-span-duration",
  "trajectory:goal-success",
  "trajectory:step-count",
  "trajectory:tool-args-match",
  "trajectory:tool-sequence",
  "trajectory:tool-used",
];

export const assertionTypes: ReadonlySet<string> = new Set([
  ...checkableTypes,
  ...unsupportedReasons.keys(),
  ...others,
]);

/** Converts a promptfoo assertion to an equivalent check; undefined if there is none. */
export function toCheck(assertion: UnmappedCheckDraft): TurnCheck | undefined {
  const setting = settingOf(assertion);
  const parsed = setting && TurnCheck.safeParse(setting);
  return parsed?.success ? parsed.data : undefined;
}

function settingOf({ type, value, negated, threshold }: UnmappedCheckDraft): object | undefined {
  switch (type) {
    case "contains":
    case "icontains":
      return containsCheck(oneText(value), { type, mode: negated ? "none" : "all" });
    case "contains-any":
    case "icontains-any":
      return containsCheck(textsOf(value), { type, mode: negated ? "none" : "any" });
    case "contains-all":
    case "icontains-all":
      return negated ? undefined : containsCheck(textsOf(value), { type, mode: "all" });
    case "equals": {
      const text = scalarText(value);
      return text === undefined ? undefined : { type, text, negate: negated };
    }
    case "starts-with":
      return regexCheck(`\\A${RE2JS.quote(scalarText(value) ?? "")}`, negated);
    case "regex":
      return regexCheck(fromScriptPattern(scalarText(value) ?? ""), negated);
    case "is-json":
      return negated ? undefined : schemaCheck(schemaOf(value));
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

function containsCheck(texts: readonly string[], { type, mode }: { type: string; mode: string }): object | undefined {
  // White space alone is in every reply, so such a check would test nothing.
  if (texts.length === 0 || texts.some((text) => text.trim() === "")) return undefined;
  const text = texts.length === 1 ? texts[0] : texts;
  return { type: "contains", text, mode, ignore_case: type.startsWith("i") };
}

function regexCheck(pattern: string, negate: boolean): object | undefined {
  return isLinearPattern(pattern) ? { type: "regex", pattern, negate } : undefined;
}

/** JavaScript patterns may use lookaround and backreferences; ours must run in linear time. */
function isLinearPattern(pattern: string): boolean {
  try {
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return true;
  } catch {
    return false;
  }
}

/** promptfoo validates with draft 7. Without a named draft we use a later one, in which tuple `items` have another form. */
function schemaCheck(schema: unknown): object | undefined {
  if (!patternsOf(schema).every(isLinearPattern)) return undefined;
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

const oneText = (value: unknown): string[] => {
  const text = scalarText(value);
  return text === undefined ? [] : [text];
};

/** A list, or a comma-separated text with quotes around entries that contain commas. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(oneText);
  try {
    const rows: string[][] = parse(scalarText(value) ?? "", { trim: true, relax_quotes: true });
    return rows.flat().filter((text) => text !== "");
  } catch {
    return [];
  }
}

/** Without a schema any JSON passes. A schema may be written as text. */
function schemaOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return parseYaml(value);
  } catch {
    return undefined;
  }
}

/** Several criteria are joined; structured ones become JSON, as in promptfoo. */
const rubricText = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.flatMap(oneText).join("\n");
  return isRecord(value) ? JSON.stringify(value, null, 2) : scalarText(value);
};

function wordBounds(value: unknown): object {
  if (isRecord(value)) return { min: value["min"], max: value["max"] };
  const count = Number(scalarText(value));
  return { min: count, max: count };
}
