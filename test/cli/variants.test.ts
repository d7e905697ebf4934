import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after, type Behaviour } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { folderWith } from "./eval-files.ts";
import { runCli, spawnCli } from "./run-cli.ts";

const suite = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      metadata: { product: `lamp ${index}` },
      interactions: [{ id: "1", user_message: `question ${index}`, checks: [{ type: "contains", text: "yes" }] }],
    })),
  );

/** Right where the system prompt says so. */
const obedient: Behaviour = (call) => text(JSON.stringify(call.request.body).includes("Be right") ? "yes" : "no")(call);

test("prompts from files and options run side by side, and the table tells them apart", async () => {
  await using folder = await folderWith({ "suite.json": suite(12), "wrong.txt": "Be wrong about the {{product}}." });
  await using provider = await startFakeProvider({ behaviour: obedient });
  const cwd = folder.path;
  const command = ["eval", "suite.json", "--endpoint", provider.url, "-m", "m"];
  const variants = ["--variant", "wrong:system=@wrong.txt", "--variant", "right:system=Be right."];
  const { code, stdout } = await runCli([...command, ...variants, "--no-gate"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("right ranks first on overall");
  expect(stdout).toMatch(/SCENARIO +wrong +right\ns0 +0\.\d+ +1\.000/);
  expect(stdout).toMatch(/ {2}wrong: no\n {2}right: yes/);
  expect(JSON.stringify(provider.requests.map(({ body }) => body))).toContain("Be wrong about the lamp 7.");

  const third = ["--variant", "third:system=Be right.", "--variant", "third:temperature=0.5"];
  const joined = await runCli([...command, ...variants, ...third, "--experiment", "latest", "--json", "--no-gate"], {
    cwd,
  });
  expect(provider.requests).toHaveLength(24 + 12);
  const { experiment, runs } = JSON.parse(joined.stdout);
  expect(runs).toHaveLength(3);
  expect(experiment.variants.map(({ reused }: { reused: number }) => reused)).toEqual([12, 12, 0]);
  const markdown = await runCli(["experiment", experiment.experiment_id, "--markdown"], { cwd });
  expect(markdown.stdout).toContain("24 of 36 replies are from earlier runs");

  const bad = await runCli([...command, "--variant", "a:modle=x"], { cwd });
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('no key "modle": did you mean model?') });
});

test("variants of the configuration are compared until it is decided, and are exit codes", async () => {
  await using folder = await folderWith({ "suite.json": suite(80) });
  await using provider = await startFakeProvider({ behaviour: obedient });
  const cwd = folder.path;
  const config = `scenarios: suite.json
endpoint: ${provider.url}
model: m
variants:
  a: { system_prompt: Be wrong. }
  b: { system_prompt: Be right. }
  c: { system_prompt: Be odd. }
`;
  await writeFile(folder.file("rehearsal.yaml"), config);
  const decided = await runCli(["eval", "--until-decided", "--seed", "1"], { cwd });
  expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining("b is the only one that no other") });
  expect(decided.stdout).toContain("dropped");
  expect(provider.requests.length).toBeLessThan(160);
  const plan = await runCli(["eval", "--dry-run", "--json"], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({ calls: 240, runs: [{ variants: 3 }] });
  const worse = `${config
    .replace("Be wrong.", "Be right")
    .replace("Be right.", "Be wrong.")
    .replace(/ {2}c:.*\n/, "")}`;
  await writeFile(folder.file("rehearsal.yaml"), worse);
  expect(await runCli(["eval", "--not-worse-by", "0.05"], { cwd })).toMatchObject({ code: 1 });
});

test("an experiment that was killed is resumed with all of its variants, and asks no question twice", async () => {
  await using folder = await folderWith({ "suite.json": suite(30) });
  await using provider = await startFakeProvider({ behaviour: after(60, obedient) });
  const cwd = folder.path;
  const variants = ["--variant", "wrong:system=Be wrong.", "--variant", "right:system=Be right."];
  const first = await spawnCli(
    ["eval", "suite.json", "--endpoint", provider.url, "-m", "m", "-j", "2", ...variants, "--no-gate"],
    {
      cwd,
      onStderr: (seen, kill) => {
        if (/\b[4-9]\/30 turns/.test(seen)) kill("SIGKILL");
      },
    },
  );
  const [, id = ""] = /run ([0-9a-f-]{36})/.exec(first.stderr) ?? [];
  const before = provider.requests.length;
  expect(before).toBeLessThan(60);
  const second = await runCli(["eval", "--resume", id, "--json", "--no-gate"], { cwd });
  const { experiment, runs } = JSON.parse(second.stdout);
  expect(runs.map(({ state }: { state: string }) => state)).toEqual(["completed", "completed"]);
  expect(experiment).toMatchObject({ state: "completed", best: "right", scenarios: 30 });
  // Only the calls in flight may be made again.
  expect(provider.requests.length).toBeLessThanOrEqual(62);
});
