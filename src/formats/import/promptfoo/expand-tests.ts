import { below, type ItemContext } from "../../peer-item.ts";
import { field, isRecord, listField, recordField, textField, type JsonRecord } from "../../records.ts";
import { isExternal, placedAssertions, type PlacedAssertion } from "./read-assertions.ts";
import { renderTemplate } from "./render-template.ts";

/** One test with the defaults and the scenario's data merged in and its lists of values multiplied out. */
export interface ExpandedTest {
  readonly test: JsonRecord;
  readonly vars: JsonRecord;
  readonly assertions: readonly PlacedAssertion[];
  readonly metadata: JsonRecord;
  readonly context: ItemContext;
  /** Tests of different scenarios never share a conversation by themselves. */
  readonly isolation: string;
}

const mostCombinations = 1000;

/** All tests of a config: `tests`, and every set of `scenarios[].config` with each of its tests. */
export function expandTests(config: JsonRecord, context: ItemContext): ExpandedTest[] {
  const defaults = {
    value: recordField(config, "defaultTest", "default_test") ?? {},
    context: below(context, "defaultTest"),
  };
  if (typeof config["defaultTest"] === "string") note(below(context, "defaultTest"), config["defaultTest"]);
  const plain = listOf(config["tests"], below(context, "tests")).flatMap(({ value, context: at }) =>
    expand([defaults, { value, context: at }], "tests"),
  );
  const scenarios = listOf(config["scenarios"], below(context, "scenarios")).flatMap(
    ({ value, context: at }, index) => {
      const sets = listOf(field(value, "config"), below(at, "config"));
      const tests = listOf(field(value, "tests"), below(at, "tests"));
      return sets.flatMap((set, number) =>
        (tests.length > 0 ? tests : [{ value: {}, context: at }]).flatMap((test) =>
          expand([defaults, set, test], `scenario-${index + 1}-${number + 1}`),
        ),
      );
    },
  );
  return [...plain, ...scenarios];
}

/** What says something about a test: the defaults, a scenario's data, the test itself. */
interface Layer {
  readonly value: JsonRecord;
  readonly context: ItemContext;
}

function listOf(value: unknown, context: ItemContext): Layer[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    note(context, value);
    return [];
  }
  return value.flatMap((entry: unknown, index) => {
    const at = below(context, index);
    if (isRecord(entry) && !("path" in entry) && !("$values" in entry)) return [{ value: entry, context: at }];
    note(at, entry);
    return [];
  });
}

function note({ collector, place }: ItemContext, value: unknown): void {
  const name = textField(value, "path", "$values") ?? (typeof value === "string" ? value : JSON.stringify(value));
  collector.note("dropped", place, `this is in another place (${name}); import that file by itself`);
}

function expand(layers: readonly Layer[], isolation: string): ExpandedTest[] {
  const merged = (name: string): JsonRecord =>
    Object.assign({}, ...layers.map(({ value }) => recordField(value, name) ?? {})) as JsonRecord;
  const last = layers.at(-1);
  if (!last) return [];
  const { value: test, context } = last;
  const assertions = layers.flatMap((layer) => placedAssertions(listField(layer.value, "assert"), layer.context));
  const options = merged("options");
  const vars = merged("vars");
  if (typeof field(test, "vars") === "string") note(below(context, "vars"), test["vars"]);
  const external = Object.keys(vars).filter((name) => isExternal(vars[name]));
  if (external.length > 0) {
    const message = `the test takes ${external.join(", ")} from another file; it was left out`;
    context.collector.note("dropped", context.place, message);
    return [];
  }
  const sets = options["disableVarExpansion"] === true ? [vars] : combinations(vars, context);
  return sets.map((set) => ({ test, vars: filled(set), assertions, metadata: merged("metadata"), context, isolation }));
}

/** Variables may use one another; what we cannot fill in stays as it is written. */
function filled(vars: JsonRecord): JsonRecord {
  const fill = (value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const { text, unknown } = renderTemplate(value, vars);
    return unknown.length > 0 ? value : text;
  };
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, fill(value)]));
}

/** promptfoo runs a test once for each value of a variable that is a list of texts. */
function combinations(vars: JsonRecord, context: ItemContext): JsonRecord[] {
  let sets: JsonRecord[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values = Array.isArray(value) && typeof value[0] === "string" ? (value as unknown[]) : [value];
    sets = sets.flatMap((set) => values.map((entry) => ({ ...set, [name]: entry })));
    if (sets.length > mostCombinations) {
      context.collector.note(
        "dropped",
        context.place,
        `the test has ${sets.length} combinations of values; ${mostCombinations} were kept`,
      );
      sets = sets.slice(0, mostCombinations);
    }
  }
  return sets;
}
