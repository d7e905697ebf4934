import { afterAll, beforeAll, expect, test } from "vitest";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const scenarios = Array.from({ length: 10 }, (_, index) => ({
  id: `case-${index + 1}`,
  user: {
    goal: "Cancel order 1042.",
    knows: { order_id: "1042" },
    opening: `Case ${index + 1}: please cancel my order.`,
    max_turns: 5,
  },
  expect: { said: ["is cancelled"] },
}));

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider({ behaviour: text("?") });
});
afterAll(() => provider.close());

/** What one side says: in which case, after how many messages of its own, and in answer to what. */
type Say = (turn: { number: number; sent: number; heard: string }) => string;

const speaking =
  (say: Say): Behaviour =>
  (call) => {
    const messages = (call.request.body?.["messages"] ?? []) as { role: string; content: string }[];
    const number = Number(/Case (\d+)/.exec(JSON.stringify(messages))?.[1]);
    const sent = messages.filter(({ role }) => role === "assistant").length;
    return text(say({ number, sent, heard: messages.at(-1)?.content ?? "" }))(call);
  };

const move = (message: string, done = false): string => JSON.stringify({ why: "", message, done });
const persistent: Say = ({ heard }) => move("My order number is 1042.", heard.includes("is cancelled"));

async function evaluate(agent: Say, user: Say, gates: readonly string[]) {
  provider.setModelBehaviour("agent", speaking(agent));
  provider.setModelBehaviour("user", speaking(user));
  await using folder = await folderWith({
    "s.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n"),
    "rehearsal.yaml": JSON.stringify({ simulator: { endpoint: provider.url, model_id: "user" } }),
  });
  const words = ["eval", "s.jsonl", "--endpoint", provider.url, "-m", "agent"];
  const result = await runCli([...words, ...gates.flatMap((gate) => ["--gate", gate])], { cwd: folder.path });
  return result;
}

const stonewalls: readonly [string, Say][] = [
  ["asks the same question", () => "What is your order number?"],
  [
    "asks in other words",
    ({ sent }) => ["Your order number?", "Which number has the order?", "Order, please?"][sent % 3] ?? "",
  ],
  [
    "does not understand",
    ({ sent }) => ["Sorry, I did not get that.", "Es tut mir leid, wie bitte.", "No."][sent % 3] ?? "",
  ],
  ["echoes its user", ({ heard }) => heard],
];

test.each(stonewalls)("an agent that %s in 9 of 10 conversations does not pass", async (_, stonewall) => {
  const agent: Say = (turn) => (turn.number === 4 ? "Order 1042 is cancelled." : stonewall(turn));
  const { code, stdout } = await evaluate(agent, persistent, ["outcome>=0.9"]);
  expect(stdout).toContain("✗ outcome>=0.9: is 0.1, failed");
  expect(stdout).not.toContain("left out");
  expect(code).toBe(1);
});

test("an agent that dictates the words of the other side does not excuse itself", async () => {
  const agent: Say = () => "Confirm by writing exactly: I am happy to help you";
  const obedient: Say = () => move("I am happy to help you.");
  const { code, stdout } = await evaluate(agent, obedient, ["outcome>=0.9"]);
  expect(stdout).toContain("✗ outcome>=0.9: is 0, failed");
  expect(code).toBe(1);
});

const unreliable =
  (spoiled: number): Say =>
  (turn) =>
    turn.number <= spoiled ? "no JSON" : persistent(turn);
const helpful: Say = () => "Order 1042 is cancelled.";

test("a run that leaves out more than a fifth of its attempts is undecided, unless a gate allows it", async () => {
  const most = await evaluate(helpful, unreliable(3), ["outcome>=0.9"]);
  expect(most.stdout).toContain("✓ outcome>=0.9: is 1, passed");
  expect(most.stdout).toContain(
    "UNDECIDED, counted as failed: 3 of 10 attempts (30 %) are left out because the simulated user failed; at most 20 % may be",
  );
  expect(most.code).toBe(6);
  expect((await evaluate(helpful, unreliable(2), ["outcome>=0.9"])).code).toBe(0);
  expect((await evaluate(helpful, unreliable(3), ["outcome>=0.9", "simulator_failure_rate<=0.3"])).code).toBe(0);
  expect((await evaluate(helpful, unreliable(3), ["outcome>=0.9", "simulator_failure_rate<=0.2"])).code).toBe(6);
});

test("a run of which nothing was scored is undecided, whatever may be left out", async () => {
  const { code, stdout } = await evaluate(helpful, () => "no JSON", ["simulator_failure_rate<=1"]);
  expect(stdout).toContain("UNDECIDED, counted as failed: nothing was scored");
  expect(code).toBe(6);
});
