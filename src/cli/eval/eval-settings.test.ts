import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readEvalSettings } from "./eval-settings.ts";

test("--data-dir outranks a configured server", async () => {
  await using folder = await temporaryFolder();
  const config = folder.file("rehearsal.yaml");
  await writeFile(config, "scenarios: a.yaml\nserver: http://127.0.0.1:9\n");
  expect(await readEvalSettings([], { config })).toMatchObject({
    config: { server: "http://127.0.0.1:9" },
    namedIn: config,
  });
  expect((await readEvalSettings([], { config, dataDir: folder.path })).config.server).toBeUndefined();
  expect((await readEvalSettings(["b.yaml"], { config })).namedIn).toBeUndefined();
});
