import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test.each(["request", "result", "scenario", "config"])("the %s schema is JSON Schema", async (name) => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runCli(["schema", name], { cwd: folder.path });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveProperty("$schema", "https://json-schema.org/draft/2020-12/schema");
});
