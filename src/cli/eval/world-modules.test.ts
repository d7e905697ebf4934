import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { World } from "../../contract/schemas/acting/world.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { EvalSettings } from "./eval-settings.ts";
import { loadWorlds } from "./world-modules.ts";

const tools = [{ name: "read", description: "", parameters: { type: "object" }, answers: [{}] }];

async function load(
  worlds: readonly (World | undefined)[],
  { ofRun, server }: { ofRun?: World; server?: string } = {},
) {
  const scenarios = worlds.map((world, index) => ({ id: `s${index}`, interactions: [], ...(world && { world }) }));
  const config = ofRun ? { world: ofRun } : {};
  const given = { scenarios: scenarios as unknown as FileScenario[], settings: { config } as EvalSettings };
  const loaded = await loadWorlds(given, server === undefined ? {} : { server });
  return { ofScenarios: loaded.scenarios.map(({ world }) => world), ofRun: loaded.settings.config.world };
}

test("a world that all scenarios have is sent once, if its state comes from a file", async () => {
  await using folder = await temporaryFolder();
  const state_file = folder.file("state.json");
  await writeFile(state_file, '{"count":1}');
  const named: World = { state_file, tools };
  const read: World = { state: { count: 1 }, tools };
  const server = "http://127.0.0.1:9";

  expect(await load([named, { ...named }], { server })).toEqual({ ofScenarios: [undefined, undefined], ofRun: read });
  expect(await load([named, undefined], { server })).toEqual({ ofScenarios: [read, undefined], ofRun: undefined });
  expect(await load([read, read], { server })).toEqual({ ofScenarios: [read, read], ofRun: undefined });
  const other: World = { tools };
  expect(await load([named, named], { server, ofRun: other })).toEqual({ ofScenarios: [read, read], ofRun: other });
  expect(await load([named, { ...named }])).toEqual({ ofScenarios: [read, read], ofRun: undefined });
});

test("worlds whose files have one content share one state", async () => {
  await using folder = await temporaryFolder();
  const files = ["state.json", "copy.json", "state.yaml"].map((name) => folder.file(name));
  for (const file of files) await writeFile(file, '{"count":1}');
  const { ofScenarios } = await load([
    { state_file: files[0]!, tools },
    { state_file: files[0]!, tools, max_steps: 3 },
    { state_file: files[1]!, tools },
    { state_file: files[2]!, tools },
  ]);
  const [state, named, copied, yaml] = ofScenarios.map((world) => world?.state);
  expect(named).toBe(state);
  expect(copied).toBe(state);
  expect(yaml).toEqual(state);
});
