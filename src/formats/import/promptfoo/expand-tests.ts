import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { anyField, field, isTextList, listField, recordField, textField, toTextList } from "../../documents/records.ts";
import { descend, noteIgnored, otherFields, type ItemContext } from "../../shared/items.ts";
import { fileNameOf, includeTexts, includeValues, includeVariables } from "./named-files.ts";
import { isFileReference, placedAssertions, type PlacedAssertion } from "./read-assertions.ts";
import { missingVariablesText, renderTemplate } from "./render-template.ts";

/** One test with defaults and scenario data merged in, and lists of values expanded. */
export interface ExpandedTest {
  readonly test: JsonRecord;
  readonly vars: JsonRecord;
  readonly assertions: readonly PlacedAssertion[];
  readonly metadata: JsonRecord;
  readonly options: JsonRecord;
  /** Names of the prompts that the test is for; undefined means all. */
  readonly prompts: readonly string[] | undefined;
  /** The least weighted mean of the assertions. */
  readonly threshold: number | undefined;
  readonly context: ItemContext;
  /** Tests with different values never share a conversation by default. */
  readonly isolation: string;
}

const mostCombinations = 1000;
/** Limit on the tests of a file that come from expansion, because a small file can expand to any number. */
const mostMultiplied = 10_000;

/** Limit on the characters of all user messages: every test repeats the prompt. */
const mostCharacters = 16_000_000;

/** The remaining limits of a file. */
export interface ExpansionBudget {
  /** Tests from expansion; those written one by one are not counted. */
  left: number;
  /** Characters of user messages. */
  characters: number;
}

export const createExpansionBudget = (): ExpansionBudget => ({ left: mostMultiplied, characters: mostCharacters });

/** All tests of a config: its `tests`, and each set of `scenarios[].config` combined with each of the scenario's tests. */
export function expandTests(
  { config, tests }: { config: JsonRecord; tests: readonly TestLayer[] },
  context: ItemContext,
  budget: ExpansionBudget,
): ExpandedTest[] {
  const [defaults = { value: {}, context: descend(context, "defaultTest") }] = layersOf(
    anyField(config, "defaultTest", "default_test") ?? {},
    descend(context, "defaultTest"),
  );
  const plain = tests.flatMap((test) => expand([defaults, test], "tests", budget));
  const scenarios = resolveLayers(config["scenarios"], descend(context, "scenarios")).flatMap((scenario, index) =>
    expandScenario(scenario, { defaults, name: `scenario-${index + 1}`, budget }),
  );
  return [...plain, ...scenarios];
}

function expandScenario(
  { value, context }: TestLayer,
  { defaults, name, budget }: { defaults: TestLayer; name: string; budget: ExpansionBudget },
): ExpandedTest[] {
  noteIgnored(otherFields(value, ["description", "config", "tests"]), context);
  const sets = resolveLayers(field(value, "config"), descend(context, "config"));
  if (!listField(value, "config"))
    context.collector.note("dropped", context.place, "the scenario has no config list to make tests from");
  const written = resolveLayers(field(value, "tests"), descend(context, "tests"));
  const tests = written.length > 0 ? written : [{ value: {}, context }];
  const expanded: ExpandedTest[] = [];
  for (const [number, set] of sets.entries()) {
    for (const test of tests) {
      if (budget.left === 0) {
        const message = `the scenario has ${sets.length * tests.length} tests; those beyond ${limitText} were dropped`;
        context.collector.note("dropped", context.place, message);
        return expanded;
      }
      // Every combination counts, even with one value each.
      budget.left--;
      expanded.push(...expand([defaults, set, test], `${name}-${number + 1}`, budget));
    }
  }
  return expanded;
}

const limitText = `the ${mostMultiplied} a file may expand to`;

/** A source of a test's settings: the defaults, a scenario's data, or the test itself. */
export interface TestLayer {
  readonly value: JsonRecord;
  readonly context: ItemContext;
}

/** The entries of a list, including those in files that can be read; other files are noted. */
export function resolveLayers(value: unknown, context: ItemContext): TestLayer[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return layersOf(value, context);
  return value.flatMap((entry: unknown, index) => layersOf(entry, descend(context, index)));
}

function layersOf(entry: unknown, context: ItemContext): TestLayer[] {
  if (isRecord(entry) && !("path" in entry) && !("$values" in entry)) return [{ value: entry, context }];
  const included = includeValues(fileNameOf(entry), context);
  if (!included) noteUnreadable(context, entry);
  return (included ?? []).flatMap(({ value, context: at }) => (isRecord(value) ? [{ value, context: at }] : []));
}

function noteUnreadable({ collector, place }: ItemContext, value: unknown): void {
  const name = textField(value, "path", "$values") ?? (typeof value === "string" ? value : JSON.stringify(value));
  const message = codeFile.test(name)
    ? `code is not executed (${name}); write the tests it generates to a file and import that file`
    : spreadsheet.test(name)
      ? `this is a spreadsheet (${name}); save it as CSV and import that file`
      : `this is in another file (${name}); import that file separately`;
  collector.note("dropped", place, message);
}

function expand(layers: readonly TestLayer[], isolation: string, budget: ExpansionBudget): ExpandedTest[] {
  const merged = (name: string): JsonRecord =>
    Object.assign({}, ...layers.map(({ value }) => recordField(value, name) ?? {})) as JsonRecord;
  const last = layers.at(-1);
  if (!last) return [];
  const { value: test, context } = last;
  if (isSimulated(layers)) {
    context.collector.note("dropped", context.place, simulatedText);
    return [];
  }
  const options = merged("options");
  const judging = options["disableDefaultAsserts"] === true ? layers.slice(1) : layers;
  const assertions = judging.flatMap((layer) => placedAssertions(listField(layer.value, "assert"), layer.context));
  layers.forEach(noteTestSettings);
  const variables = layers.map(variablesOf);
  const elsewhere = layers.find((_layer, index) => variables[index] === undefined);
  if (elsewhere) {
    // With only the default variables it would be a different test.
    noteUnreadable(descend(elsewhere.context, "vars"), elsewhere.value["vars"]);
    return [];
  }
  const vars = withFileTexts(Object.assign({}, ...variables) as JsonRecord, context);
  const external = Object.keys(vars).filter((name) => isFileReference(vars[name]));
  if (external.length > 0) {
    const message = `the test reads ${external.join(", ")} from another file; it was dropped`;
    context.collector.note("dropped", context.place, message);
    return [];
  }
  const sets = options["disableVarExpansion"] === true ? [vars] : combinations(vars, context, budget);
  const metadata = merged("metadata");
  const prompts = layers.map(({ value }) => listField(value, "prompts")).findLast((names) => names !== undefined);
  const thresholds = layers.map(({ value }) => anyField(value, "threshold")).filter((given) => given !== undefined);
  const lastThreshold = Number(thresholds.at(-1));
  const threshold = thresholds.length > 0 && Number.isFinite(lastThreshold) ? lastThreshold : undefined;
  return sets.map((set) => ({
    test,
    vars: fillVariables(set, context),
    assertions,
    metadata,
    options,
    prompts: toTextList(prompts),
    threshold,
    context,
    isolation,
  }));
}

const simulator = "promptfoo:simulated-user";
const simulatedText = `a model simulates the user (${simulator}), but a scenario scripts the user's messages; import recorded conversations instead`;

/** True if promptfoo's simulated user writes the user's messages. */
function isSimulated(layers: readonly TestLayer[]): boolean {
  const named = layers.map(({ value: { provider } }) => textField(provider, "id") ?? provider);
  return named.findLast((provider) => provider !== undefined) === simulator;
}

/** The fields of a test that are imported; others are noted. */
const fields = new Set(["id", "description", "vars", "assert", "options", "metadata", "prompts", "threshold"]);
/** Options that affect the scenario. */
const kept = new Set([
  "prefix",
  "suffix",
  "disableVarExpansion",
  "disableConversationVar",
  "disableDefaultAsserts",
  // The assertions that they concern are noted.
  "transform",
  "postprocess",
]);

/** Code that changes the variables before the prompt is filled. */
const rewriting = "transformVars";
const rewritingText = `options.${rewriting} is code, which is not executed: the user's message uses the variables as written`;

/** Notes settings that are not part of a scenario, in any layer. */
function noteTestSettings({ value, context: { collector, place } }: TestLayer): void {
  if (anyField(value, "assert") !== undefined && !listField(value, "assert"))
    collector.note("dropped", place, "assert is not a list of assertions");
  const options = Object.keys(recordField(value, "options") ?? {}).filter((name) => !kept.has(name));
  if (options.includes(rewriting)) collector.note("changed", place, rewritingText);
  const others = Object.keys(value).filter((name) => !fields.has(name) && anyField(value, name) !== undefined);
  const names = [...others, ...options.filter((name) => name !== rewriting).map((name) => `options.${name}`)];
  noteIgnored(names, { place, collector });
}

/** A layer's variables, read from files if it names some; undefined if those cannot be read. */
function variablesOf({ value, context }: TestLayer): JsonRecord | undefined {
  const vars = field(value, "vars");
  if (typeof vars !== "string" && !isTextList(vars)) return isRecord(vars) ? vars : {};
  return includeVariables([vars].flat(), descend(context, "vars"));
}

/** Replaces file references by the files' texts. Several files become several values, each of which makes a test. */
function withFileTexts(vars: JsonRecord, context: ItemContext): JsonRecord {
  const read = (value: unknown): unknown => {
    const [first = value, ...more] = isFileReference(value) ? includeTexts(String(value), context) : [];
    return more.length > 0 ? [first, ...more] : first;
  };
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, read(value)]));
}

const codeFile = /\.(?:[cm]?[jt]s|py|rb|go)(?::\w+)?$/;
const spreadsheet = /\.xlsx?(?:#[^]*)?$/;

/** Fills variables that use other variables. One that cannot be filled is kept as written and noted. */
function fillVariables(given: JsonRecord, { collector, place }: ItemContext): JsonRecord {
  const vars = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withoutLineEnd(value)]));
  const fill = (name: string, value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const { text, unknown, missing } = renderTemplate(value, vars);
    if (unknown.length > 0)
      collector.note(
        "changed",
        place,
        `the variable ${name} uses ${unknown.join(", ")}, which is not supported; it is kept as written`,
      );
    else if (missing.length > 0) collector.note("changed", place, missingVariablesText(missing));
    return unknown.length > 0 ? value : text;
  };
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, fill(name, value)]));
}

/** promptfoo removes the line break at the end of a YAML block. */
const withoutLineEnd = (value: unknown): unknown => (typeof value === "string" ? value.replace(/\n$/, "") : value);

/** promptfoo runs a test once per value of a variable that is a list of texts. The last variable changes first. */
function combinations(vars: JsonRecord, { collector, place }: ItemContext, budget: ExpansionBudget): JsonRecord[] {
  const lists = Object.entries(vars).map(([name, value]) => ({
    name,
    values: Array.isArray(value) && typeof value[0] === "string" ? (value as unknown[]) : [value],
  }));
  const count = lists.reduce((product, { values }) => product * values.length, 1);
  if (count === 1) return [combination(lists, 0)];
  const kept = Math.min(count, mostCombinations, budget.left);
  budget.left -= kept;
  if (kept < count) {
    const why = kept < mostCombinations ? `, to stay within ${limitText}` : "";
    collector.note("dropped", place, `the test has ${count} combinations of values; ${kept} were kept${why}`);
  }
  return Array.from({ length: kept }, (_, index) => combination(lists, index));
}

function combination(lists: readonly { name: string; values: readonly unknown[] }[], index: number): JsonRecord {
  let rest = index;
  const picked = lists.toReversed().map(({ name, values }) => {
    const value = values[rest % values.length];
    rest = Math.floor(rest / values.length);
    return [name, value] as const;
  });
  return Object.fromEntries(picked.toReversed());
}
