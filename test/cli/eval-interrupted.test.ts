import { readdir, readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { text } from "../support/fake-provider/replies.ts";
import { runServices } from "../support/services.ts";
import { folderWith, hello } from "./eval-files.ts";
import { runCli, spawnCli } from "./run-cli.ts";

test("Ctrl-C keeps finished turns and prints the command that resumes the run", async () => {
  const interactions = Array.from({ length: 8 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await using folder = await folderWith({ "long.json": JSON.stringify({ id: "long", interactions }) });
  await using provider = await startFakeProvider({ behaviour: after(250, text("Yes")) });
  const cwd = folder.path;
  let interrupted = false;
  const first = await spawnCli(["eval", "long.json", "--endpoint", provider.url, "-m", "m"], {
    cwd,
    onStderr: (seen, kill) => {
      if (interrupted || !seen.includes("2/8 turns")) return;
      interrupted = true;
      kill("SIGINT");
    },
  });
  expect(first.code).toBe(130);
  const resume = /main\.js eval (--resume [0-9a-f-]{36})/.exec(first.stderr)?.[1]?.split(" ") ?? [];
  const before = provider.requests.length;
  expect(before).toBeLessThan(8);

  // With any other option, stdout holds only the document.
  const second = await runCli(["eval", ...resume, "--no-gate", "--json", "--reporter", "tty"], { cwd });
  expect(second.code).toBe(0);
  const [run] = JSON.parse(second.stdout).runs;
  expect(run).toMatchObject({ state: "completed", run_id: resume[1], summary: { interactions: 8, failed: 0 } });
  // Only the call in flight at the interruption may be made again.
  expect(provider.requests.length).toBeLessThanOrEqual(9);
});

test("a resumed run keeps the configured concurrency, and the printed command names it", async () => {
  const scenarios = Array.from({ length: 12 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: "Hello" }],
  }));
  const config = JSON.stringify({ scenarios: "all.json", model: "m", concurrency: 1 });
  await using folder = await folderWith({ "all.json": JSON.stringify(scenarios), "rehearsal.json": config });
  const slow = after(100, text("Yes"));
  let atOnce = 0;
  let most = 0;
  await using provider = await startFakeProvider({
    async behaviour(call) {
      most = Math.max(most, ++atOnce);
      await slow(call);
      atOnce -= 1;
    },
  });
  const cwd = folder.path;
  let interrupted = false;
  const where = ["--data-dir", "my runs"];
  const first = await spawnCli(["eval", "--endpoint", provider.url, ...where], {
    cwd,
    onStderr: (seen, kill) => {
      if (interrupted || !seen.includes("/12 turns")) return;
      interrupted = true;
      kill("SIGINT");
    },
  });
  expect(first.code).toBe(130);
  expect(first.stderr).toMatch(/ \S*node \S+main\.js eval --resume \S+ --concurrency 1 --data-dir "my runs"$/m);
  const { code, stderr } = await runCli(["eval", "all.json", "--resume", "latest", "-m", "n", ...where], { cwd });
  // Nothing in it expects anything.
  expect({ code, most }).toEqual({ code: 6, most: 1 });
  expect(stderr).toContain("The run keeps its original settings. Ignored: all.json, --model.\n");
  expect(provider.requests.length).toBeGreaterThanOrEqual(12);
});

test("Ctrl-C in the second of three runs keeps the results of the first and names the third", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes"), models: { slow: hang } });
  const models = ["-m", "quick", "-m", "slow", "-m", "never"];
  const ended = await spawnCli(["eval", "hello.json", "--endpoint", provider.url, ...models, "-o", "out.json"], {
    cwd: folder.path,
    interruptAt: vi.waitUntil(() => provider.requests.length === 2, { timeout: 30_000 }),
  });
  expect(ended.code).toBe(130);
  expect(ended.stderr).toMatch(/ \S*node \S+main\.js eval --resume \S+ --output out\.json\nNot started: never\n$/);
  expect(await readdir(folder.path)).toEqual([".rehearsal", "hello.json", "out-1.json"]);
  expect(JSON.parse(await readFile(folder.file("out-1.json"), "utf8"))).toMatchObject({ model_id: "quick" });
});

/** A service on the same store works through what waits there, a new run of its own included. Its agent is offered to repeat others. */
async function workElsewhere(store: string): Promise<void> {
  await using services = await runServices({ REHEARSAL_DATA_DIR: store });
  const { runs } = await (await fetch(`${services.evaluation}/runs`)).json();
  const again = await fetch(`${services.evaluation}/runs/${runs[0].run_id}/request`);
  expect(await again.json()).toMatchObject({ endpoint: services.agent, protocol: "agent" });
  const test_batch = { id: "own", interactions: [{ id: "1", user_message: "Hello" }] };
  await fetch(`${services.evaluation}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ test_batch, endpoint: `${services.agent}/demo/v1`, model_id: "demo/retrieval" }),
  });
}

test("an interrupted run against the own agent backend is resumed only by a command that starts that backend", async () => {
  const scenarios = Array.from({ length: 60 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `What is ${index} * 3?` }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  const cwd = folder.path;
  let interrupted = false;
  const first = await spawnCli(["eval", "all.jsonl", "-m", "demo/scripted", "-j", "1", "--name", "interrupted"], {
    cwd,
    onStderr: (seen, kill) => {
      if (interrupted || !seen.includes(" turns")) return;
      interrupted = true;
      kill("SIGINT");
    },
  });
  expect(first.code).toBe(130);
  await workElsewhere(folder.file(".rehearsal"));
  const second = await runCli(["eval", "--resume", "interrupted", "--no-gate", "--json"], { cwd });
  expect(second.code).toBe(0);
  expect(JSON.parse(second.stdout).runs[0]).toMatchObject({
    state: "completed",
    summary: { interactions: 60, failed: 0 },
  });
});

test("the run of a killed command is listed as interrupted, with the command that resumes it", async () => {
  const scenarios = Array.from({ length: 60 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `What is ${index} * 3?` }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  const cwd = folder.path;
  const list = async () => JSON.parse((await runCli(["runs", "list", "--json"], { cwd })).stdout).runs[0];
  let atWork: Promise<unknown> | null = null;
  const killed = await spawnCli(["eval", "all.jsonl", "-m", "demo/scripted", "-j", "1"], {
    cwd,
    onStderr: (seen, kill) => {
      if (atWork || !seen.includes(" turns")) return;
      // Held still, so that it is surely not at its end when it is asked about and killed.
      kill("SIGSTOP");
      atWork = list().finally(() => kill("SIGKILL"));
    },
  });
  expect(killed.code).toBeNull();
  expect(await atWork).toMatchObject({ state: "running", interrupted: false });

  const run = await list();
  expect(run).toMatchObject({ state: "running", interrupted: true });
  expect(run.message).toContain(`Resume it with \`rehearsal eval --resume ${run.run_id}\``);
  const listed = await runCli(["runs", "list"], { cwd });
  expect(listed.stdout).toMatch(/ interrupted /);
  expect(listed.stderr).toMatch(
    /Resume it with: (?<command>\S*node \S+main\.js) eval --resume \S+\n {2}Cancel it with: \k<command> runs cancel \S+\n/,
  );
  await workElsewhere(folder.file(".rehearsal"));
  const { runs } = JSON.parse((await runCli(["runs", "list", "--state", "running", "--json"], { cwd })).stdout);
  expect(runs).toEqual([run]);

  const resumed = await runCli(["eval", "--resume", run.run_id, "--no-gate", "--json"], { cwd });
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout).runs[0]).toMatchObject({
    state: "completed",
    summary: { interactions: 60, failed: 0 },
  });
});

test("a comparison that was killed is resumed on both sides and decided from the stored scores", async () => {
  const scenarios = Array.from({ length: 40 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}`, checks: [{ type: "contains", text: "Yes" }] }],
  }));
  await using folder = await folderWith({ "all.json": JSON.stringify(scenarios) });
  await using provider = await startFakeProvider({
    behaviour: (call) => after(20, text(call.request.body?.["model"] === "new" ? "Yes, of course" : "Never"))(call),
  });
  const cwd = folder.path;
  const asked = ["eval", "all.json", "--endpoint", provider.url, "--models", "old,new", "--until-decided", "-j", "2"];
  let isKilled = false;
  const first = await spawnCli(asked, {
    cwd,
    onStderr: (seen, kill) => {
      if (isKilled || !/[3-9]\/40 turns/.test(seen)) return;
      isKilled = true;
      kill("SIGKILL");
    },
  });
  expect(first.code).not.toBe(0);
  const before = provider.requests.length;
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(first.stderr)?.[0] ?? "";
  const second = await runCli(["eval", "--resume", id, "--json"], { cwd });
  const [run] = JSON.parse(second.stdout).runs;
  expect(run).toMatchObject({ run_id: id, summary: { decision: { verdict: "better", stopped_by: "decided" } } });
  expect(second.code).toBe(0);
  const questions = provider.requests.map(({ body }) => JSON.stringify([body?.["model"], body?.["messages"]]));
  // Only calls in flight when the process was killed are made again.
  expect(questions.length - new Set(questions).size).toBeLessThanOrEqual(4);
  expect(questions.length).toBeGreaterThan(before);
});
