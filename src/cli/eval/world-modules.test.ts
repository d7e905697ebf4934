import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { World } from "../../contract/schemas/acting/world.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { EvalSettings } from "./eval-settings.ts";
import { loadWorlds } from "./world-modules.ts";

const tools = [{ name: "read", description: "", parameters: { type: "object" }, answers: [{}] }];

async function load(worlds: readonly (World | undefined)[], ofRun?: World) {
  const scenarios = worlds.map((world, index) => ({ id: `s${index}`, interactions: [], ...(world && { world }) }));
  const config = ofRun ? { world: ofRun } : {};
  const given = { scenarios: scenarios as unknown as FileScenario[], settings: { config } as EvalSettings };
  const loaded = await loadWorlds(given, {});
  return { ofScenarios: loaded.scenarios.map(({ world }) => world), ofRun: loaded.settings.config.world };
}

test("a world that all scenarios have becomes that of the run, if its state comes from a file", async () => {
  await using folder = await temporaryFolder();
  const state_file = folder.file("state.json");
  await writeFile(state_file, '{"count":1}');
  const named: World = { state_file, tools };
  const read: World = { state: { count: 1 }, tools };

  expect(await load([named, { ...named }])).toEqual({ ofScenarios: [undefined, undefined], ofRun: read });
  expect(await load([named, undefined])).toEqual({ ofScenarios: [read, undefined], ofRun: undefined });
  expect(await load([read, read])).toEqual({ ofScenarios: [read, read], ofRun: undefined });
  const other: World = { tools };
  expect(await load([named, named], other)).toEqual({ ofScenarios: [read, read], ofRun: other });
  const differing = await load([named, { ...named, max_steps: 3 }]);
  expect(differing).toEqual({ ofScenarios: [read, { ...read, max_steps: 3 }], ofRun: undefined });
  expect(differing.ofScenarios[0]?.state).toBe(differing.ofScenarios[1]?.state);
});
