import { isRecord, type JsonRecord } from "../../base/json.ts";
import { jsonStart } from "../../base/json-size.ts";
import { closestName, truncateText } from "../../base/text.ts";
import { mostFieldErrors } from "../../contract/errors/errors.ts";
import type { ScorerResult } from "../../scoring/scorers/scorer.ts";
import { isWithin } from "../../scoring/scorers/match-value.ts";
import { unifyCharacters } from "../../scoring/text/tokenize.ts";
import { patternSetting, type ProbeSession, type ProbeSetting } from "./probes.ts";

/**
 * An expected value, ready to be compared. JSON is compared by value: key order does not matter, 1 equals 1.0, and an object has
 * exactly the expected keys. `actual` is undefined where there is no value.
 */
export interface Expected {
  test(actual: unknown, context: MatchContext): boolean;
  /** Why `test` failed, in words, with the path of the difference. */
  explain(actual: unknown, path: string, context: MatchContext): string;
  /** The expectation in words: `"1042"`, `one of 1, 2`. */
  readonly description: string;
  /** True when the value may be left out. */
  readonly optional: boolean;
}

export interface MatchContext {
  /** `loose` ignores case, punctuation and white space in every text. */
  readonly text: "exact" | "loose";
  readonly probes: Pick<ProbeSession, "ask" | "count">;
  /** Called when a pattern or schema could not be applied: the comparison then says nothing. */
  readonly onFailure: (reason: string) => void;
}

/** An expected value that cannot be used. Planning finds these with `expectedProblems`. */
class MatcherError extends Error {
  override readonly name = "MatcherError";
}

const compiled = new WeakMap<object, Expected>();

/** Prepares an expected value for comparisons. Throws `MatcherError` for a malformed matcher. */
export function compileExpected(expected: unknown): Expected {
  if (typeof expected === "string") return textNode(expected);
  if (typeof expected !== "object" || expected === null) return scalarNode(expected);
  const known = compiled.get(expected);
  if (known) return known;
  const node = compileObject(expected);
  compiled.set(expected, node);
  return node;
}

function compileObject(expected: object): Expected {
  if (Array.isArray(expected)) return listNode(expected.map(compileExpected));
  const record = expected as JsonRecord;
  const key = matcherKey(record);
  if (key === null)
    return objectNode(new Map(Object.entries(record).map(([name, value]) => [name, compileExpected(value)])));
  const problem = shapeProblem(record, key);
  if (problem) throw new MatcherError(problem.message);
  return (matchers[key] as Matcher).compile(record[key]);
}

interface ExpectedProblem {
  /** From the expected value to the wrong part. */
  readonly path: readonly (string | number)[];
  readonly code: "unknown_matcher" | "invalid_matcher";
  readonly message: string;
}

/** A pattern or schema in an expected value, which still has to be compiled. */
interface ExpectedProbe {
  readonly path: readonly (string | number)[];
  readonly setting: ProbeSetting;
}

/** Malformed matchers in an expected value, at most a hundred of them, and its patterns and schemas. */
export function surveyExpected(expected: unknown): {
  readonly problems: readonly ExpectedProblem[];
  readonly probes: readonly ExpectedProbe[];
} {
  const problems: ExpectedProblem[] = [];
  const probes: ExpectedProbe[] = [];
  function walk(value: unknown, path: readonly (string | number)[]): void {
    if (problems.length >= mostFieldErrors) return;
    if (Array.isArray(value)) return value.forEach((item, index) => walk(item, [...path, index]));
    if (!isRecord(value)) return;
    const key = matcherKey(value);
    if (key === null) return Object.entries(value).forEach(([name, item]) => walk(item, [...path, name]));
    const problem = shapeProblem(value, key);
    if (problem) return void problems.push({ ...problem, path: [...path, key] });
    const { probe, inner } = matchers[key] as Matcher;
    if (probe) probes.push({ path: [...path, key], setting: probe(value[key]) });
    if (inner) walk(value[key], [...path, key]);
  }
  walk(expected, []);
  return { problems, probes };
}

/** True when the expected value has matchers, so that it does not stand for one value. */
export function hasMatchers(expected: unknown): boolean {
  if (Array.isArray(expected)) return expected.some(hasMatchers);
  return isRecord(expected) && (matcherKey(expected) !== null || Object.values(expected).some(hasMatchers));
}

function matcherKey(record: JsonRecord): string | null {
  for (const key in record) if (key.startsWith("$") && Object.hasOwn(record, key)) return key;
  return null;
}

/** True for an object that is a matcher, well-formed or not. */
export function isMatcher(value: unknown): boolean {
  return isRecord(value) && matcherKey(value) !== null;
}

const literalHint = 'to compare an object with such a key as it is, write {"$literal": …} around it';

function shapeProblem(record: JsonRecord, key: string): Omit<ExpectedProblem, "path"> | null {
  const matcher = Object.hasOwn(matchers, key) ? matchers[key] : undefined;
  if (!matcher) {
    const nearest = closestName(key, Object.keys(matchers));
    const hint = nearest === undefined ? `known: ${Object.keys(matchers).join(", ")}` : `did you mean ${nearest}?`;
    return { code: "unknown_matcher", message: `is not a matcher; ${hint} (${literalHint})` };
  }
  const others = Object.keys(record).filter((name) => name !== key);
  if (others.length > 0) {
    const message = `must be the only key of its object, which also has ${others.slice(0, 3).join(", ")} (${literalHint})`;
    return { code: "invalid_matcher", message };
  }
  const message = matcher.problem(record[key]);
  return message === null ? null : { code: "invalid_matcher", message };
}

interface Matcher {
  /** The problem of the matcher's value, else null. */
  problem(value: unknown): string | null;
  compile(value: unknown): Expected;
  /** The pattern or schema to compile. */
  readonly probe?: (value: unknown) => ProbeSetting;
  /** True when the value is an expected value, or a list of them. */
  readonly inner?: true;
}

const mustBeTrue = (value: unknown): string | null => (value === true ? null : "must be true");
const mustBeText = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? null : "must be a text that is not empty";

const matchers: Readonly<Record<string, Matcher>> = {
  $any: {
    problem: mustBeTrue,
    compile: () => simpleNode("any value", (actual) => actual !== undefined),
  },
  $absent: {
    problem: mustBeTrue,
    compile: () => ({ ...simpleNode("no value", (actual) => actual === undefined), optional: true }),
  },
  $one_of: {
    problem: (value) => (Array.isArray(value) && value.length > 0 ? null : "must be a list with at least one value"),
    compile: (value) => oneOfNode(value as unknown[]),
    inner: true,
  },
  $literal: {
    problem: () => null,
    compile: (value) => literalNode(value),
  },
  $text: {
    problem: mustBeText,
    compile(value) {
      const text = value as string;
      const key = spacelessKey(text);
      return simpleNode(`${shown(text)} (case and white space aside)`, (actual, context) => {
        if (typeof actual !== "string") return false;
        context.probes.count(keySteps(actual, text));
        return spacelessKey(actual) === key || (context.text === "loose" && looseKey(actual) === looseKey(text));
      });
    },
  },
  $regex: {
    problem: mustBeText,
    probe: (value) => patternSetting(value as string),
    compile(value) {
      const setting = patternSetting(value as string);
      return probeNode(`a text that matches ${shown(value)}`, setting, (actual) => typeof actual === "string");
    },
  },
  $schema: {
    problem: (value) => (isRecord(value) ? null : "must be a JSON schema: an object"),
    probe: schemaSetting,
    compile: (value) =>
      probeNode("a value that fits the schema", schemaSetting(value), (actual) => actual !== undefined),
  },
  $number: {
    problem: numberProblem,
    compile(given) {
      const { value, tolerance = 0 } = given as { value: number; tolerance?: number };
      const description = tolerance === 0 ? String(value) : `${value} ± ${tolerance}`;
      return simpleNode(description, (actual) => typeof actual === "number" && isWithin(tolerance, actual, value));
    },
  },
  $contains: {
    problem: (value) => (value === "" ? "must not be empty: every text contains that" : null),
    compile: containsNode,
    inner: true,
  },
};

function schemaSetting(value: unknown): ProbeSetting {
  return { type: "json_schema", schema: value as Extract<ProbeSetting, { type: "json_schema" }>["schema"] };
}

function numberProblem(given: unknown): string | null {
  const form = "must be {value, tolerance} with two numbers; the tolerance is at least 0 and may be left out";
  if (!isRecord(given) || typeof given["value"] !== "number") return form;
  const { tolerance = 0 } = given;
  const others = Object.keys(given).filter((name) => name !== "value" && name !== "tolerance");
  return typeof tolerance === "number" && tolerance >= 0 && others.length === 0 ? null : form;
}

/** An expectation whose failure needs no path inside the value. */
function simpleNode(description: string, test: Expected["test"]): Expected {
  return {
    description,
    optional: false,
    test(actual, context) {
      context.probes.count(1);
      return test(actual, context);
    },
    explain: (actual, path) => differs(path, actual, description),
  };
}

function scalarNode(expected: unknown): Expected {
  return simpleNode(shown(expected), (actual) => actual === expected);
}

function textNode(expected: string): Expected {
  return simpleNode(shown(expected), (actual, { text, probes }) => {
    if (typeof actual === "string" && actual.length === expected.length) probes.count(actual.length / 1_000);
    if (actual === expected) return true;
    if (text === "exact" || typeof actual !== "string") return false;
    probes.count(keySteps(actual, expected));
    return looseKey(actual) === looseKey(expected);
  });
}

function listNode(items: readonly Expected[]): Expected {
  const description = `a list of ${items.length}`;
  return {
    description,
    optional: false,
    test(actual, context) {
      context.probes.count(1);
      return (
        Array.isArray(actual) &&
        actual.length === items.length &&
        items.every((item, index) => item.test(actual[index], context))
      );
    },
    explain(actual, path, context) {
      if (!Array.isArray(actual)) return differs(path, actual, description);
      const wrong = items.findIndex((item, index) => index < actual.length && !item.test(actual[index], context));
      if (wrong !== -1) return (items[wrong] as Expected).explain(actual[wrong], `${path}[${wrong}]`, context);
      return `${path} has ${actual.length} items, expected ${items.length}`;
    },
  };
}

function objectNode(fields: ReadonlyMap<string, Expected>): Expected {
  const description = fields.size === 0 ? "{}" : `an object with ${[...fields.keys()].slice(0, 5).join(", ")}`;
  return {
    description,
    optional: false,
    test(actual, context) {
      context.probes.count(1);
      return isRecord(actual) && !hasExtra(actual, fields) && hasFields(actual, fields, context);
    },
    explain(actual, path, context) {
      if (!isRecord(actual)) return differs(path, actual, description);
      return explainFields(actual, fields, { path, context }) ?? `${extraPath(actual, fields, path)} is not expected`;
    },
  };
}

function hasFields(actual: JsonRecord, fields: ReadonlyMap<string, Expected>, context: MatchContext): boolean {
  for (const [name, field] of fields) if (!field.test(own(actual, name), context)) return false;
  return true;
}

function hasExtra(actual: JsonRecord, fields: ReadonlyMap<string, Expected>): boolean {
  for (const name in actual) if (Object.hasOwn(actual, name) && !fields.has(name)) return true;
  return false;
}

function extraPath(actual: JsonRecord, fields: ReadonlyMap<string, Expected>, path: string): string {
  const extra = Object.keys(actual).find((name) => !fields.has(name)) ?? "";
  return join(path, extra);
}

function explainFields(
  actual: JsonRecord,
  fields: ReadonlyMap<string, Expected>,
  { path, context }: { path: string; context: MatchContext },
): string | null {
  for (const [name, field] of fields) {
    const value = own(actual, name);
    if (!field.test(value, context)) return field.explain(value, join(path, name), context);
  }
  return null;
}

function oneOfNode(values: readonly unknown[]): Expected {
  const { literals, others } = splitLiterals(values);
  const [only] = values;
  return {
    ...simpleNode(
      values.length === 1 ? compileExpected(only).description : `one of ${listed(values)}`,
      (actual, context) =>
        (actual !== undefined && isAmong(actual, literals, context)) ||
        others.some((choice) => choice.test(actual, context)),
    ),
    optional: others.some(({ optional }) => optional),
  };
}

/** The first five expectations, and how many more there are. */
function listed(values: readonly unknown[]): string {
  const more = values.length > 5 ? ` and ${values.length - 5} more` : "";
  const words = values.slice(0, 5).map((value) => compileExpected(value).description);
  return `${words.join(", ")}${more}`;
}

/** Values without matchers, of which there may be thousands, and the others. */
function splitLiterals(values: readonly unknown[]): { literals: readonly unknown[]; others: readonly Expected[] } {
  return {
    literals: values.filter((value) => !hasMatchers(value)),
    others: values.filter(hasMatchers).map(compileExpected),
  };
}

/** A few values are compared one after the other, more of them by their keys. */
const fewValues = 8;

function isAmong(actual: unknown, literals: readonly unknown[], context: MatchContext): boolean {
  return literals.length < fewValues
    ? literals.some((literal) => compileExpected(literal).test(actual, context))
    : matcherKeys(literals, context).has(keyOf(actual, context));
}

/** The first value that a list does not contain, as an expectation. */
function missingFrom(list: readonly unknown[], literals: readonly unknown[], context: MatchContext): Expected | null {
  if (literals.length < fewValues) {
    const nodes = literals.map(compileExpected);
    return nodes.find((node) => !list.some((entry) => node.test(entry, context))) ?? null;
  }
  const keys = matcherKeys(list, context);
  const missing = matcherKeys(literals, context)
    .values()
    .find((key) => !keys.has(key));
  if (missing === undefined) return null;
  return compileExpected(literals.find((literal) => keyOf(literal, context) === missing));
}

type Keys = Partial<Record<MatchContext["text"], ReadonlySet<string>>>;

/** The keys of the values of a list. A list is searched once for each of thousands of values. */
const knownKeys = new WeakMap<readonly unknown[], Keys>();

function matcherKeys(list: readonly unknown[], context: MatchContext): ReadonlySet<string> {
  const known = knownKeys.get(list) ?? {};
  const keys = known[context.text] ?? new Set(list.map((value) => keyOf(value, context)));
  knownKeys.set(list, { ...known, [context.text]: keys });
  return keys;
}

/** Two JSON values are equal, in the sense of the context, if their keys are. */
function keyOf(value: unknown, context: MatchContext): string {
  if (typeof value === "string") {
    const isLoose = context.text === "loose";
    context.probes.count(1 + value.length / (isLoose ? 4 : 100));
    return JSON.stringify(isLoose ? looseKey(value) : value);
  }
  context.probes.count(1);
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, context)).join()}]`;
  if (!isRecord(value)) return String(value);
  const fields = Object.keys(value).toSorted();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${keyOf(value[name], context)}`).join()}}`;
}

/** Compares JSON as it is: keys with `$` have no meaning. */
function literalNode(value: unknown): Expected {
  if (Array.isArray(value)) return listNode(value.map(literalNode));
  if (isRecord(value))
    return objectNode(new Map(Object.entries(value).map(([name, item]) => [name, literalNode(item)])));
  return compileExpected(value);
}

/** `$contains`: a substring of text, a subset of a list, a partial match of an object, by itself or in a list. */
function containsNode(value: unknown): Expected {
  if (Array.isArray(value)) {
    const { literals, others } = splitLiterals(value);
    const description = `a list that contains ${listed(value)}`;
    const missingIn = (list: readonly unknown[], context: MatchContext): Expected | null =>
      missingFrom(list, literals, context) ??
      others.find((node) => !list.some((entry) => node.test(entry, context))) ??
      null;
    return {
      ...simpleNode(description, (actual, context) => Array.isArray(actual) && missingIn(actual, context) === null),
      explain(actual, path, context) {
        const missing = Array.isArray(actual) ? missingIn(actual, context) : null;
        return missing ? `${path} does not contain ${missing.description}` : differs(path, actual, description);
      },
    };
  }
  if (isRecord(value) && matcherKey(value) === null) {
    const fields = new Map(Object.entries(value).map(([name, item]) => [name, compileExpected(item)]));
    const description = `an object that contains ${[...fields.keys()].slice(0, 5).join(", ")}`;
    const fits = (actual: unknown, context: MatchContext): boolean =>
      isRecord(actual) && hasFields(actual, fields, context);
    return {
      ...simpleNode(description, (actual, context) =>
        Array.isArray(actual) ? actual.some((entry) => fits(entry, context)) : fits(actual, context),
      ),
      explain(actual, path, context) {
        if (Array.isArray(actual)) return `${path} does not contain ${shown(value)}`;
        return (
          (isRecord(actual) ? explainFields(actual, fields, { path, context }) : null) ??
          differs(path, actual, description)
        );
      },
    };
  }
  const item = compileExpected(value);
  return simpleNode(`something that contains ${item.description}`, (actual, context) => {
    if (Array.isArray(actual)) return actual.some((entry) => item.test(entry, context));
    if (typeof actual !== "string" || typeof value !== "string") return false;
    context.probes.count(searchSteps(actual, value));
    if (actual.includes(value)) return true;
    if (context.text === "exact") return false;
    context.probes.count(keySteps(actual, value));
    return looseKey(actual).includes(looseKey(value));
  });
}

function probeNode(description: string, setting: ProbeSetting, applies: (actual: unknown) => boolean): Expected {
  const ask = (actual: unknown, { probes, onFailure }: MatchContext): ScorerResult | undefined => {
    const answer = applies(actual) ? probes.ask(setting, actual) : undefined;
    if (answer?.value === null) onFailure(`${setting.type === "regex" ? "a pattern" : "a schema"} ${answer.reason}`);
    return answer;
  };
  const { explain, ...node } = simpleNode(description, (actual, context) => ask(actual, context)?.value === 1);
  return {
    ...node,
    explain(actual, path, context) {
      const answer = setting.type === "json_schema" ? ask(actual, context) : undefined;
      const why = answer?.value === 0 ? `: ${answer.reason.replace(/^the reply/, "it")}` : "";
      return `${explain(actual, path, context)}${why}`;
    },
  };
}

/** An own property only: `toString` is not an argument. */
function own(record: JsonRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function join(path: string, name: string): string {
  const part = /^[\w-]+$/.test(name) ? name : JSON.stringify(truncateText(name, 40));
  return path === "" ? part : `${path}.${part}`;
}

function differs(path: string, actual: unknown, expected: string): string {
  const subject = path === "" ? "the value" : path;
  return actual === undefined
    ? `${subject} is missing, expected ${expected}`
    : `${subject} is ${shown(actual)}, expected ${expected}`;
}

const shownCharacters = 60;

/** A value in a sentence: JSON on one line, cut when it is long. */
export function shown(value: unknown): string {
  if (typeof value === "string" && value.length > 4 * shownCharacters)
    return shown(truncateText(value, shownCharacters));
  if (Array.isArray(value) && value.length > shownCharacters) return `a list of ${value.length}`;
  return truncateText(jsonStart(value, shownCharacters) || "nothing", shownCharacters);
}

/** Steps of bringing two texts into the form in which they are compared. */
function keySteps(actual: string, expected: string): number {
  return (actual.length + expected.length) / 4;
}

/** Steps of finding one text in another: at worst their lengths are multiplied. */
export function searchSteps(text: string, part: string): number {
  return (text.length * part.length) / 1_000;
}

/** Longer texts are compared exactly: normalizing megabytes would block the event loop. */
const longestNormalized = 200_000;

const printableAscii = /^[ -~]*$/;

/** The form in which `$text` compares: without case and white space. */
function spacelessKey(text: string): string {
  if (text.length > longestNormalized) return text;
  if (printableAscii.test(text)) return text.toLowerCase().replaceAll(" ", "");
  return unifyCharacters(text).toLowerCase().replace(/\s+/gu, "");
}

const number = /^[+-]?\d[\d,]*(?:\.\d+)?$/;
const plain = /^[a-z\d]*$/;

/**
 * The form in which loose texts are compared: without case, punctuation and white space. Numbers keep sign and point (-1.5 is not
 * 15), and a text of signs alone stays as it is ("+" is not "-").
 */
function looseKey(text: string): string {
  if (plain.test(text) || text.length > longestNormalized) return text;
  const key = spacelessKey(text);
  if (number.test(key)) return key.replaceAll(",", "");
  const letters = key.replace(/[\p{P}^`]+/gu, "");
  return letters === "" ? key : letters;
}
