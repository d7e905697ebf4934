import { expect, test } from "vitest";
import { sampleRun, sampleScenario } from "../../../test/conformance/sample-runs.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { noDispatch, type Database } from "../tables/database.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { storeRun } from "./create-run.ts";
import { noCarriers } from "./run-holds.ts";
import { resummarizeRun } from "./run-lifecycle.ts";
import { scenariosAt, scenariosOfRun } from "./runs.ts";

const megabyte = 1024 * 1024;
const large = (): World["state"] => ({ rows: [{ id: 1, text: "x".repeat(5 * megabyte) }] });

/** Scenarios whose worlds differ in more than the state. */
function scenariosWith(states: readonly World["state"][], world: Partial<World> = {}): Scenario[] {
  return states.map((state, index) => ({
    ...sampleScenario(`s${index}`),
    world: { state, tools: [{ name: `look${index}`, description: "", parameters: {} }], ...world },
  }));
}

async function stored(scenarios: readonly Scenario[]) {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const run = sampleRun({ scenarios });
  await database.write((writer) => storeRun(writer, run, { dispatch: noDispatch, carriers: noCarriers }));
  return { database, id: run.id, [Symbol.asyncDispose]: () => database.close() };
}

async function texts({ reader }: Database): Promise<{ definitions: string[]; states: string[] }> {
  const definitions = await reader.selectFrom("run_scenario").orderBy("scenario_index").select("definition").execute();
  const states = await reader.selectFrom("run_state").select("state").execute();
  return { definitions: definitions.map(({ definition }) => definition), states: states.map(({ state }) => state) };
}

test("a large state that several worlds have is stored once, and read as one frozen object", async () => {
  const scenarios = scenariosWith([large(), large(), { small: true }, large()], { module: "./tools.js" });
  await using run = await stored(scenarios);

  const { definitions, states } = await texts(run.database);
  expect(states).toHaveLength(1);
  expect(definitions.join("").length).toBeLessThan(10_000);
  const read = await scenariosOfRun(run.database, run.id);
  expect(read).toEqual(scenarios);
  const [first, second, third, last] = read.map(({ world }) => world?.state as { rows: object[] });
  expect(first).toBe(second);
  expect(first).toBe(last);
  expect(third).not.toBe(first);
  expect(Object.isFrozen(first?.rows[0])).toBe(true);
  expect((await scenariosAt(run.database.reader, run.id, [3]))[0]?.world?.state).toBe(first);
});

test("the version before finds a module that does not exist where it would miss the state", async () => {
  await using run = await stored(scenariosWith([large(), large(), large()]));
  const { definitions } = await texts(run.database);
  for (const text of definitions) {
    expect((JSON.parse(text) as Scenario).world?.module).toMatch(/stored apart.*0\.3\.0/);
  }
});

test("a request over HTTP brings no states that are stored apart", async () => {
  await using run = await stored(scenariosWith([large(), large()]));
  expect((await texts(run.database)).states).toEqual([]);
});

test("a scenario that is rewritten keeps its state where it is", async () => {
  const scenarios = scenariosWith([large(), large(), large()]);
  await using run = await stored(scenarios);
  const changed = { ...scenarios[1]!, expect: { said: ["done"] } };
  await run.database.write(async (writer) => {
    await writer.updateTable("run").set({ state: "completed" }).execute();
    const summary = {} as Parameters<typeof resummarizeRun>[2]["summary"];
    const figures = { summary, totals: [], message: "", scenarios: [{ index: 1, scenario: changed }] };
    expect(await resummarizeRun(writer, run.id, figures)).toBe(true);
  });
  expect((await texts(run.database)).definitions.join("").length).toBeLessThan(10_000);
  expect(await scenariosOfRun(run.database, run.id)).toEqual([scenarios[0], changed, scenarios[2]]);
});
