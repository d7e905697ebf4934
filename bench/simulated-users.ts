import type { Bench } from "./bench.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { evaluateByCommand } from "./load/evaluate-by-command.ts";
import { interactionsOf } from "./load/evaluation-request.ts";

const turns = 5;
const workloads = {
  quick: { scenarios: 10, turns, attempts: 2 },
  normal: { scenarios: 200, turns, attempts: 10 },
  full: { scenarios: 200, turns, attempts: 10 },
} as const;
const atOnce = 64;

/**
 * Conversations with a simulated user in a declared world. A turn is three calls over HTTP: the user's message, the
 * agent's tool call, its reply; and our part is all of `rehearsal eval`, from the start of the process to its end.
 */
export const simulatedUsers: Bench = {
  name: "simulated-users",
  title: "Conversations of five turns with a simulated user in a declared world, zero-latency models",
  async run(context) {
    const workload = workloads[context.size];
    const { model } = context;
    const endpoint = model.at("tool-calculator");
    const request = toRequest(workload.scenarios, { endpoint, user: model.at(`user-${turns}`) });
    const work = `${(workload.scenarios * workload.attempts).toLocaleString("en")} conversations, ${atOnce} at once`;
    const subject = {
      name: "rehearsal eval",
      async run() {
        const before = (await model.counts()).get(endpoint)?.calls ?? 0;
        const figures = await evaluateByCommand(workload, { endpoint, concurrency: atOnce, request }, context);
        const made = ((await model.counts()).get(endpoint)?.calls ?? 0) - before;
        if (made !== 2 * interactionsOf(workload)) throw new Error(`the agent was called ${made} times`);
        return figures;
      },
    };
    const rows = await interleave(work, [subject], context);
    const cell = { work, subject: subject.name, metric: "cpu_ms", what: `${work}: CPU ms of ours per turn` } as const;
    return { rows, goals: [goalOn(rows, cell, { atMost: 2 })] };
  },
};

function toRequest(scenarios: number, { endpoint, user }: { endpoint: string; user: string }): string {
  const world = {
    state: { log: [] },
    tools: [
      {
        name: "calculator",
        description: "Computes.",
        parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
        answers: [{ set: { "/log/-": { $argument: "expression" } }, result: { ok: true } }],
      },
    ],
  };
  const test_batch = Array.from({ length: scenarios }, (_, index) => ({
    id: `scenario-${index}`,
    world,
    user: { goal: "Write numbers into the log.", knows: { name: "Ada" }, max_turns: turns },
    expect: { must_call: ["calculator"] },
  }));
  return JSON.stringify({ test_batch, endpoint, model_id: "fake", simulator: { endpoint: user, model_id: "user" } });
}
