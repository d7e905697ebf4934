import type { Bench, Row, Subject } from "./bench.ts";
import { interleave, ratioOf } from "./harness/interleave.ts";
import { servedAtOnce } from "./harness/rehearsal.ts";
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

const typedAtOnce = 32;
const bare = "bare loop";
const whole = "bare loop, whole process";
const served = "POST /evaluate";
const command = "rehearsal eval";

/** Goal 3: conversations, whose turns must follow each other. */
export const multiTurn: Bench = {
  name: "multi-turn",
  title: "Scenarios of three turns, three attempts each, 20 ms model",
  async run(context) {
    const workload = workloads[context.size];
    const endpoint = context.model.at("latency-20");
    const size = `${workload.scenarios} × ${workload.turns} × ${workload.attempts}`;
    const measure = (work: string, subjects: readonly Subject[]): Promise<Row[]> => {
      const expected = { endpoint, calls: interactionsOf(workload), model: context.model };
      return interleave(
        work,
        subjects.map((subject) => expectCalls(subject, expected)),
        context,
      );
    };

    // The option of a command, or the setting of a service, limits its calls at once.
    const typed = { endpoint, concurrency: typedAtOnce };
    const byCommand = `${size}, ${typedAtOnce} at once`;
    const set = { endpoint, concurrency: servedAtOnce };
    const byService = `${size}, ${servedAtOnce} at once`;
    const rows = [
      ...(await measure(byCommand, [
        { name: whole, run: async () => (await runBareLoop(workload, { ...typed, warmUp: 0 }, context)).whole },
        { name: command, reference: whole, run: () => evaluateByCommand(workload, typed, context) },
        ...(context.peers ? [{ ...promptfooPeer(workload, typed, context.peers), reference: whole }] : []),
      ])),
      ...(await measure(byService, [
        { name: bare, run: async () => (await runBareLoop(workload, set, context)).loop },
        { name: served, reference: bare, run: () => evaluateServed(workload, { endpoint }, context) },
      ])),
    ];
    const wall = (work: string, subject: string, reference: string) =>
      ratioOf(rows, { work, subject, metric: "wall_s" }, reference);
    return {
      rows,
      goals: [
        {
          number: 3,
          what: `${served}: wall ÷ bare loop`,
          value: wall(byService, served, bare),
          sense: "at most",
          limit: 1.3,
        },
        {
          number: 3,
          what: `${command}: wall ÷ bare loop`,
          value: wall(byCommand, command, whole),
          sense: "at most",
          limit: 1.3,
        },
        {
          number: 3,
          what: `promptfoo: wall ÷ ${command}`,
          value: wall(byCommand, "promptfoo", command),
          sense: "at least",
          limit: 15,
        },
      ],
    };
  },
};
