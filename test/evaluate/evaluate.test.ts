import assert from "node:assert";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import type * as rehearsal from "../../src/index.ts";
import type { Message, TargetContext } from "../../src/index.ts";
import { built } from "../support/build-once.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const library = resolve(import.meta.dirname, "../../dist/index.js");
/** That of the bundle, whose engine starts faster than the sources do. */
let evaluate: typeof rehearsal.evaluate;
beforeAll(async () => {
  await built("bundle");
  ({ evaluate } = (await import(library)) as typeof rehearsal);
});
const turn = (user_message: string, text: string) => ({
  id: user_message,
  user_message,
  checks: [{ type: "contains" as const, text }],
});

test("an agent of this process keeps its state by session, and is judged turn by turn", async () => {
  await using folder = await temporaryFolder();
  const sessions = new Set<string>();
  async function counting(messages: readonly Message[], { session }: TargetContext) {
    sessions.add(session.id);
    session.state["turns"] = Number(session.state["turns"] ?? 0) + 1;
    return `${String(messages.at(-1)?.content)} is turn ${String(session.state["turns"])}`;
  }
  const scenario = { id: "count", interactions: [turn("One", "turn 1"), turn("Two", "turn 2")] };
  const dataDir = folder.path;
  const result = await evaluate({ scenarios: scenario, target: counting, attempts: 3, gates: ["pass^3>=1"], dataDir });
  expect(result.report()).toContain("✓");
  expect(result).toMatchObject({ passed: true, undecided: false, exitCode: 0, scores: { overall: 1 } });
  expect(sessions.size).toBe(3);
});

test("calls that were reported decide; those that were not stay undecided", async () => {
  await using folder = await temporaryFolder();
  const scenarios = {
    id: "refund",
    interactions: [
      { id: "1", user_message: "Refund 12", reference_tool_calls: [{ name: "refund", arguments: { order: 12 } }] },
    ],
  };
  const dataDir = folder.path;
  const wrong = await evaluate({
    scenarios,
    target: () => ({ text: "Done.", tool_calls: [{ name: "refund", arguments: { order: 13 } }] }),
    dataDir,
  });
  expect(wrong.passed).toBe(false);
  expect(wrong.report()).toMatch(/^refund: failed\n {2}attempt 1, turn 1\n/m);
  expect(wrong.report()).toContain(`expected: refund({"order":12})`);
  expect(wrong.report()).toContain(`called:   refund({"order":13})`);
  expect(() => wrong.check()).toThrow("refund: failed");
  const silent = await evaluate({ scenarios, target: () => "Done.", dataDir });
  expect(silent).toMatchObject({ passed: false, undecided: true });
});

test("an error of the agent is a failed turn with its place, and a scorer is a function", async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  const one = { id: "one", interactions: [{ id: "1", user_message: "Hi" }] };
  const broken = () => {
    throw new Error("the database is gone");
  };
  const failed = await evaluate({ scenarios: one, target: broken, dataDir });
  expect(failed.passed).toBe(false);
  expect(failed.report()).toMatch(/no usable reply: Error: the database is gone\n.*evaluate\.test\.ts/);

  const short = (reply: string) => ({ score: reply.length < 10 ? 1 : 0, reason: `${reply.length} letters` });
  const never = () => null;
  const asserting = (reply: string) => {
    assert.equal(reply, "Bye");
    return true;
  };
  const broken_scorer = () => {
    throw new Error("no model");
  };
  const scored = await evaluate({
    scenarios: one,
    target: () => "Hello",
    scorers: [short, never, asserting, broken_scorer, "token_f1"],
    gates: ["short>=1"],
    dataDir,
  });
  expect(scored).toMatchObject({ passed: true, scores: { short: 1, asserting: 0 } });
  expect(scored.scores).not.toHaveProperty("never");
  expect(scored.scores).not.toHaveProperty("broken_scorer");
});

test("bad input is an error that says what is wrong, and a stopped run rejects with the reason", async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  await expect(evaluate({ scenarios: [], target: () => "" })).rejects.toThrow("there are no scenarios");
  await expect(evaluate({ scenarios: "missing.yaml" })).rejects.toThrow("there is nothing to test");
  const refused = evaluate({ scenarios: folder.file("missing.yaml"), target: () => "", dataDir });
  await expect(refused).rejects.toMatchObject({
    name: "EngineError",
    exitCode: 2,
    message: expect.stringContaining("missing.yaml"),
  });

  const controller = new AbortController();
  const enough = new Error("enough");
  const waiting = (_messages: readonly Message[], { signal }: TargetContext) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("nobody waits")));
      controller.abort(enough);
    });
  const one = { id: "one", interactions: [{ id: "1", user_message: "Hi" }] };
  await expect(evaluate({ scenarios: one, target: waiting, dataDir, signal: controller.signal })).rejects.toBe(enough);
});

test("each scenario is a test of node:test", async () => {
  await using folder = await temporaryFolder();
  await writeFile(
    folder.file("scenarios.yaml"),
    `- { id: good, interactions: [{ user_message: Hi, checks: [{ type: contains, text: Hi }] }] }
- { id: bad, interactions: [{ user_message: Hi, checks: [{ type: contains, text: Bye }] }] }
`,
  );
  await writeFile(
    folder.file("agent.test.mjs"),
    `import { test } from "node:test";
import { testScenarios } from ${JSON.stringify(library)};
await testScenarios(test, { scenarios: "scenarios.yaml", target: (messages) => messages.at(-1).content });
`,
  );
  const ran = run(process.execPath, ["--test", "--test-reporter=tap", "agent.test.mjs"], {
    cwd: folder.path,
    // A runner within a runner would report to it.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  await expect(ran).rejects.toMatchObject({
    stdout: expect.stringMatching(/^ok 1 - good[\s\S]*^not ok 2 - bad[\s\S]*✗ contains/m),
  });
});
