import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../src/cli/config/parse-config.ts";
import { commandReference } from "../../src/cli/reference/command-reference.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { main } from "./run-cli.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const guides = ["start", "ci", "agent", "migrate-from-promptfoo", "migrate-from-openai-evals", "scale"] as const;
const every = [...guides, "concepts", "mcp", "cli"] as const;
const read = (guide: string): string => readFileSync(join(root, "docs", `${guide}.md`), "utf8");
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map((match) => match[1] ?? "");

test("docs/cli.md is the help of the commands", async () => {
  expect(read("cli")).toBe(await commandReference());
});

/** A folder with `rehearsal` on the path, the starter files, and the files the guides speak of. */
async function prepared() {
  const folder = await temporaryFolder();
  const tools = folder.file("bin");
  mkdirSync(tools);
  const launcher = join(tools, "rehearsal");
  writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(tools, "node"));
  const fixtures = join(root, "src/formats/fixtures");
  cpSync(join(fixtures, "promptfooconfig.yaml"), folder.file("promptfooconfig.yaml"));
  cpSync(join(fixtures, "openai-evals-samples.jsonl"), folder.file("openai-evals.jsonl"));
  const env = { PATH: `${tools}:${process.env["PATH"] ?? ""}` };
  return { folder, sh: (line: string) => run("sh", ["-ec", line], { cwd: folder.path, env }) };
}

test.each(guides)("every shell line of docs/%s.md does what it says", { timeout: 120_000 }, async (guide) => {
  const { folder, sh } = await prepared();
  await using _ = folder;
  if (guide !== "start") await sh("rehearsal init --yes");
  const lines = blocks(read(guide), "sh");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) await expect(sh(line)).resolves.toHaveProperty("stdout");
});

test.each(every)("every link in docs/%s.md leads somewhere", (guide) => {
  const targets = [...read(guide).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
  expect(targets.filter((target) => !existsSync(join(dirname(join(root, "docs", guide)), target)))).toEqual([]);
});

test("the configuration and the workflow that are shown can be read", () => {
  for (const text of blocks(read("start"), "yaml")) expect(parseConfig(text, { file: "start.md" })).toBeDefined();
  for (const text of blocks(read("ci"), "yaml")) expect(parse(text)).toHaveProperty("jobs");
  for (const text of blocks(read("mcp"), "json")) expect(JSON.parse(text)).toHaveProperty("mcpServers");
});
