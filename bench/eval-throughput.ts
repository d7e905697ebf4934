import type { Bench, BenchContext, Goal, Row, Subject } from "./bench.ts";
import { interleave, ratioOf } from "./harness/interleave.ts";
import { evaluateByCommand } from "./load/evaluate-by-command.ts";
import { expectCalls } from "./load/expect-calls.ts";
import { evaluateServed } from "./load/evaluate-served.ts";
import { evalitePeer, promptfooPeer } from "./peers/evaluation-peers.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const sizes = { quick: [100], normal: [1_000, 5_000], full: [1_000, 5_000] } as const;

/** Goals 1 and 2: many single questions at once to a model that takes a tenth of a second. */
export const evalThroughput: Bench = {
  name: "eval-throughput",
  title: "Single-turn cases, 128 at once, 100 ms model",
  async run(context) {
    const rows: Row[] = [];
    for (const count of sizes[context.size]) rows.push(...(await measure(count, context)));
    return { rows, goals: sizes[context.size].flatMap((count) => goalsOf(workName(count), rows)) };
  },
};

const workName = (count: number): string => `${count} cases`;

async function measure(count: number, context: BenchContext): Promise<Row[]> {
  const setting = { endpoint: context.model.at("latency-100"), concurrency: 128 };
  const workload = { scenarios: count, turns: 1, attempts: 1 };
  const subjects: Subject[] = [
    { name: "bare loop", run: async () => (await runBareLoop(workload, setting, context)).loop },
    {
      name: "bare loop, whole process",
      run: async () => (await runBareLoop(workload, { ...setting, warmUp: 0 }, context)).whole,
    },
    { name: "POST /evaluate", reference: "bare loop", run: () => evaluateServed(workload, setting, context) },
    {
      name: "rehearsal eval",
      reference: "bare loop, whole process",
      run: () => evaluateByCommand(workload, setting, context),
    },
    ...peersOf(workload, setting, context),
  ];
  const counted = subjects.map((subject) => expectCalls(subject, { ...setting, calls: count, model: context.model }));
  return interleave(workName(count), counted, context);
}

function peersOf(
  workload: { scenarios: number; turns: number; attempts: number },
  setting: { endpoint: string; concurrency: number },
  context: BenchContext,
): Subject[] {
  if (!context.peers) return [];
  const reference = "bare loop, whole process";
  return [
    { ...promptfooPeer(workload, setting, context.peers), reference },
    // With its file store evalite does not finish 5,000 cases; its memory store is the one that is held against us.
    { ...evalitePeer(workload, setting, context.peers), reference },
  ];
}

function goalsOf(work: string, rows: readonly Row[]): Goal[] {
  const served = "POST /evaluate";
  const command = "rehearsal eval";
  const whole = "bare loop, whole process";
  const wall = (subject: string, reference: string) => ratioOf(rows, { work, subject, metric: "wall_s" }, reference);
  const cpu = (subject: string, reference: string) => ratioOf(rows, { work, subject, metric: "cpu_ms" }, reference);
  const most = (number: number, what: string, value: number | null, limit: number): Goal => ({
    number,
    what: `${work}, ${what}`,
    value,
    sense: "at most",
    limit,
  });
  const least = (number: number, what: string, value: number | null, limit: number): Goal => ({
    ...most(number, what, value, limit),
    sense: "at least",
  });
  return [
    most(1, `${served}: wall ÷ bare loop`, wall(served, "bare loop"), 1.3),
    most(1, `${command}: wall ÷ bare loop`, wall(command, whole), 1.3),
    least(1, `promptfoo: wall ÷ ${served}`, wall("promptfoo", served), 8),
    most(2, `${served}: CPU ÷ bare loop`, cpu(served, "bare loop"), 2),
    most(2, `${command}: CPU ÷ bare loop`, cpu(command, whole), 2),
    least(2, `promptfoo: CPU ÷ ${served}`, cpu("promptfoo", served), 10),
  ];
}
