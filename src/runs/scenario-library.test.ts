import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { openSqlite } from "../storage/drivers/open-sqlite.ts";
import { ScenarioInput } from "../contract/schemas/scenario.ts";
import { createScenarioLibrary } from "./scenario-library.ts";
import { numberedScenario } from "./testing/run-bench.ts";

test("yields to the event loop while many scenarios are stored", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const library = createScenarioLibrary(storage.library);
  const inputs = Array.from({ length: 1_000 }, (_, index) => ({
    ...ScenarioInput.parse(numberedScenario("s", 1)),
    id: `s${index}`,
  }));
  let done = false;
  let turns = 0;
  const keeping = library.keep(inputs).finally(() => (done = true));
  while (!done) {
    await setImmediate();
    turns++;
  }
  expect(turns).toBeGreaterThan(8);
  expect((await keeping).map(({ id }) => id)).toEqual(inputs.map(({ id }) => id));
  const again = await library.keep(inputs.slice(0, 2).map((input) => ({ ...input, description: "in other words" })));
  expect(again.map(({ duplicate_of }) => duplicate_of)).toEqual(["s1", "s0"]);
});
