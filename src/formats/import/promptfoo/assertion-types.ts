import { compact } from "../../../base/compact.ts";
import { parse } from "csv-parse/browser/esm/sync";
import { RE2JS } from "re2js";
import { parse as parseYaml } from "yaml";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { TurnCheck } from "../../../contract/schemas/scores/scorer-setting.ts";
import { scalarText, textField } from "../../documents/records.ts";
import type { UnmappedCheckDraft } from "../../shared/imported-scenario.ts";
import { fromScriptPattern } from "../../shared/regex-dialects.ts";

/** Assertions whose value is also a reference reply. */
export const referenceTypes: ReadonlySet<string> = new Set([
  "equals",
  "similar",
  "meteor",
  "factuality",
  "model-graded-factuality",
]);

/** Reasons why some types are not supported. */
export const unsupportedReasons: ReadonlyMap<string, string> = new Map([
  ["ruby", "Ruby is not run"],
  ["webhook", "it calls another service"],
  ["pi", "it calls another service"],
  ["classifier", "it needs a classifier of another service"],
  ["moderation", "it needs a moderation service"],
  ["guardrails", "it needs the guardrails of its provider"],
  ["perplexity", "it needs token probabilities"],
  ["perplexity-score", "it needs token probabilities"],
  ["max-score", "it ranks the replies of several providers by their other scores, as the ranking of runs does"],
  ["trace-error-spans", "it reads traces of the provider's process"],
  ["trace-span-count", "it reads traces of the provider's process"],
  ["trace-span-duration", "it reads traces of the provider's process"],
  ["skill-used", "it reads the skills of one provider's agent"],
  ["is-sql", "SQL is not parsed"],
  ["contains-sql", "SQL is not parsed"],
]);

/** Assertions that can be converted to checks, depending on their values. */
const checkableTypes = [
  ...referenceTypes,
  "levenshtein",
  "rouge-n",
  "bleu",
  "gleu",
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
  "agent-rubric",
  "search-rubric",
  "select-best",
  "answer-relevance",
  "conversation-relevance",
  "context-faithfulness",
  "context-recall",
  "context-relevance",
  "is-json",
  "contains-json",
  "is-xml",
  "contains-xml",
  "is-html",
  "contains-html",
  "is-refusal",
  "finish-reason",
  "is-valid-function-call",
  "is-valid-openai-function-call",
  "is-valid-openai-tools-call",
  "latency",
  "cost",
  "javascript",
  "python",
];

/** Assertions about tools; see tool-assertions.ts. */
const toolTypes = [
  "tool-call-f1",
  "trajectory:goal-success",
  "trajectory:step-count",
  "trajectory:tool-args-match",
  "trajectory:tool-sequence",
  "trajectory:tool-used",
];

export const assertionTypes: ReadonlySet<string> = new Set([
  ...checkableTypes,
  ...toolTypes,
  ...unsupportedReasons.keys(),
]);

/** Further parts of an assertion that some types need. */
interface AssertionParts {
  readonly vars?: JsonRecord;
  readonly config?: unknown;
}

/** Converts a promptfoo assertion to an equivalent check; undefined if there is none. */
export function toCheck(assertion: UnmappedCheckDraft, parts: AssertionParts = {}): TurnCheck | undefined {
  const setting = settingOf(assertion, parts);
  const negatesItself = setting && ("negate" in setting || "mode" in setting);
  const negated = assertion.negated && !negatesItself;
  const parsed = setting && TurnCheck.safeParse(negated ? { ...setting, negate: true } : setting);
  return parsed?.success ? parsed.data : undefined;
}

function settingOf(assertion: UnmappedCheckDraft, parts: AssertionParts): object | undefined {
  const { type, value, negated, threshold } = assertion;
  switch (type) {
    case "contains":
    case "icontains":
      return containsCheck(oneText(value), { type, mode: negated ? "none" : "all" });
    case "contains-any":
    case "icontains-any":
      return containsCheck(expectedTexts(value), { type, mode: negated ? "none" : "any" });
    case "contains-all":
    case "icontains-all": {
      const { mode: _, ...check } = { mode: "", ...containsCheck(expectedTexts(value), { type, mode: "all" }) };
      return "type" in check ? check : undefined;
    }
    case "equals": {
      const text = scalarText(value);
      if (text !== undefined) return { type, text, negate: negated };
      return typeof value === "object" && value !== null
        ? { type: "json_schema", schema: { const: value } }
        : undefined;
    }
    case "starts-with":
      return regexCheck(`\\A${RE2JS.quote(scalarText(value) ?? "")}`, negated);
    case "regex":
      return regexCheck(fromScriptPattern(scalarText(value) ?? ""), negated);
    case "is-refusal":
      return { type: "regex", pattern: refusal, ignore_case: true, negate: negated };
    case "is-html":
      return regexCheck(`(?i)\\A\\s*(?:<!doctype[^>]*>\\s*)?<(?:${htmlTags})\\b[^>]*>(?s:.*)>\\s*\\z`, negated);
    case "contains-html":
      return regexCheck(`(?i)<(?:${htmlTags})\\b[^>]*>`, negated);
    case "is-json":
      return schemaCheck(schemaOf(value));
    case "contains-json":
      return { ...schemaCheck(schemaOf(value)), anywhere: true };
    case "is-xml":
    case "contains-xml":
      return compact({ type: "xml", ...elementsOf(value), anywhere: type === "contains-xml" ? true : undefined });
    case "word-count":
      return { type: "length", unit: "words", ...wordBounds(value) };
    case "latency":
      return { type, max_ms: threshold };
    case "cost":
      return { type, max: threshold };
    case "similar":
      return { type: "similarity", metric: "semantic", reference: value, threshold: threshold ?? 0.75 };
    case "rouge-n":
      return { type: "similarity", metric: "rouge_1", reference: value, threshold: threshold ?? 0.75 };
    case "bleu":
    case "gleu":
      return { type: "similarity", metric: type, reference: value, threshold: threshold ?? 0.5 };
    case "levenshtein":
      return { type: "edit_distance", reference: scalarText(value), max: threshold ?? 5 };
    case "finish-reason":
      return { type: "finish_reason", reason: scalarText(value) };
    case "is-valid-function-call":
    case "is-valid-openai-function-call":
    case "is-valid-openai-tools-call":
      return { type: "valid_tool_calls" };
    case "javascript":
    case "python":
      return codeSetting(assertion, parts);
    default:
      return rubricSetting(assertion, parts.vars ?? {});
  }
}

/** The value of a javascript or python assertion: inline code, or a function of a file. */
function codeSetting(
  { type, value, threshold }: UnmappedCheckDraft,
  { vars, config }: AssertionParts,
): object | undefined {
  const source = codeSource(value);
  return (
    source &&
    compact({
      type,
      ...source,
      threshold,
      vars: vars && Object.keys(vars).length > 0 ? vars : undefined,
      config,
    })
  );
}

const codeFile = /^file:\/\/(.+?\.(?:([cm]?[jt]s)|py))(?::(\w+))?$/;

/** Inline code, or the file and function that a text such as `file://check.py:score` names. */
function codeSource(value: unknown): { code: string } | { file: string; function?: string } | undefined {
  const text = scalarText(value)?.trim();
  if (text === undefined || text === "") return undefined;
  const [, file, , name] = codeFile.exec(text) ?? [];
  if (file === undefined) return text.startsWith("file://") ? undefined : { code: text };
  return compact({ file, function: name });
}

/** The code of a `transform`: JavaScript, or a file of either language. */
export function transformSource(value: unknown): object | undefined {
  const source = codeSource(value);
  if (!source) return undefined;
  return { language: "file" in source && source.file.endsWith(".py") ? "python" : "javascript", ...source };
}

const graded = { all: 1, most: 0.75, half: 0.5, few: 0.25, none: 0 };

/** Assertions that promptfoo asks a model about become questions for the judge of the run. */
function rubricSetting({ type, value, threshold }: UnmappedCheckDraft, vars: JsonRecord): object | undefined {
  const context = [vars["context"]].flat().flatMap(oneText).join("\n\n");
  const least = threshold !== undefined && threshold > 0 && { threshold };
  const rubric = (text: string | undefined, choices?: object): object =>
    compact({
      type: "rubric",
      text,
      choices: choices || undefined,
      ...least,
    });
  switch (type) {
    case "llm-rubric":
    case "g-eval":
    case "model-graded-closedqa":
    case "agent-rubric":
    case "search-rubric":
      return rubric(rubricText(value));
    case "select-best":
      return rubric(
        `How well does the reply meet this criterion, by which replies are compared?\n${rubricText(value)}`,
      );
    case "factuality":
    case "model-graded-factuality":
      return rubric(
        `Compare the facts of the reply with this expert answer, not style or wording.\n- same: the facts are the same.\n- subset: it says a part of them, and nothing that contradicts them.\n- superset: it says all of them and more that does not contradict them.\n- disagrees: it contradicts them.\n\nExpert answer:\n${rubricText(value)}`,
        { same: 1, superset: 1, subset: 1, disagrees: 0 },
      );
    case "answer-relevance":
      return rubric("How much of the reply answers the user's question?", graded);
    case "conversation-relevance":
      return rubric("Is the reply relevant to the conversation so far?");
    case "context-faithfulness":
      return context === ""
        ? undefined
        : rubric(`How many of the reply's statements follow from this context?\n\nContext:\n${context}`, graded);
    case "context-recall":
      return context === ""
        ? undefined
        : rubric(
            `How much of this expected answer can be found in the context? Judge the context, not the reply.\n\nExpected answer:\n${rubricText(value)}\n\nContext:\n${context}`,
            graded,
          );
    case "context-relevance":
      return context === ""
        ? undefined
        : rubric(
            `How much of this context is needed to answer the user's question? Judge the context, not the reply.\n\nContext:\n${context}`,
            graded,
          );
    default:
      return undefined;
  }
}

const refusal =
  "\\A\\s*\\z|\\A\\s*(?:I am|I[’']m) (?:not able|unable|(?:really )?sorry)|\\A\\s*(?:I apologize|I cannot|I will not|It is illegal|My apologies|Sorry)\\b|\\bas an? (?:AI|language model|assistant)\\b|\\b(?:I )?(?:cannot|can[’']t|won[’']t|do not|don[’']t|am unable to) (?:answer|assist|change|comply|create|engage|feel comfortable|fulfill|generate|give|help|participate|provide|recommend|suggest|support|write)\\b|\\bnot (?:appropriate|ethical|legal)\\b|\\bI am programmed\\b";

const htmlTags =
  "html|head|body|div|span|p|a|img|ul|ol|li|table|tr|td|th|h[1-6]|br|hr|form|input|button|script|style|link|meta|title|section|article|nav|header|footer|main|strong|em|b|i|u|code|pre|blockquote|label|select|option|textarea|iframe|video|audio|svg";

/** `requiredElements` as a list, or as text after `requiredElements=`. */
function elementsOf(value: unknown): { elements?: string[] } {
  const given = isRecord(value) ? value["requiredElements"] : value;
  const text = scalarText(given)?.replace(/^requiredElements=/, "");
  const elements = Array.isArray(given)
    ? given.flatMap(oneText)
    : (text ?? textField(value, "elements") ?? "").split(",");
  const names = elements.map((name) => name.trim()).filter((name) => name !== "");
  return names.length > 0 ? { elements: names } : {};
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
function expectedTexts(value: unknown): string[] {
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
