import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readCustomScorers } from "./read-custom-scorers.ts";
import { readRunner } from "./read-runner.ts";

const modules = [
  ["AGENT_RUNNER", readRunner],
  ["REHEARSAL_SCORERS_MODULE", (path: string) => readCustomScorers(path, { scrub: String })],
] as const;

test.each(modules)("%s that cannot be loaded says why", async (name, read) => {
  await using folder = await temporaryFolder();
  const file = folder.file("module.mjs");
  await writeFile(file, 'import "a-package-that-is-not-there";\nexport default async () => "Hi";\n');
  await expect(read(file)).rejects.toThrow(`${name} names ${file}, which cannot be loaded: `);
  await expect(read(file)).rejects.toThrow(/a-package-that-is-not-there/);
});

test.each(modules)("%s that is not there is told in words", async (name, read) => {
  await using folder = await temporaryFolder();
  const missing = folder.file("missing.mjs");
  await expect(read(missing)).rejects.toThrow(`${name} names ${missing}, which does not exist`);
});
