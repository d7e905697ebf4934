import type { Bench } from "./bench.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { evaluateByCommand } from "./load/evaluate-by-command.ts";
import { interactionsOf } from "./load/evaluation-request.ts";
import { expectCalls } from "./load/expect-calls.ts";
import { promptfooPeer } from "./peers/evaluation-peers.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const workloads = {
  quick: { scenarios: 10, turns: 3, attempts: 3 },
  normal: { scenarios: 200, turns: 3, attempts: 3 },
  full: { scenarios: 200, turns: 3, attempts: 3 },
} as const;
const atOnce = 32;
const bare = "bare loop, whole process";
const ours = "rehearsal eval";

/** Conversations, whose turns must follow each other. */
export const multiTurn: Bench = {
  name: "multi-turn",
  title: "Scenarios of three turns, three attempts each, 20 ms model",
  async run(context) {
    const { model, peers } = context;
    const workload = workloads[context.size];
    const setting = { endpoint: model.at("latency-20"), concurrency: atOnce };
    const work = `${workload.scenarios} × ${workload.turns} × ${workload.attempts}, ${atOnce} at once`;
    const subjects = [
      { name: bare, run: async () => (await runBareLoop(workload, { ...setting, warmUp: 0 }, context)).whole },
      { name: ours, reference: bare, run: () => evaluateByCommand(workload, setting, context) },
      ...(peers ? [{ ...promptfooPeer(workload, setting, peers), reference: bare }] : []),
    ];
    const expected = { endpoint: setting.endpoint, calls: interactionsOf(workload), model };
    const rows = await interleave(
      work,
      subjects.map((subject) => expectCalls(subject, expected)),
      context,
    );
    const what = `${work}: wall of promptfoo ÷ ours`;
    const cell = { work, subject: "promptfoo", over: ours, metric: "wall_s" } as const;
    return { rows, goals: [goalOn(rows, { ...cell, what }, { atLeast: 20 })] };
  },
};
