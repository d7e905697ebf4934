import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { textList } from "../../extras.ts";
import { below, givenBeside, noteLeft, type ItemContext } from "../../peer-item.ts";
import { anyField, field, isTextList, listField, recordField, textField } from "../../records.ts";
import { fileNameOf, includeTexts, includeValues, includeVariables } from "./named-files.ts";
import { isExternal, placedAssertions, type PlacedAssertion } from "./read-assertions.ts";
import { renderTemplate, withoutValue } from "./render-template.ts";

/** One test with the defaults and the scenario's data merged in and its lists of values multiplied out. */
export interface ExpandedTest {
  readonly test: JsonRecord;
  readonly vars: JsonRecord;
  readonly assertions: readonly PlacedAssertion[];
  readonly metadata: JsonRecord;
  readonly options: JsonRecord;
  /** The prompts it is for, by their names; undefined: all. */
  readonly prompts: readonly string[] | undefined;
  readonly context: ItemContext;
  /** Tests of different scenarios never share a conversation by themselves. */
  readonly isolation: string;
}

const mostCombinations = 1000;
/** A small file may stand for any number of tests: so many of them come from multiplying out, in all. */
const mostMultiplied = 10_000;

/** Every test repeats the prompt, and a value may stand in any number of them. */
const mostCharacters = 16_000_000;

/** What a file may still give. */
export interface Room {
  /** Tests that come from multiplying out; those written one by one are not counted. */
  left: number;
  /** Characters of user messages. */
  characters: number;
}

export const createRoom = (): Room => ({ left: mostMultiplied, characters: mostCharacters });

/** All tests of a config: its `tests`, and every set of `scenarios[].config` with each of its tests. */
export function expandTests(
  { config, tests }: { config: JsonRecord; tests: readonly Layer[] },
  context: ItemContext,
  room: Room,
): ExpandedTest[] {
  const [defaults = { value: {}, context: below(context, "defaultTest") }] = layersOf(
    anyField(config, "defaultTest", "default_test") ?? {},
    below(context, "defaultTest"),
  );
  const plain = tests.flatMap((test) => expand([defaults, test], "tests", room));
  const scenarios = listOf(config["scenarios"], below(context, "scenarios")).flatMap((scenario, index) =>
    expandScenario(scenario, { defaults, name: `scenario-${index + 1}`, room }),
  );
  return [...plain, ...scenarios];
}

function expandScenario(
  { value, context }: Layer,
  { defaults, name, room }: { defaults: Layer; name: string; room: Room },
): ExpandedTest[] {
  noteLeft(givenBeside(value, ["description", "config", "tests"]), context);
  const sets = listOf(field(value, "config"), below(context, "config"));
  if (!listField(value, "config"))
    context.collector.note("dropped", context.place, "the scenario has no list config, of which tests are made");
  const written = listOf(field(value, "tests"), below(context, "tests"));
  const tests = written.length > 0 ? written : [{ value: {}, context }];
  const expanded: ExpandedTest[] = [];
  for (const [number, set] of sets.entries()) {
    for (const test of tests) {
      if (room.left === 0) {
        const message = `the scenario has ${sets.length * tests.length} tests; those beyond ${limitText} were left out`;
        context.collector.note("dropped", context.place, message);
        return expanded;
      }
      // Each of them counts: they are a product, however few values each has.
      room.left--;
      expanded.push(...expand([defaults, set, test], `${name}-${number + 1}`, room));
    }
  }
  return expanded;
}

const limitText = `the ${mostMultiplied} a file may multiply out to`;

/** What says something about a test: the defaults, a scenario's data, the test itself. */
export interface Layer {
  readonly value: JsonRecord;
  readonly context: ItemContext;
}

/** The members of a list, those in files that can be had among them; the others are named. */
export function listOf(value: unknown, context: ItemContext): Layer[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return layersOf(value, context);
  return value.flatMap((entry: unknown, index) => layersOf(entry, below(context, index)));
}

function layersOf(entry: unknown, context: ItemContext): Layer[] {
  if (isRecord(entry) && !("path" in entry) && !("$values" in entry)) return [{ value: entry, context }];
  const included = includeValues(fileNameOf(entry), context);
  if (!included) note(context, entry);
  return (included ?? []).flatMap(({ value, context: at }) => (isRecord(value) ? [{ value, context: at }] : []));
}

function note({ collector, place }: ItemContext, value: unknown): void {
  const name = textField(value, "path", "$values") ?? (typeof value === "string" ? value : JSON.stringify(value));
  const message = isCode.test(name)
    ? `code is not run (${name}); write the tests it makes to a file and import that`
    : isSheet.test(name)
      ? `this is a spreadsheet (${name}); save it as CSV and import that`
      : `this is in another place (${name}); import that file by itself`;
  collector.note("dropped", place, message);
}

function expand(layers: readonly Layer[], isolation: string, room: Room): ExpandedTest[] {
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
  layers.forEach(noteSettings);
  const variables = layers.map(variablesOf);
  const elsewhere = layers.find((_layer, index) => variables[index] === undefined);
  if (elsewhere) {
    // With the variables of the defaults alone it would be another test.
    note(below(elsewhere.context, "vars"), elsewhere.value["vars"]);
    return [];
  }
  const vars = withTexts(Object.assign({}, ...variables) as JsonRecord, context);
  const external = Object.keys(vars).filter((name) => isExternal(vars[name]));
  if (external.length > 0) {
    const message = `the test takes ${external.join(", ")} from another file; it was left out`;
    context.collector.note("dropped", context.place, message);
    return [];
  }
  const sets = options["disableVarExpansion"] === true ? [vars] : combinations(vars, context, room);
  const metadata = merged("metadata");
  const prompts = layers.map(({ value }) => listField(value, "prompts")).findLast((names) => names !== undefined);
  return sets.map((set) => ({
    test,
    vars: filled(set, context),
    assertions,
    metadata,
    options,
    prompts: textList(prompts),
    context,
    isolation,
  }));
}

const simulator = "promptfoo:simulated-user";
const simulatedText = `a model plays the user (${simulator}), and a scenario says what the user writes; import recorded conversations instead`;

/** Whether the prompt is the agent's own, and a model writes what the user says. */
function isSimulated(layers: readonly Layer[]): boolean {
  const named = layers.map(({ value: { provider } }) => textField(provider, "id") ?? provider);
  return named.findLast((provider) => provider !== undefined) === simulator;
}

/** What is read of a test. All else it has is said of the run, or nothing promptfoo knows. */
const fields = new Set(["id", "description", "vars", "assert", "options", "metadata", "prompts"]);
/** Options that say what a scenario is made of. */
const kept = new Set(["prefix", "suffix", "disableVarExpansion", "disableConversationVar", "disableDefaultAsserts"]);

/** Code that makes other variables of those of a test, of which the prompt is then filled. */
const rewriting = "transformVars";
const rewritingText = `options.${rewriting} is code, which is not run: the user's message is made of the variables as they are written`;

/** The defaults and a scenario's data may have what is no part of a scenario, just as the test itself. */
function noteSettings({ value, context: { collector, place } }: Layer): void {
  if (anyField(value, "assert") !== undefined && !listField(value, "assert"))
    collector.note("dropped", place, "assert is no list of assertions");
  const options = Object.keys(recordField(value, "options") ?? {}).filter((name) => !kept.has(name));
  if (options.includes(rewriting)) collector.note("changed", place, rewritingText);
  const others = Object.keys(value).filter((name) => !fields.has(name) && anyField(value, name) !== undefined);
  const names = [...others, ...options.filter((name) => name !== rewriting).map((name) => `options.${name}`)];
  if (names.length > 0) collector.note("dropped", place, `not part of a scenario: ${names.join(", ")}`);
}

/** A layer's own variables, from the files it names in place of them; undefined where those cannot be had. */
function variablesOf({ value, context }: Layer): JsonRecord | undefined {
  const vars = field(value, "vars");
  if (typeof vars !== "string" && !isTextList(vars)) return isRecord(vars) ? vars : {};
  return includeVariables([vars].flat(), below(context, "vars"));
}

/** With the texts that stand in files of their own. Several are several values, of which each makes a test. */
function withTexts(vars: JsonRecord, context: ItemContext): JsonRecord {
  const read = (value: unknown): unknown => {
    const [first = value, ...more] = isExternal(value) ? includeTexts(String(value), context) : [];
    return more.length > 0 ? [first, ...more] : first;
  };
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, read(value)]));
}

const isCode = /\.(?:[cm]?[jt]s|py|rb|go)(?::\w+)?$/;
const isSheet = /\.xlsx?(?:#.*)?$/;

/** Variables may use one another; what we cannot fill in stays as it is written, and is named. */
function filled(given: JsonRecord, { collector, place }: ItemContext): JsonRecord {
  const vars = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withoutLineEnd(value)]));
  const fill = (name: string, value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const { text, unknown, missing } = renderTemplate(value, vars);
    if (unknown.length > 0)
      collector.note("changed", place, `the variable ${name} uses ${unknown.join(", ")}; it stays as it is written`);
    else if (missing.length > 0) collector.note("changed", place, withoutValue(missing));
    return unknown.length > 0 ? value : text;
  };
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, fill(name, value)]));
}

/** A YAML block ends in a line break that nobody says: promptfoo takes it off. */
const withoutLineEnd = (value: unknown): unknown => (typeof value === "string" ? value.replace(/\n$/, "") : value);

/** promptfoo runs a test once for each value of a variable that is a list of texts. The last variable changes first. */
function combinations(vars: JsonRecord, { collector, place }: ItemContext, room: Room): JsonRecord[] {
  const lists = Object.entries(vars).map(([name, value]) => ({
    name,
    values: Array.isArray(value) && typeof value[0] === "string" ? (value as unknown[]) : [value],
  }));
  const count = lists.reduce((product, { values }) => product * values.length, 1);
  if (count === 1) return [combination(lists, 0)];
  const kept = Math.min(count, mostCombinations, room.left);
  room.left -= kept;
  if (kept < count) {
    const why = kept < mostCombinations ? `, which fills ${limitText}` : "";
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
