import { compact } from "../../../base/compact.ts";
import { RE2JS } from "re2js";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { maxTurnChecks } from "../../../contract/schemas/scenario.ts";
import { TurnCheck } from "../../../contract/schemas/scores/scorer-setting.ts";
import { anyField, field, scalarText, textField } from "../../documents/records.ts";
import { namedCheck, type UnmappedCheckDraft } from "../../shared/imported-scenario.ts";
import { descend, type ItemContext } from "../../shared/items.ts";
import {
  fillTemplate,
  referenceText,
  replyPart,
  templateParts,
  textWithoutReply,
  type Filled,
  type Reference,
  type ReplyPart,
} from "./fill-template.ts";
import {
  dropGrader,
  missingFields,
  type GradedRow,
  type Grader,
  type GraderOutcome,
  type NamedGrader,
} from "./grader.ts";
import { modelGrader } from "./model-graders.ts";

/** Reads the graders of an eval; unsupported ones are noted. */
export function readGraders(list: readonly unknown[], context: ItemContext): Grader[] {
  return list.flatMap((value, index) => {
    const name = textField(value, "name") ?? `grader ${index + 1}`;
    return readGrader(value, name, descend(context, index));
  });
}

function readGrader(value: unknown, name: string, context: ItemContext): Grader[] {
  const type = textField(value, "type") ?? "";
  const made = (grade: Grader["grade"]): Grader[] => [{ name, context, grade }];
  if (!isRecord(value)) return dropGrader("is not an object", { name, context });
  switch (type) {
    case "string_check":
      return made(stringCheck(value));
    case "text_similarity":
      return made(textSimilarity(value, { name, context }));
    case "score_model":
    case "label_model":
      return modelGrader(value, { type, name, context });
    case "multi":
      return multiGrader(value, { name, context });
    case "python":
      return dropGrader("runs its own code, which is not executed here", { name, context });
    default:
      return dropGrader(`has the unknown type ${JSON.stringify(type)}`, { name, context });
  }
}

/** A grader's name as a valid score name. */
const scoreName = (name: string): string =>
  name
    .trim()
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .slice(0, 64);

export interface Graded {
  readonly reference: string | undefined;
  readonly checks: readonly TurnCheck[];
  readonly unmapped: readonly UnmappedCheckDraft[];
}

/** The checks and the reference reply of one row. `context` is the row's. */
export function gradeRow(graders: readonly Grader[], row: GradedRow, context: ItemContext): Graded {
  const checks: TurnCheck[] = [];
  const unmapped: UnmappedCheckDraft[] = [];
  let reference: string | undefined;
  for (const { name, context: own, grade } of graders) {
    const { collector } = context;
    const { check, reference: wanted, lost, listed, absent } = grade(row);
    reference ??= wanted;
    const parsed = check && TurnCheck.safeParse(check);
    const reason = absent ?? (parsed?.success === false ? "has a value that no check accepts" : undefined);
    const label = `grader ${JSON.stringify(name)}`;
    if (lost !== undefined) {
      collector.note("dropped", own.place, `${label} ${lost}`);
      if (listed) unmapped.push(listed);
    } else if (reason !== undefined) collector.note("dropped", context.place, `${label} ${reason}`);
    else if (checks.length >= maxTurnChecks)
      collector.note("dropped", own.place, `${label} exceeds the ${maxTurnChecks} checks a turn may have`);
    else if (parsed?.success) {
      const named = namedCheck(parsed.data, { name: scoreName(name), beside: checks });
      if (named.name === undefined)
        collector.note(
          "changed",
          own.place,
          `${label} has a name that a score cannot have; its score is named after its type`,
        );
      checks.push(named);
    }
  }
  return { reference, checks, unmapped };
}

/** One side of a comparison: a text of the row, a part of the reply, or null for a mixture. */
type TemplateSide = { readonly text: string } | { readonly part: ReplyPart; readonly read: string } | null;

function sideOf(filled: Filled): TemplateSide {
  const text = textWithoutReply(filled);
  if (text !== undefined) return { text };
  const [only, ...others] = filled.pieces;
  return typeof only === "object" && others.length === 0 ? { part: replyPart(only), read: referenceText(only) } : null;
}

function stringCheck(value: JsonRecord): Grader["grade"] {
  const operation = textField(value, "operation") ?? "";
  return ({ item, reply }) => {
    const sides = ["input", "reference"].map((name) => fillTemplate(scalarText(value[name]) ?? "", item, reply));
    const missing = sides.flatMap((side) => side.missing);
    if (missing.length > 0) return { absent: missingFields(missing) };
    const [input, reference] = sides.map(sideOf);
    if (!input || !reference) return { lost: "uses the reply inside a longer text" };
    if ("text" in input && "text" in reference) return { lost: "compares two values of the row, not the reply" };
    if ("part" in input && "part" in reference) return { lost: "compares two parts of the reply" };
    const isSwapped = "text" in input;
    if (isSwapped && operation.endsWith("like")) return { lost: "looks for the reply in a text of the row" };
    const { part, read } = (isSwapped ? reference : input) as Extract<TemplateSide, { read: string }>;
    const { text } = (isSwapped ? input : reference) as { text: string };
    if (part === null) return { lost: `reads ${read}, which cannot be checked` };
    if (part.kind === "json") return fieldCheck(part.path, { text, operation });
    switch (operation) {
      case "eq":
        return { check: { type: "equals", text }, reference: text };
      case "ne":
      case "neq":
        return { check: { type: "equals", text, negate: true } };
      case "like":
      case "ilike":
        // White space alone is in every reply, so such a check would test nothing.
        if (text.trim() === "") return { absent: "looks for an empty text" };
        return { check: { type: "contains", text, ignore_case: operation === "ilike" } };
      default:
        return { lost: `has the unknown operation ${JSON.stringify(operation)}` };
    }
  };
}

/** Checks a field of the reply's JSON by a schema, which also accepts a number or boolean with the same text. */
function fieldCheck(
  path: readonly (string | number)[],
  { text, operation }: { text: string; operation: string },
): GraderOutcome {
  const wanted = { enum: [text, ...["number", "boolean"].flatMap((type) => likeText(text, type))] };
  const patterns: Readonly<Record<string, object>> = {
    eq: wanted,
    ne: { not: wanted },
    neq: { not: wanted },
    like: { type: "string", pattern: RE2JS.quote(text) },
    ilike: { type: "string", pattern: `(?i)${RE2JS.quote(text)}` },
  };
  const value = Object.hasOwn(patterns, operation) ? patterns[operation] : undefined;
  if (!value || path.length === 0 || path.some((step) => typeof step === "number"))
    return { lost: "reads sample.output_json in a way that no JSON schema can express" };
  const schema = path.reduceRight<object>(
    (inner, name) => ({ type: "object", required: [name], properties: { [name]: inner } }),
    value,
  );
  return { check: { type: "json_schema", schema } };
}

function likeText(text: string, type: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === type && String(value) === text ? [value] : [];
  } catch {
    return [];
  }
}

/** Metrics with an equivalent here. ROUGE is F1, as in the rouge-score package. */
const metrics: Readonly<Record<string, string>> = { rouge_1: "token_f1", rouge_l: "rouge_l" };

/** The closest metric to each other one. Only suggested, because thresholds differ. */
const closest: Readonly<Record<string, string>> = {
  fuzzy_match: "edit_similarity",
  bleu: "chrf",
  gleu: "chrf",
  meteor: "token_f1",
  rouge_2: "rouge_l",
  rouge_3: "rouge_l",
  rouge_4: "rouge_l",
  rouge_5: "rouge_l",
  cosine: "semantic_similarity",
};

function textSimilarity(value: JsonRecord, { name, context }: NamedGrader): Grader["grade"] {
  const metric = textField(value, "evaluation_metric") ?? "";
  const threshold = anyField(value, "pass_threshold");
  const isUsable = typeof threshold === "number" && threshold > 0 && threshold <= 1;
  const own = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  if (own !== undefined && threshold !== undefined && !isUsable) {
    const ignored = `grader ${JSON.stringify(name)}: the pass_threshold ${JSON.stringify(threshold)} is ignored`;
    context.collector.note("changed", context.place, `${ignored}; the score is the similarity itself`);
  }
  const near = Object.hasOwn(closest, metric) ? `; the closest metric is ${closest[metric]}` : "";
  const asked = threshold === undefined ? "" : ` with the threshold ${JSON.stringify(threshold)}`;
  return ({ item, reply }) => {
    const input = fillTemplate(scalarText(value["input"]) ?? "", item, reply);
    const filled = fillTemplate(scalarText(value["reference"]) ?? "", item, reply);
    const missing = [...input.missing, ...filled.missing];
    if (missing.length > 0) return { absent: missingFields(missing) };
    const [side, reference] = [sideOf(input), textWithoutReply(filled)];
    if (!side || !("part" in side) || side.part?.kind !== "text" || reference === undefined)
      return { lost: "does not compare the text of the reply with a text of the row" };
    if (reference === "") return { absent: "has an empty reference" };
    if (own === undefined) {
      const left = `uses ${metric || "no metric"}${asked}, which is not supported${near}`;
      const listed = compact({
        type: metric,
        value: reference,
        negated: false,
        threshold: isUsable ? threshold : undefined,
      });
      return { lost: `${left}. Its reference became the reference reply`, reference, listed };
    }
    return {
      check: compact({ type: "similarity", metric: own, reference, threshold: isUsable ? threshold : undefined }),
      reference,
    };
  };
}

/** The parts of a multi grader become checks; its formula can only be expressed by the weights of a run. */
function multiGrader(value: JsonRecord, { name, context }: NamedGrader): Grader[] {
  const parts = graderParts(value["graders"]);
  const names = new Map(parts.map(([key]) => [key, scoreName(`${name}.${key}`)]));
  const formula = textField(value, "calculate_output") ?? "";
  const weights = linearWeights(formula, names);
  const instead = weights ? `; equivalent weights of a run: ${JSON.stringify(weights)}` : "";
  context.collector.note(
    "changed",
    context.place,
    `grader ${JSON.stringify(name)}: its ${parts.length} graders became checks; its formula ${JSON.stringify(formula)} was dropped${instead}`,
  );
  return parts.flatMap(([key, part]) =>
    field(part, "type") === "multi"
      ? dropGrader("is a multi grader inside another", { name: `${name}.${key}`, context })
      : readGrader(part, `${name}.${key}`, descend(context, "graders", key)),
  );
}

/** OpenAI's guide lists them by name; its API reference also shows a list and a single grader. */
function graderParts(graders: unknown): [string, unknown][] {
  if (Array.isArray(graders))
    return graders.map((part: unknown, index) => [textField(part, "name") ?? String(index + 1), part]);
  if (typeof field(graders, "type") === "string") return [[textField(graders, "name") ?? "1", graders]];
  return isRecord(graders) ? Object.entries(graders) : [];
}

const term = /^(?:(\d+(?:\.\d+)?|\.\d+)\s*\*\s*)?([A-Za-z_]\w*)(?:\s*\*\s*(\d+(?:\.\d+)?|\.\d+))?$/;

/** The weights of a linear formula: `0.6 * a + b * 0.4`, `(a + b) / 2`. */
function linearWeights(formula: string, names: ReadonlyMap<string, string>): JsonRecord | undefined {
  const sum = /^\((.*)\)\s*\/\s*\d+$/.exec(formula.trim())?.[1] ?? formula;
  const weights = new Map<string, number>();
  for (const part of sum.split("+")) {
    const [, before = "1", key = "", after = "1"] = term.exec(part.trim()) ?? [];
    const name = names.get(key);
    if (name === undefined || weights.has(name)) return undefined;
    weights.set(name, Number(before) * Number(after));
  }
  return Object.fromEntries(weights);
}

/** The field that all graders read as the reply if none of them reads a sample: the eval ran on recorded replies. */
export function recordedReplyField(list: readonly unknown[]): Reference | undefined {
  const pieces = textsIn(list).flatMap(templateParts);
  if (pieces.some((piece) => typeof piece === "object" && piece.namespace === "sample")) return undefined;
  const inputs = new Map<string, Reference>();
  for (const value of list) {
    const [only, ...others] = templateParts(textField(value, "input") ?? "");
    if (typeof only === "object" && others.length === 0) inputs.set(referenceText(only), only);
  }
  const [first, ...others] = inputs.values();
  return others.length === 0 ? first : undefined;
}

/** The row fields used by the templates in a value. */
export function fieldsRead(value: unknown): Set<string> {
  const pieces = textsIn(value).flatMap(templateParts);
  return new Set(
    pieces.flatMap((piece) =>
      typeof piece === "object" && piece.namespace === "item" ? String(piece.path[0] ?? "") : [],
    ),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
