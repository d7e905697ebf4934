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
const negate: CheckOption = { kind: "flag", label: "must not hold", otherwise: false };

/** Types of checks that the page has a form for. Code of users runs only from files, and transforms stay as they are. */
const types: Readonly<Record<string, CheckType>> = {
  contains: {
    label: "Contains text",
    fresh: { type: "contains", text: "" },
    options: {
      text: { kind: "texts", label: "Text (one per line)" },
      mode: {
        kind: "choice",
        label: "Several texts",
        choices: { all: "require all", any: "require any", none: "allow none" },
      },
      ignore_case: ignoreCase(true),
    },
  },
  equals: {
    label: "Equals text",
    fresh: { type: "equals", text: "" },
    options: {
      text: { kind: "text", label: "Text" },
      ignore_case: ignoreCase(false),
      negate: { kind: "flag", label: "must differ", otherwise: false },
    },
  },
  similarity: {
    label: "Similar to text",
    fresh: { type: "similarity", metric: "chrf", threshold: 0.7 },
    options: {
      metric: {
        kind: "choice",
        label: "Metric",
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
      reference: { kind: "text", label: "Text to compare with", placeholder: "the reference reply" },
      threshold: { kind: "number", label: "Pass threshold", placeholder: "no threshold" },
    },
  },
  regex: {
    label: "Matches a pattern",
    fresh: { type: "regex", pattern: "" },
    options: {
      pattern: { kind: "text", label: "Pattern (RE2)", placeholder: "\\b\\d{5}\\b" },
      ignore_case: ignoreCase(false),
      negate: { kind: "flag", label: "must not match", otherwise: false },
    },
  },
  json_schema: {
    label: "Valid JSON",
    fresh: { type: "json_schema", schema: { type: "object" } },
    options: {
      schema: { kind: "json", label: "JSON Schema" },
      anywhere: { kind: "flag", label: "may be inside other text", otherwise: false },
    },
  },
  numeric: {
    label: "Contains number",
    fresh: { type: "numeric" },
    options: {
      expected: { kind: "number", label: "Number", placeholder: "from the reference" },
      tolerance: { kind: "number", label: "Tolerance", placeholder: "0" },
      relative: { kind: "flag", label: "relative tolerance", otherwise: false },
    },
  },
  length: {
    label: "Length",
    fresh: { type: "length", max: 500 },
    options: {
      min: { kind: "number", label: "At least" },
      max: { kind: "number", label: "At most" },
      unit: { kind: "choice", label: "Unit", choices: { characters: "characters", words: "words" } },
    },
  },
  latency: {
    label: "Latency",
    fresh: { type: "latency", max_ms: 2000 },
    options: {
      max_ms: { kind: "number", label: "At most (ms)" },
      of: {
        kind: "choice",
        label: "Time to",
        choices: { reply: "the whole reply", first_token: "the first token" },
      },
    },
  },
  cost: {
    label: "Cost of a call",
    fresh: { type: "cost", max: 0.01 },
    options: { max: { kind: "number", label: "At most (USD)" } },
  },
  rubric: {
    label: "Question for the judge",
    fresh: { type: "rubric", text: "" },
    options: {
      text: { kind: "text", label: "Question" },
      choices: { kind: "json", label: "Answers and their values (default: pass 1, partial 0.5, fail 0)" },
      threshold: { kind: "number", label: "Pass threshold", placeholder: "no threshold" },
    },
  },
  edit_distance: {
    label: "Edit distance",
    fresh: { type: "edit_distance", reference: "", max: 5 },
    options: {
      reference: { kind: "text", label: "Text to compare with" },
      max: { kind: "number", label: "At most (characters)" },
    },
  },
  xml: {
    label: "Valid XML",
    fresh: { type: "xml" },
    options: {
      elements: { kind: "json", label: 'Required elements (["order.id"])' },
      anywhere: { kind: "flag", label: "may be inside other text", otherwise: false },
    },
  },
  finish_reason: {
    label: "Finish reason",
    fresh: { type: "finish_reason", reason: "stop" },
    options: { reason: { kind: "text", label: "Reason", placeholder: "stop" } },
  },
  valid_tool_calls: {
    label: "Valid tool calls",
    fresh: { type: "valid_tool_calls" },
    options: {},
  },
  group: {
    label: "Group of checks",
    fresh: { type: "group", checks: [{ type: "contains", text: "" }] },
    options: {
      checks: { kind: "json", label: "Checks (JSON)" },
      threshold: { kind: "number", label: "Pass threshold", placeholder: "no threshold" },
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
