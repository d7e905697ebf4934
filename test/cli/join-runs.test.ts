import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { joinRuns } from "../../src/cli/sources/join-runs.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

const scenarios = [
  { id: "reply", interactions: [{ id: "1", user_message: "Hi", checks: [{ type: "contains", text: "e" }] }] },
  { id: "no-reply", interactions: [{ id: "1", user_message: "Hello", checks: [{ type: "contains", text: "§" }] }] },
  {
    id: "reference",
    tags: ["hours"],
    interactions: [
      { id: "1", user_message: "When?", reference_reply: "Every day from 9 to 5.", reference_metadata: { opens: 9.5 } },
    ],
  },
];
const config = {
  targets: { desk: { module: "./desk.mjs" } },
  target: "desk",
  label_rules: { opens: { tolerance: 1 } },
};
const desk = `export const reply = (messages) => ({ text: "Hello, at 9.", tool_calls: [], labels: { opens: 9 } });\n`;

/** A run of one scenario, or of all. */
async function evaluate(folder: TemporaryFolder, id = "*", name = "support"): Promise<EvaluationResponse> {
  await writeFile(folder.file("scenarios.json"), JSON.stringify(scenarios));
  await writeFile(folder.file("desk.mjs"), desk);
  await writeFile(folder.file("rehearsal.json"), JSON.stringify(config));
  const options = ["--config", "rehearsal.json", "-a", "2", "--name", name, "--filter", id, "--json", "--no-gate"];
  const { stdout } = await runCli(["eval", "scenarios.json", ...options], { cwd: folder.path });
  return (JSON.parse(stdout) as { runs: [EvaluationResponse] }).runs[0];
}

/** Without times, and without spreads of times. */
function timeless({ summary, results }: EvaluationResponse): unknown {
  const withoutTimes = (name: string, value: unknown) =>
    /latency|first_token|_seconds$/.test(name) ? undefined : value;
  return JSON.parse(JSON.stringify({ summary, results }, withoutTimes));
}

test("runs of different scenarios are summarized as one run of all of them is", async () => {
  await using folder = await temporaryFolder();
  const whole = await evaluate(folder);
  const parts: EvaluationResponse[] = [];
  for (const { id } of scenarios) parts.push(await evaluate(folder, id));
  expect(whole.summary).toMatchObject({
    breakdown: { tag: { hours: { n: 2 } } },
    label_metrics: { opens: { accuracy: 1 } },
  });
  expect(timeless(joinRuns(parts, "results.json"))).toEqual(timeless(whole));

  await writeFile(folder.file("whole.json"), JSON.stringify(whole));
  await writeFile(folder.file("parts.json"), JSON.stringify({ runs: parts }));
  const compared = await runCli(["compare", "whole.json", "parts.json", "--json"], { cwd: folder.path });
  expect(JSON.parse(compared.stdout)).toMatchObject({ comparable: true, verdict: "same" });
  await runCli(["runs", "export", "./parts.json", "-o", "joined.json"], { cwd: folder.path });
  expect(timeless(JSON.parse(await readFile(folder.file("joined.json"), "utf8")) as EvaluationResponse)).toMatchObject({
    summary: { scenarios: { total: 3 } },
  });
});

test("runs that have no common figures are not joined", async () => {
  await using folder = await temporaryFolder();
  const one = await evaluate(folder, "reply");
  const other = await evaluate(folder, "reference", "another test");
  expect(() => joinRuns([one, one], "r.json")).toThrow("holds 2 runs: rehearsal eval -o results.json writes a file");
  expect(() => joinRuns([one, one], "r.json")).toThrow('several have the scenario "reply"');
  expect(() => joinRuns([one, other], "r.json")).toThrow("they are of several tests");
  expect(() => joinRuns([one, { ...other, test_name: "support", scoring_version: "1" }], "r.json")).toThrow(
    "scored in different ways",
  );
});
