import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { openSqlite } from "../storage/drivers/open-sqlite.ts";
import { ScenarioInput } from "../contract/schemas/scenario.ts";
import { createScenarioLibrary } from "./scenario-library.ts";
import { numberedScenario } from "../../test/support/run-bench.ts";

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

test("says before storing which scenarios are new, replaced or unchanged, and what a replaced one loses", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const library = createScenarioLibrary(storage.library);
  const full = ScenarioInput.parse({
    id: "refund",
    description: "Pays back once",
    tags: ["money"],
    system_prompt: "Be kind.",
    interactions: [
      { id: "1", user_message: "Hi", reference_reply: "Hello." },
      { id: "2", user_message: "Refund 8", checks: [{ type: "contains", text: "refund" }] },
      { id: "3", user_message: "Thanks", checks: [{ type: "contains", text: "welcome" }] },
    ],
  });
  await library.keep([full]);
  // Defaults that are written out change nothing.
  const same = { ...full, interactions: full.interactions.map((turn) => ({ ...turn })) };
  const poor = {
    id: "refund",
    interactions: [
      { id: "1", user_message: "Hi" },
      { id: "2", user_message: "Refund 8" },
    ],
  };
  expect(await library.preview([same])).toEqual([{ id: "refund", state: "unchanged" }]);
  expect(await library.preview([ScenarioInput.parse(poor), ScenarioInput.parse({ ...poor, id: "other" })])).toEqual([
    {
      id: "refund",
      state: "replaced",
      loses: ["description", "system_prompt", "tags", "reference_reply of 1 turn", "checks of 1 turn", "1 turn"],
    },
    { id: "other", state: "new" },
  ]);
  expect(await library.versions("refund")).toHaveLength(1);
});
