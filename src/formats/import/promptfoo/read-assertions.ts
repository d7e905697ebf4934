import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { maxTurnChecks } from "../../../contract/schemas/scenario.ts";
import { TurnCheck, type SingleCheck } from "../../../contract/schemas/scores/scorer-setting.ts";
import { anyField, field, listField, scalarText } from "../../documents/records.ts";
import { namedCheck, type UnmappedCheckDraft } from "../../shared/imported-scenario.ts";
import { descend, type ItemContext } from "../../shared/items.ts";
import { assertionTypes, referenceTypes, toCheck, transformSource, unsupportedReasons } from "./assertion-types.ts";
import { includeValue } from "./named-files.ts";
import { missingVariablesText, renderTemplate } from "./render-template.ts";
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
  /** The test passes when the weighted mean of its assertions reaches this. */
  readonly threshold?: number | undefined;
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

/** Sorts a test's assertions into reference replies, checks, rules for tools, and unmapped ones. */
export function readAssertions(source: AssertionSource): Assertions {
  const { assertions, vars, templates, isOwn = false, options = {}, threshold } = source;
  const texts: string[] = [];
  const checks: TurnCheck[] = [];
  const unmapped: UnmappedCheckDraft[] = [];
  const tools: ToolExpectation[] = [];
  const neverFailing = new Set<TurnCheck>();
  const read = (placed: PlacedAssertion, beside: readonly TurnCheck[]): SingleCheck | undefined => {
    const assertion = readAssertion(placed, vars);
    const { name, draft, context } = assertion;
    const { place, collector } = context;
    const tool = assertion.isElsewhere || assertion.unknown.length > 0 ? undefined : toToolExpectation(draft);
    if (tool) {
      tools.push(tool);
      if (!isOwn) noteOtherSettings(assertion, undefined);
      return undefined;
    }
    const lost = unsupportedReason(assertion);
    if (lost !== undefined) {
      collector.note("dropped", place, `assertion ${name || "without a type"}: ${lost}`);
      return undefined;
    }
    // Our export writes reference replies as "similar"; its "equals" assertions are checks, which it also stores separately.
    if (isOwn && draft.type === "equals") return undefined;
    const isReference = referenceTypes.has(draft.type) && !draft.negated;
    const transform = isMeasured(draft) ? [] : transformsOf(assertion, options);
    const check = isOwn && isReference ? undefined : convert(assertion, { vars, transform });
    const answers = isReference ? toTexts(draft.value).filter((text) => text.trim() !== "") : [];
    const why =
      unmappedReason(assertion, { options, transform }) ??
      (answers.length > 0 ? undefined : uncheckedReason(check, beside));
    if (why !== undefined) {
      unmapped.push(draft);
      collector.note("changed", place, `assertion ${name} ${why}; it was not converted to a check`);
      return undefined;
    }
    if (transform.length === 0) for (const text of answers) texts.push(text);
    if (check === undefined || beside.length >= maxTurnChecks) {
      if (!isOwn) noteOtherSettings(assertion, undefined);
      return undefined;
    }
    const named = namedCheck(check, { name: assertion.metric, beside }) as SingleCheck;
    if (!isOwn) noteOtherSettings(assertion, named);
    noteMeaning(assertion);
    if (neverFails(draft)) neverFailing.add(named);
    return named;
  };
  for (const placed of resolved(assertions, templates)) {
    const set = listField(placed.value, "assert");
    if (!set) {
      const check = read(placed, checks);
      if (check) checks.push(check);
      continue;
    }
    const members: SingleCheck[] = [];
    for (const member of resolved(placedAssertions(set, placed.context), templates)) {
      const check = read(member, [...checks, ...members]);
      if (check) members.push(check);
    }
    const group = toGroup(placed, members, { vars, beside: checks, neverFailing });
    if (group) checks.push(group);
  }
  const [reference, ...others] = [...new Set(texts)];
  const [first] = assertions;
  const counted =
    threshold === undefined || !first ? undefined : thresholdGroup(checks, { threshold, context: first.context });
  const passing = counted ?? checks.map((check) => withoutVeto(check, neverFailing));
  return { reference, references: others, checks: passing, unmapped, tools };
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

const isCode = (type: string): boolean => type === "javascript" || type === "python";

function readAssertion({ value: entry, context }: PlacedAssertion, vars: JsonRecord): ReadAssertion {
  const name = scalarText(field(entry, "type")) ?? "";
  const type = name.replace(/^not-/, "").replace(/^similar:.*/, "similar");
  const written = field(entry, "value");
  const given = isCode(type) ? written : withFiles(written, context);
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
    isElsewhere: !isCode(type) && [given].flat().some(isFileReference),
    context,
  };
}

function unsupportedReason({ draft: { type }, entry, isElsewhere, context }: ReadAssertion): string | undefined {
  const reason = unsupportedReasons.get(type);
  if (reason !== undefined) return reason;
  if (!assertionTypes.has(type)) return "it is not supported";
  if (isElsewhere) return "its value is in another file";
  if (isCode(type) && !context.collector.allowsCode) return "it is code, which is imported only when allowed";
  return anyField(entry, "contextTransform") === undefined ? undefined : "its context comes from code";
}

/** The code that changes the reply before the assertion: the test's, then its own. Empty when code is not imported. */
function transformsOf({ entry, context }: ReadAssertion, options: JsonRecord): object[] {
  if (!context.collector.allowsCode) return [];
  return [anyField(options, "transform", "postprocess"), anyField(entry, "transform")].flatMap(
    (value) => (value === undefined ? undefined : transformSource(value)) ?? [],
  );
}

function convert(
  { draft, entry }: ReadAssertion,
  { vars, transform }: { vars: JsonRecord; transform: readonly object[] },
): TurnCheck | undefined {
  const check = toCheck(draft, { vars, config: anyField(entry, "config") });
  const weight = field(entry, "weight");
  const parsed =
    check &&
    TurnCheck.safeParse({
      ...check,
      ...(typeof weight === "number" && weight !== 1 && { weight }),
      ...(transform.length > 0 && { transform }),
    });
  return parsed?.success ? parsed.data : undefined;
}

/** The reason why an assertion means something other than its type and value. */
function unmappedReason(
  { draft, entry, unknown, context }: ReadAssertion,
  { options, transform }: { options: JsonRecord; transform: readonly object[] },
): string | undefined {
  if (unknown.length > 0) return `uses ${unknown.join(", ")}`;
  if (isMeasured(draft)) return undefined;
  const own = anyField(entry, "transform") !== undefined;
  const ofTest = anyField(options, "transform", "postprocess") !== undefined;
  if (transform.length === Number(own) + Number(ofTest)) return undefined;
  if (context.collector.allowsCode) return "transforms the reply with code that was not found";
  const why = own ? "transforms the reply with its own code" : "reads a reply that the test's code transforms";
  return `${why}, and code is imported only when allowed`;
}

/** Latency and cost do not depend on transforms of the reply. */
const isMeasured = ({ type }: UnmappedCheckDraft): boolean => type === "latency" || type === "cost";

function uncheckedReason(check: TurnCheck | undefined, checks: readonly TurnCheck[]): string | undefined {
  if (!check) return "has no equivalent check";
  return checks.length < maxTurnChecks ? undefined : "exceeds the number of checks a turn may have";
}

/** A set of assertions is one check with their weighted mean. */
function toGroup(
  { value, context }: PlacedAssertion,
  members: readonly SingleCheck[],
  {
    vars,
    beside,
    neverFailing,
  }: { vars: JsonRecord; beside: readonly TurnCheck[]; neverFailing: ReadonlySet<TurnCheck> },
): TurnCheck | undefined {
  if (members.length === 0) return undefined;
  const [threshold, weight] = [field(value, "threshold"), field(value, "weight")];
  const metric = scalarText(field(value, "metric"));
  const parsed = TurnCheck.safeParse({
    type: "group",
    checks: members.map((member) =>
      typeof threshold === "number" ? graded(member) : withoutVeto(member, neverFailing),
    ),
    ...(typeof threshold === "number" && { threshold }),
    ...(typeof weight === "number" && weight !== 1 && { weight }),
  });
  if (!parsed.success) {
    context.collector.note("dropped", context.place, "the set of assertions has settings that cannot be used");
    return undefined;
  }
  return namedCheck(parsed.data, {
    name: metric === undefined ? undefined : renderTemplate(metric, vars).text,
    beside,
  });
}

/**
 * The assertions of a test with a threshold are one group. Groups cannot be nested, so a set among them is taken apart, and its
 * weight divided among its assertions: the mean stays the same. Undefined if the threshold cannot be used.
 */
function thresholdGroup(
  checks: readonly TurnCheck[],
  { threshold, context: { collector, place } }: { threshold: number; context: ItemContext },
): readonly TurnCheck[] | undefined {
  if (checks.length === 0) return undefined;
  const members = checks.flatMap((check) => {
    if (check.type !== "group") return [graded(check)];
    const { weight: ofSet = 1 } = check;
    const total = check.checks.reduce((sum, { weight = 1 }) => sum + weight, 0);
    return check.checks.map((member) => {
      const weight = total === 0 ? 0 : (ofSet * (member.weight ?? 1)) / total;
      return graded({ ...member, weight });
    });
  });
  const parsed = TurnCheck.safeParse({ type: "group", checks: members, threshold });
  if (parsed.success) return [parsed.data];
  collector.note("dropped", place, `the test's threshold ${threshold}: it must be from 0 to 1`);
  return undefined;
}

/** Under the threshold of a set or test, an assertion counts with its score, whether it passes by itself or not. */
function graded(check: SingleCheck): SingleCheck {
  if (!("threshold" in check)) return check;
  const { threshold: _, ...rest } = check;
  return rest as SingleCheck;
}

/** Assertions whose threshold is 0 unless they name one: promptfoo reports their score, and passes them always. */
const neverFails = ({ type, threshold = 0 }: UnmappedCheckDraft): boolean =>
  threshold <= 0 && /^(?:answer-relevance|context-(?:faithfulness|recall|relevance))$/.test(type);

/** The check with weight 0 where it must not decide whether a test passes. */
const withoutVeto = <Check extends TurnCheck>(check: Check, neverFailing: ReadonlySet<TurnCheck>): Check =>
  neverFailing.has(check) ? { ...check, weight: 0 } : check;

/** Notes settings of an assertion that reference replies and checks do not have. */
function noteOtherSettings(
  { name, entry, draft, missing, context: { collector, place } }: ReadAssertion,
  check: TurnCheck | undefined,
): void {
  const isKept = (part: string): boolean =>
    (part === "weight" && (check !== undefined || field(entry, part) === 1)) ||
    (part === "threshold" && (check !== undefined || isMeasured(draft))) ||
    (part === "metric" && check?.name !== undefined);
  const parts = ["weight", "threshold", "metric", "provider", "rubricPrompt"];
  const rest = parts.filter((part) => field(entry, part) !== undefined && !isKept(part));
  if (rest.length > 0) {
    const said = rest.map((part) => [part, scalarText(field(entry, part))].filter(Boolean).join(" "));
    collector.note("dropped", place, `settings of the assertion ${name}: ${said.join(", ")}`);
  }
  if (missing.length > 0) collector.note("changed", place, `assertion ${name}: ${missingVariablesText(missing)}`);
}

const meanings: Readonly<Record<string, string>> = {
  "select-best": "a judge grades each reply by the criterion; compare the runs to see which is best",
  "search-rubric": "the judge of the run answers it, without a web search",
  "agent-rubric": "the judge of the run answers it, without tools",
  "is-html": "the reply is checked by its tags",
  "contains-html": "the reply is checked by its tags",
  "is-refusal": "the reply is checked by usual words of a refusal",
};

/** Notes where a check is not the same as the assertion. */
function noteMeaning({ name, draft: { type }, context: { collector, place } }: ReadAssertion): void {
  const meaning = meanings[type];
  if (meaning !== undefined) collector.note("changed", place, `assertion ${name}: ${meaning}`);
}

/** Reads values from files; code files are not read. */
function withFiles(value: unknown, context: ItemContext): unknown {
  if (Array.isArray(value)) return value.map((entry) => withFiles(entry, context));
  return (isFileReference(value) ? includeValue(String(value), context) : undefined) ?? value;
}

/** Resolves `$ref`. */
function resolved(assertions: readonly PlacedAssertion[], templates: JsonRecord): PlacedAssertion[] {
  return assertions.map(({ value, context }) => {
    const name = scalarText(field(value, "$ref"))?.split("/").at(-1);
    return { value: name === undefined ? value : field(templates, name), context };
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
