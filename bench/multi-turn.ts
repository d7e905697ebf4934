import type { Bench, Subject } from "./bench.ts";
import { interleave, ratioOf } from "./harness/interleave.ts";
import { evaluateByCommand } from "./load/evaluate-by-command.ts";
import { evaluateServed } from "./load/evaluate-served.ts";
import { interactionsOf } from "./load/evaluation-request.ts";
import { expectCalls } from "./load/expect-calls.ts";
import { promptfooPeer } from "./peers/evaluation-peers.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const workloads = {
  quick: { scenarios: 10, turns: 3, attempts: 3 },
  normal: { scenarios: 200, turns: 3, attempts: 3 },
  full: { scenarios: 200, turns: 3, attempts: 3 },
} as const;

/** Goal 3: conversations, whose turns must follow each other. */
export const multiTurn: Bench = {
  name: "multi-turn",
  title: "Scenarios of three turns, three attempts each, 32 at once, 20 ms model",
  async run(context) {
    const workload = workloads[context.size];
    const setting = { endpoint: context.model.at("latency-20"), concurrency: 32 };
    const work = `${workload.scenarios} × ${workload.turns} × ${workload.attempts}`;
    const whole = "bare loop, whole process";
    const subjects: Subject[] = [
      { name: "bare loop", run: async () => (await runBareLoop(workload, setting, context)).loop },
      { name: whole, run: async () => (await runBareLoop(workload, { ...setting, warmUp: 0 }, context)).whole },
      { name: "POST /evaluate", reference: "bare loop", run: () => evaluateServed(workload, setting, context) },
      { name: "rehearsal eval", reference: whole, run: () => evaluateByCommand(workload, setting, context) },
      ...(context.peers ? [{ ...promptfooPeer(workload, setting, context.peers), reference: whole }] : []),
    ];
    const calls = interactionsOf(workload);
    const counted = subjects.map((subject) => expectCalls(subject, { ...setting, calls, model: context.model }));
    const rows = await interleave(work, counted, context);
    const wall = (subject: string, reference: string) => ratioOf(rows, { work, subject, metric: "wall_s" }, reference);
    return {
      rows,
      goals: [
        {
          number: 3,
          what: "POST /evaluate: wall ÷ bare loop",
          value: wall("POST /evaluate", "bare loop"),
          sense: "at most",
          limit: 1.3,
        },
        {
          number: 3,
          what: "rehearsal eval: wall ÷ bare loop",
          value: wall("rehearsal eval", whole),
          sense: "at most",
          limit: 1.3,
        },
        {
          number: 3,
          what: "promptfoo: wall ÷ POST /evaluate",
          value: wall("promptfoo", "POST /evaluate"),
          sense: "at least",
          limit: 15,
        },
      ],
    };
  },
};
