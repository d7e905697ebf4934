import type { Bench, BenchContext, Goal, Row, Subject } from "./bench.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { evaluateByCommand } from "./load/evaluate-by-command.ts";
import { expectCalls } from "./load/expect-calls.ts";
import { evalitePeer, promptfooPeer } from "./peers/evaluation-peers.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const sizes = { quick: [100], normal: [1_000, 5_000], full: [1_000, 5_000] } as const;
const atOnce = 128;
const bare = "bare loop, whole process";
const ours = "rehearsal eval";

/** Many single questions at once to a model that takes a tenth of a second, from the start of each command to its end. */
export const evalThroughput: Bench = {
  name: "eval-throughput",
  title: "Single-turn cases, 100 ms model",
  async run(context) {
    const rows: Row[] = [];
    for (const count of sizes[context.size]) rows.push(...(await measure(count, context)));
    return { rows, goals: sizes[context.size].flatMap((count) => goalsOf(workName(count), rows)) };
  },
};

const workName = (count: number): string => `${count.toLocaleString("en")} cases, ${atOnce} at once`;

function measure(count: number, context: BenchContext): Promise<Row[]> {
  const { model, peers } = context;
  const setting = { endpoint: model.at("latency-100"), concurrency: atOnce };
  const workload = { scenarios: count, turns: 1, attempts: 1 };
  const subjects: Subject[] = [
    { name: bare, run: async () => (await runBareLoop(workload, { ...setting, warmUp: 0 }, context)).whole },
    { name: ours, reference: bare, run: () => evaluateByCommand(workload, setting, context) },
    ...(peers
      ? [
          { ...promptfooPeer(workload, setting, peers), reference: bare },
          // With its file store evalite does not finish 5,000 cases; its memory store is the one that is measured.
          { ...evalitePeer(workload, setting, peers), reference: bare },
        ]
      : []),
  ];
  const expected = { endpoint: setting.endpoint, calls: count, model };
  return interleave(
    workName(count),
    subjects.map((subject) => expectCalls(subject, expected)),
    context,
  );
}

function goalsOf(work: string, rows: readonly Row[]): Goal[] {
  const theirs = { work, subject: "promptfoo", over: ours } as const;
  return [
    goalOn(rows, { ...theirs, metric: "wall_s", what: `${work}: wall of promptfoo ÷ ours` }, { atLeast: 7 }),
    goalOn(rows, { ...theirs, metric: "cpu_ms", what: `${work}: CPU of promptfoo ÷ ours` }, { atLeast: 6 }),
  ];
}
