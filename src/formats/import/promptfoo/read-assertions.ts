import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { mostTurnChecks } from "../../../contract/schemas/scenario.ts";
import type { TurnCheck } from "../../../contract/schemas/scorer-setting.ts";
import { below, type ItemContext } from "../../peer-item.ts";
import { anyField, field, listField, scalarText } from "../../records.ts";
import type { CheckDraft } from "../../scenario-draft.ts";
import { namedCheck } from "../named-check.ts";
import { checkable, reasons, references } from "./assertion-types.ts";
import { includeValue } from "./named-files.ts";
import { renderTemplate, withoutValue } from "./render-template.ts";
import { toCheck } from "./to-check.ts";

interface Assertions {
  readonly reference: string | undefined;
  readonly references: readonly string[];
  readonly checks: readonly TurnCheck[];
  readonly unchecked: readonly CheckDraft[];
}

interface AssertionSource {
  readonly assertions: readonly PlacedAssertion[];
  readonly vars: JsonRecord;
  /** `assertionTemplates` of the config, for `$ref`. */
  readonly templates: JsonRecord;
  /** True for what we wrote ourselves: the checks are kept beside their assertions, so nothing of them is lost. */
  readonly isOwn?: boolean;
  /** The options of the test. Their transform changes the reply before any assertion reads it. */
  readonly options?: JsonRecord;
}

/** An assertion and where it is written: it may come from the defaults or from a scenario's data. */
export interface PlacedAssertion {
  readonly value: unknown;
  readonly context: ItemContext;
}

/** The members of `assert` in the record that `context` is about. */
export function placedAssertions(list: readonly unknown[] | undefined, context: ItemContext): PlacedAssertion[] {
  return (list ?? []).map((value, index) => ({ value, context: below(context, "assert", index) }));
}

/** Sorts a test's assertions into reference replies, checks, and what is named as left out. */
export function readAssertions(source: AssertionSource): Assertions {
  const { assertions, vars, templates, isOwn = false, options } = source;
  const texts: string[] = [];
  const checks: TurnCheck[] = [];
  const unchecked: CheckDraft[] = [];
  for (const placed of flatten(assertions, templates)) {
    const assertion = readAssertion(placed, vars);
    const { name, draft, context } = assertion;
    const { place, collector } = context;
    const lost = whyLost(assertion);
    if (lost !== undefined) {
      collector.note("dropped", place, `assertion ${name || "without a type"}: ${lost}`);
      continue;
    }
    // Our own export has reference replies as "similar"; an "equals" there is a check, which is kept beside it.
    if (isOwn && draft.type === "equals") continue;
    const isReference = references.has(draft.type) && !draft.negated;
    const check = isReference ? undefined : toCheck(draft);
    const why = whyListed(assertion, options) ?? (isReference ? undefined : whyUnchecked(check, checks));
    if (why !== undefined) {
      unchecked.push(draft);
      collector.note("changed", place, `assertion ${name} ${why}; it is listed beside the scenarios`);
      continue;
    }
    const named = check && namedCheck(check, { name: assertion.metric, beside: checks });
    if (named) checks.push(named);
    else for (const text of toTexts(draft.value)) texts.push(text);
    if (!isOwn) noteRest(assertion, named);
  }
  const [reference, ...others] = [...new Set(texts)];
  return { reference, references: others, checks, unchecked };
}

interface ReadAssertion {
  /** As it is written: `not-contains`. */
  readonly name: string;
  readonly entry: unknown;
  readonly draft: CheckDraft;
  readonly metric: string | undefined;
  /** Parts of the value's template we do not run. */
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
    isElsewhere: [given].flat().some(isExternal),
    context,
  };
}

function whyLost({ draft: { type }, entry, isElsewhere }: ReadAssertion): string | undefined {
  if (field(entry, "weight") === 0) return "it weighs 0, so it was shown there and never failed";
  if (isElsewhere) return "its value is in another file";
  return checkable.has(type) ? undefined : (reasons.get(type) ?? "it has no counterpart here");
}

/** Why an assertion that is data asks for something else than its type and value say. */
function whyListed({ draft, entry, unknown }: ReadAssertion, options: JsonRecord = {}): string | undefined {
  if (unknown.length > 0) return `uses ${unknown.join(", ")}`;
  if (isMeasured(draft)) return undefined;
  if (anyField(entry, "transform") !== undefined) return "reads the reply after code of its own";
  return anyField(options, "transform", "postprocess") === undefined
    ? undefined
    : "reads the reply after code of the test";
}

/** Whatever becomes of the reply, these read how long it took and what it cost. */
const isMeasured = ({ type }: CheckDraft): boolean => type === "latency" || type === "cost";

function whyUnchecked(check: TurnCheck | undefined, checks: readonly TurnCheck[]): string | undefined {
  if (!check) return "has no check that judges the same";
  return checks.length < mostTurnChecks ? undefined : "is more than a turn may have";
}

/** What an assertion says beside its value, and a reference reply or a check has no place for. */
function noteRest(
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
    collector.note("dropped", place, `of the assertion ${name}: ${said.join(", ")}`);
  }
  if (missing.length > 0) collector.note("changed", place, `assertion ${name}: ${withoutValue(missing)}`);
}

/** A value, or a part of it, may stand in a file of its own; code that does is not read. */
function withFiles(value: unknown, context: ItemContext): unknown {
  if (Array.isArray(value)) return value.map((entry) => withFiles(entry, context));
  return (isExternal(value) ? includeValue(String(value), context) : undefined) ?? value;
}

/** Sets of assertions count as their members; `$ref` as what it points to. */
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
        `of the set of assertions: ${lost.join(", ")}; they count one by one`,
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
  if (!Array.isArray(value)) return { value, unknown: [], missing: [] };
  const entries = value.map((entry) => renderValue(entry, vars));
  return {
    value: entries.map((entry) => entry.value),
    unknown: entries.flatMap(({ unknown }) => unknown),
    missing: entries.flatMap(({ missing }) => missing),
  };
}

/** True for a text that promptfoo would read from a file. */
export const isExternal = (value: unknown): boolean => typeof value === "string" && value.startsWith("file://");

function toTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(toTexts);
  const text = scalarText(value) ?? (isRecord(value) ? JSON.stringify(value) : undefined);
  return text === undefined ? [] : [text];
}
