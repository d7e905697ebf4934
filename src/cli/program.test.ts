import { expect, test } from "vitest";
import { createProgram, declareOnce } from "./program.ts";

async function helpOf(name: string, columns: number): Promise<string> {
  const command = createProgram()
    .commands.flatMap((family) => family.commands)
    .find((candidate) => candidate.name() === name);
  if (!command) throw new Error(`no command ${name}`);
  await declareOnce(command);
  return command.configureOutput({ getOutHelpWidth: () => columns }).helpInformation();
}

test("prints help in two columns, and descriptions below their options on a narrow terminal", async () => {
  expect(await helpOf("list", 80)).toMatch(/^ {2}--name <name> {9}only runs of this test$/m);
  const narrow = await helpOf("list", 40);
  expect(narrow).toContain("  --name <name>\n      only runs of this test\n");
  for (const line of narrow.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
});
