import type { EditedCheck } from "./edited-scenario.ts";

/** A setting of a check: how it is typed, and its label. */
export type CheckOption =
  | { readonly kind: "text" | "texts" | "json" | "number"; readonly label: string; readonly placeholder?: string }
  | { readonly kind: "flag"; readonly label: string; readonly otherwise: boolean }
  | { readonly kind: "choice"; readonly label: string; readonly choices: Readonly<Record<string, string>> };

interface CheckType {
  readonly label: string;
  /** The settings of a new check. */
  readonly fresh: EditedCheck;
  readonly options: Readonly<Record<string, CheckOption>>;
}

const ignoreCase = (otherwise: boolean): CheckOption => ({ kind: "flag", label: "ignore case", otherwise });

const weight: CheckOption = { kind: "number", label: "Weight", placeholder: "1" };
const negate: CheckOption = { kind: "flag", label: "must not be so", otherwise: false };

/** Types of checks that the page has a form for. Code of users runs only from files, and transforms stay as they are. */
const types: Readonly<Record<string, CheckType>> = {
  contains: {
    label: "Contains a text",
    fresh: { type: "contains", text: "" },
    options: {
      text: { kind: "texts", label: "the reply contains (a text per line)" },
      mode: { kind: "choice", label: "Of several texts", choices: { all: "all", any: "any one", none: "none" } },
      ignore_case: ignoreCase(true),
    },
  },
  equals: {
    label: "Is exactly a text",
    fresh: { type: "equals", text: "" },
    options: {
      text: { kind: "text", label: "the reply is exactly" },
      ignore_case: ignoreCase(false),
      negate: { kind: "flag", label: "must be any other text", otherwise: false },
    },
  },
  similarity: {
    label: "Is similar to a text",
    fresh: { type: "similarity", metric: "chrf", threshold: 0.7 },
    options: {
      metric: {
        kind: "choice",
        label: "Measured by",
        choices: {
          chrf: "chrF",
          token_f1: "token F1",
          rouge_l: "ROUGE-L",
          rouge_1: "ROUGE-1",
          bleu: "BLEU",
          gleu: "GLEU",
          edit_similarity: "edit similarity",
          semantic: "embeddings",
        },
      },
      reference: { kind: "text", label: "the reply is similar to", placeholder: "the reference reply" },
      threshold: { kind: "number", label: "Passes from", placeholder: "no threshold" },
    },
  },
  regex: {
    label: "Matches a pattern",
    fresh: { type: "regex", pattern: "" },
    options: {
      pattern: { kind: "text", label: "the reply matches (RE2)", placeholder: "\\b\\d{5}\\b" },
      ignore_case: ignoreCase(false),
      negate: { kind: "flag", label: "must not match", otherwise: false },
    },
  },
  json_schema: {
    label: "Is JSON of a schema",
    fresh: { type: "json_schema", schema: { type: "object" } },
    options: {
      schema: { kind: "json", label: "the reply is JSON that fits" },
      anywhere: { kind: "flag", label: "may stand inside other text", otherwise: false },
    },
  },
  numeric: {
    label: "Has a number",
    fresh: { type: "numeric" },
    options: {
      expected: { kind: "number", label: "the reply has the number", placeholder: "that of the reference" },
      tolerance: { kind: "number", label: "Tolerance", placeholder: "0" },
      relative: { kind: "flag", label: "tolerance is a share of the number", otherwise: false },
    },
  },
  length: {
    label: "Is so long",
    fresh: { type: "length", max: 500 },
    options: {
      min: { kind: "number", label: "At least" },
      max: { kind: "number", label: "At most" },
      unit: { kind: "choice", label: "Counted in", choices: { characters: "characters", words: "words" } },
    },
  },
  latency: {
    label: "Comes in time",
    fresh: { type: "latency", max_ms: 2000 },
    options: {
      max_ms: { kind: "number", label: "Milliseconds, at most" },
      of: {
        kind: "choice",
        label: "Until",
        choices: { reply: "the reply is complete", first_token: "the first token" },
      },
    },
  },
  cost: {
    label: "Costs at most",
    fresh: { type: "cost", max: 0.01 },
    options: { max: { kind: "number", label: "US dollars per call, at most" } },
  },
  rubric: {
    label: "Question for the judge",
    fresh: { type: "rubric", text: "" },
    options: {
      text: { kind: "text", label: "the judge is asked" },
      choices: { kind: "json", label: "Answers and their values (default: pass 1, partial 0.5, fail 0)" },
      threshold: { kind: "number", label: "Passes from", placeholder: "no threshold" },
    },
  },
  edit_distance: {
    label: "Differs by few characters",
    fresh: { type: "edit_distance", reference: "", max: 5 },
    options: {
      reference: { kind: "text", label: "the reply is nearly" },
      max: { kind: "number", label: "Changed characters, at most" },
    },
  },
  xml: {
    label: "Is XML",
    fresh: { type: "xml" },
    options: {
      elements: { kind: "json", label: 'Elements it must have (["order.id"])' },
      anywhere: { kind: "flag", label: "may stand inside other text", otherwise: false },
    },
  },
  finish_reason: {
    label: "Ended for a reason",
    fresh: { type: "finish_reason", reason: "stop" },
    options: { reason: { kind: "text", label: "the reply ended because of", placeholder: "stop" } },
  },
  valid_tool_calls: {
    label: "Calls tools with valid arguments",
    fresh: { type: "valid_tool_calls" },
    options: {},
  },
  group: {
    label: "Group of checks",
    fresh: { type: "group", checks: [{ type: "contains", text: "" }] },
    options: {
      checks: { kind: "json", label: "Checks of the group" },
      threshold: { kind: "number", label: "Passes from", placeholder: "no threshold" },
    },
  },
};

/** Every check has a weight, and all but groups can be negated. */
export const checkTypes: Readonly<Record<string, CheckType>> = Object.fromEntries(
  Object.entries(types).map(([type, form]) => [
    type,
    {
      ...form,
      options: { ...form.options, ...(type !== "group" && { negate: form.options["negate"] ?? negate }), weight },
    },
  ]),
);
