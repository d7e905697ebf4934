import { Command } from "commander";
import { expect, test } from "vitest";
import { z } from "zod";
import { keysOf } from "./config/config.ts";
import { withOptions } from "./eval/eval-settings.ts";
import {
  evalOptions,
  repeatedWords,
  resumeWords,
  withEvalOptions,
  type EvalOptionTable,
} from "./options/eval-options.ts";
import { commandSection, createProgram, declareOnce } from "./program.ts";

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

test("an option of eval is one entry of the table", () => {
  const table: EvalOptionTable = {
    ...evalOptions,
    tone: {
      group: "Output",
      flags: "--tone <name>",
      help: "tone of the report",
      repeat: "always",
      key: { name: "tone", help: "Tone of the report.", schema: ({ text }) => text },
    },
    pitch: { group: "Output", flags: "--pitch <name>", help: "pitch of the report", isRare: true, repeat: "resume" },
  };
  const command = withEvalOptions(new Command("eval"), "files", table);
  expect(command.helpInformation()).toContain("--tone <name>");
  expect(command.helpInformation()).not.toContain("--pitch");
  const page = commandSection("eval", command);
  expect(page).toContain("tone of the report");
  expect(page).toContain("- `--pitch <name>`: pitch of the report");

  const typed = command.parse(["--tone", "dry", "--pitch", "low"], { from: "user" }).opts();
  expect(repeatedWords(["a.yaml"], typed, table)).toEqual(["a.yaml", "--tone", "dry"]);
  expect(resumeWords(typed, table)).toEqual(["--tone", "dry", "--pitch", "low"]);

  const schema = z.strictObject(keysOf(table));
  expect(schema.parse({ tone: "warm" })).toEqual({ tone: "warm" });
  expect(schema.safeParse({ tone: "" }).success).toBe(false);
  expect(z.toJSONSchema(schema)).toMatchObject({ properties: { tone: { description: "Tone of the report." } } });
  expect(withOptions({}, typed, table)).toEqual({ tone: "dry" });
});
