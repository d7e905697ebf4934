import { setTimeout as wait } from "node:timers/promises";
import type { ChatModel } from "../src/contract/ports/chat-model.ts";
import { sampleReply } from "../src/contract/testing/sample-reply.ts";
import { fakeModel } from "../src/runs/testing/fake-model.ts";
import { startBench } from "../src/runs/testing/run-bench.ts";

/**
 * CPU time of ours for one turn of a simulated user in a world: the simulator's decision with its rules, the agent's reply with a
 * tool call, the journal, the stored turn and its scores. The models answer at once, in this process.
 *
 *     node bench/simulated-users.ts [attempts]
 */
const attempts = Number(process.argv[2] ?? 100);
const turns = 5;

const user = fakeModel(({ messages }) => {
  const said = messages.filter(({ role }) => role === "assistant").length;
  const move = { why: "next", message: `Please write number ${said} into the log.`, done: said >= turns };
  return JSON.stringify(move);
});
const write = [{ id: "c", name: "write", arguments: '{"text":"x"}' }];
const model: ChatModel = async ({ messages }) =>
  messages.at(-1)?.role === "tool" ? sampleReply("It is written.") : sampleReply("", { tool_calls: write });

await using bench = await startBench({ models: { model, user } });
const request = {
  test_batch: {
    id: "s",
    world: {
      state: { log: [] },
      tools: [
        {
          name: "write",
          parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
          answers: [{ set: { "/log/-": { $argument: "text" } }, result: { ok: true } }],
        },
      ],
    },
    user: { goal: "Write numbers into the log.", knows: { name: "Ada" }, max_turns: turns },
    expect: { must_call: ["write"] },
  },
  simulator: { endpoint: "http://user", model_id: "user" },
};
// The first run loads and compiles the code.
await bench.evaluate({ ...request, attempts: 100 });
await wait(200);
const before = process.cpuUsage();
const { summary } = await bench.evaluate({ ...request, attempts });
const { user: own, system } = process.cpuUsage(before);
const perTurn = (own + system) / 1_000 / summary.interactions;
process.stdout.write(
  `${summary.interactions} turns, ${perTurn.toFixed(2)} ms CPU per turn (at most 2), ${summary.simulated_users?.failed} spoiled\n`,
);
