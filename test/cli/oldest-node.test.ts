import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commandLine } from "../support/command-line.ts";
import { oldestNode, oldestVersion } from "../support/oldest-node.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as {
  engines: { node: string };
};

test(`the bundle evaluates, stores, compares and backs up on Node ${oldestVersion}`, async (context) => {
  expect(manifest.engines.node).toBe(`>=${oldestVersion.replace(/\.0$/, "")}`);
  const node = oldestNode();
  if (node === null)
    return context.skip(`Node ${oldestVersion} could not be installed: is the npm registry reachable?`);
  await using folder = await temporaryFolder();
  const cli = (...parameters: string[]) => run(node, [commandLine, ...parameters], { cwd: folder.path });
  const turn = { id: "1", user_message: "Hello", checks: [{ type: "contains", text: "You said Hello" }] };
  await writeFile(folder.file("scenario.json"), JSON.stringify({ id: "greeting", interactions: [turn] }));
  const agent = `export async function reply(messages: { content: string }[]) { return "You said " + messages.at(-1)!.content; }`;
  await writeFile(folder.file("agent.mts"), agent);

  const first = await cli("eval", "scenario.json", "--target", "./agent.mts", "--json");
  expect(JSON.parse(first.stdout)).toMatchObject({ passed: true, runs: [{ summary: { scenarios: { passing: 1 } } }] });
  expect(first.stderr).not.toContain("ExperimentalWarning");
  await cli("eval", "scenario.json", "--target", "./agent.mts");
  expect((await cli("compare", "latest~1")).stdout).toContain("contains");
  await cli("store", "backup", "copy.db");
  const copied = await cli("runs", "list", "--json", "--data-dir", join(folder.path, ".rehearsal"));
  expect(JSON.parse(copied.stdout).runs).toHaveLength(2);
});
