import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { maxTurnChecks } from "../../../contract/schemas/scenario.ts";
import type { TurnCheck } from "../../../contract/schemas/scorer-setting.ts";
import { anyField, field, listField, scalarText } from "../../documents/records.ts";
import { namedCheck, type UnmappedCheckDraft } from "../../imported-scenario.ts";
import { descend, type ItemContext } from "../importer.ts";
import { includeValue } from "./named-files.ts";
import { missingVariablesText, renderTemplate } from "./render-template.ts";
import { checkableTypes, referenceTypes, toCheck, unsupportedReasons } from "./assertion-types.ts";
import { toToolExpectation, type ToolExpectation } from "./tool-assertions.ts";

interface Assertions {
  readonly reference: string | undefined;
  readonly references: readonly string[];
  readonly checks: readonly TurnCheck[];
  readonly unmapped: readonly UnmappedCheckDraft[];
  readonly tools: readonly ToolExpectation[];
}

interface AssertionSource {
  readonly assertions: readonly PlacedAssertion[];
  readonly vars: JsonRecord;
  /** The config's `assertionTemplates`, for `$ref`. */
  readonly templates: JsonRecord;
  /** True for our own export, which stores the checks beside their assertions, so nothing is lost. */
  readonly isOwn?: boolean;
  /** The options of the test; a transform changes the reply before the assertions see it. */
  readonly options?: JsonRecord;
}

/** An assertion with its context: it may come from the defaults or from a scenario's data. */
export interface PlacedAssertion {
  readonly value: unknown;
  readonly context: ItemContext;
}

/** The entries of `assert` in the record at `context`. */
export function placedAssertions(list: readonly unknown[] | undefined, context: ItemContext): PlacedAssertion[] {
  return (list ?? []).map((value, index) => ({ value, context: descend(context, "assert", index) }));
}

/** Sorts a test's assertions into reference replies, checks, and unmapped ones. */
export function readAssertions(source: AssertionSource): Assertions {
  const { assertions, vars, templates, isOwn = false, options } = source;
  const texts: string[] = [];
  const checks: TurnCheck[] = [];
  const unmapped: UnmappedCheckDraft[] = [];
  const tools: ToolExpectation[] = [];
  for (const placed of flatten(assertions, templates)) {
    const assertion = readAssertion(placed, vars);
    const { name, draft, context } = assertion;
    const { place, collector } = context;
    const tool = assertion.isElsewhere || assertion.unknown.length > 0 ? undefined : toToolExpectation(draft);
    if (tool) {
      tools.push(tool);
      continue;
    }
    const lost = unsupportedReason(assertion);
    if (lost !== undefined) {
      collector.note("dropped", place, `assertion ${name || "without a type"}: ${lost}`);
      continue;
    }
    // Our export writes reference replies as "similar"; its "equals" assertions are checks, which it also stores separately.
    if (isOwn && draft.type === "equals") continue;
    const isReference = referenceTypes.has(draft.type) && !draft.negated;
    const check = isReference ? undefined : toCheck(draft);
    const why = unmappedReason(assertion, options) ?? (isReference ? undefined : uncheckedReason(check, checks));
    if (why !== undefined) {
      unmapped.push(draft);
      collector.note("changed", place, `assertion ${name} ${why}; it was not converted to a check`);
      continue;
    }
    const named = check && namedCheck(check, { name: assertion.metric, beside: checks });
    if (named) checks.push(named);
    else for (const text of toTexts(draft.value)) texts.push(text);
    if (!isOwn) noteOtherSettings(assertion, named);
  }
  const [reference, ...others] = [...new Set(texts)];
  return { reference, references: others, checks, unmapped, tools };
}

interface ReadAssertion {
  /** The type as written, for example `not-contains`. */
  readonly name: string;
  readonly entry: unknown;
  readonly draft: UnmappedCheckDraft;
  readonly metric: string | undefined;
  /** Unsupported template parts in the value. */
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
  readonly isElsewhere: boolean;
  readonly context: ItemContext;
}

function readAssertion({ value: entry, context }: PlacedAssertion, vars: JsonRecord): ReadAssertion {
  const name = scalarText(field(entry, "type")) ?? "";
  const type = name.replace(/^not-/, "").replace(/^similar:.*/, "similar");
  const given = withFiles(field(entry, "value"), context);
  const { value, unknown, missing } = renderValue(given, vars);
  const threshold = field(entry, "threshold");
  const metric = scalarText(field(entry, "metric"));
  return {
    name,
    entry,
    draft: {
      type,
      value,
      negated: name.startsWith("not-"),
      ...(typeof threshold === "number" && { threshold }),
    },
    metric: metric === undefined ? undefined : renderTemplate(metric, vars).text,
    unknown,
    missing,
    isElsewhere: [given].flat().some(isFileReference),
    context,
  };
}

function unsupportedReason({ draft: { type }, entry, isElsewhere }: ReadAssertion): string | undefined {
  if (field(entry, "weight") === 0) return "its weight is 0, so it could never fail";
  if (isElsewhere) return "its value is in another file";
  return checkableTypes.has(type) ? undefined : (unsupportedReasons.get(type) ?? "it is not supported");
}

/** The reason why an assertion means something other than its type and value. */
function unmappedReason({ draft, entry, unknown }: ReadAssertion, options: JsonRecord = {}): string | undefined {
  if (unknown.length > 0) return `uses ${unknown.join(", ")}`;
  if (isMeasured(draft)) return undefined;
  if (anyField(entry, "transform") !== undefined) return "transforms the reply with its own code";
  return anyField(options, "transform", "postprocess") === undefined
    ? undefined
    : "reads a reply that the test's code transforms";
}

/** Latency and cost do not depend on transforms of the reply. */
const isMeasured = ({ type }: UnmappedCheckDraft): boolean => type === "latency" || type === "cost";

function uncheckedReason(check: TurnCheck | undefined, checks: readonly TurnCheck[]): string | undefined {
  if (!check) return "has no equivalent check";
  return checks.length < maxTurnChecks ? undefined : "exceeds the number of checks a turn may have";
}

/** Notes settings of an assertion that reference replies and checks do not have. */
function noteOtherSettings(
  { name, entry, draft, missing, context: { collector, place } }: ReadAssertion,
  check: TurnCheck | undefined,
): void {
  const isKept = (part: string): boolean =>
    (part === "weight" && field(entry, part) === 1) ||
    (part === "threshold" && isMeasured(draft)) ||
    (part === "metric" && check?.name !== undefined);
  const parts = ["weight", "threshold", "metric", "provider", "rubricPrompt"];
  const rest = parts.filter((part) => field(entry, part) !== undefined && !isKept(part));
  if (rest.length > 0) {
    const said = rest.map((part) => [part, scalarText(field(entry, part))].filter(Boolean).join(" "));
    collector.note("dropped", place, `settings of the assertion ${name}: ${said.join(", ")}`);
  }
  if (missing.length > 0) collector.note("changed", place, `assertion ${name}: ${missingVariablesText(missing)}`);
}

/** Reads values from files; code files are not read. */
function withFiles(value: unknown, context: ItemContext): unknown {
  if (Array.isArray(value)) return value.map((entry) => withFiles(entry, context));
  return (isFileReference(value) ? includeValue(String(value), context) : undefined) ?? value;
}

/** Resolves `$ref` and replaces sets by their assertions. */
function flatten(assertions: readonly PlacedAssertion[], templates: JsonRecord): PlacedAssertion[] {
  return assertions.flatMap(({ value, context }) => {
    const name = scalarText(field(value, "$ref"))?.split("/").at(-1);
    const target = name === undefined ? value : field(templates, name);
    const set = listField(target, "assert");
    if (!set) return [{ value: target, context }];
    const lost = ["threshold", "weight", "metric"].filter((part) => field(target, part) !== undefined);
    if (lost.length > 0)
      context.collector.note(
        "dropped",
        context.place,
        `settings of the set of assertions: ${lost.join(", ")}; its assertions are checked one by one`,
      );
    return placedAssertions(set, context);
  });
}

interface RenderedValue {
  readonly value: unknown;
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
}

function renderValue(value: unknown, vars: JsonRecord): RenderedValue {
  if (typeof value === "string") {
    const { text, unknown, missing } = renderTemplate(value, vars);
    return { value: text, unknown, missing };
  }
  if (typeof value !== "object" || value === null) return { value, unknown: [], missing: [] };
  const keys = Object.keys(value);
  const entries = Object.values(value).map((entry) => renderValue(entry, vars));
  const rendered = entries.map((entry) => entry.value);
  return {
    value: Array.isArray(value) ? rendered : Object.fromEntries(keys.map((key, index) => [key, rendered[index]])),
    unknown: entries.flatMap(({ unknown }) => unknown),
    missing: entries.flatMap(({ missing }) => missing),
  };
}

/** True for a text that promptfoo reads from a file. */
export const isFileReference = (value: unknown): boolean => typeof value === "string" && value.startsWith("file://");

function toTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(toTexts);
  const text = scalarText(value) ?? (isRecord(value) ? JSON.stringify(value) : undefined);
  return text === undefined ? [] : [text];
}
