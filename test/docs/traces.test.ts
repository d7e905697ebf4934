import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parseConfigText } from "../../src/cli/config/parse-config.ts";
import { runCli } from "../cli/run-cli.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { codeBlocks, shellBlocks } from "./markdown.ts";

const page = "docs/traces.md";
const run = promisify(execFile);

test("the walk of docs/traces.md leads from a bad reply to a gate", async () => {
  await using services = await runServices();
  await using folder = await temporaryFolder();
  const lines = shellBlocks(page).run.flatMap((block) => block.trim().split("\n"));
  const ended: { line: string; code: number | null; output: string }[] = [];
  for (const line of lines) {
    const here = line.replaceAll("http://127.0.0.1:8000", services.agent).replace(/ \|\| test .*/, "");
    const words = Array.from(here.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, bare]) => quoted ?? bare ?? "");
    const [program, ...parameters] = words;
    if (program === "rehearsal") {
      const { code, stdout, stderr } = await runCli(parameters, { cwd: folder.path });
      ended.push({ line, code, output: stdout + stderr });
    } else {
      const { stdout } = await run("sh", ["-ec", here], { cwd: folder.path });
      ended.push({ line, code: 0, output: stdout });
    }
  }
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 1, 0]);
  expect(ended[0]?.output).toContain("within 14 days");
  expect(ended[1]?.output).toContain("ticket-4711");
  expect(readFileSync(folder.file("returns.yaml"), "utf8")).toContain("30 days");
});

test("the rules for redaction that it shows can be read", () => {
  const [shown] = codeBlocks(page).filter(({ language }) => language === "yaml");
  expect(parseConfigText(shown?.text ?? "", { file: "shown.yaml" }).redact).toHaveLength(4);
});
