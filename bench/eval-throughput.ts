import type { Bench, BenchContext, Goal, Row, Subject } from "./bench.ts";
import { interleave, ratioOf } from "./harness/interleave.ts";
import { servedAtOnce } from "./harness/rehearsal.ts";
import { evaluateByCommand } from "./load/evaluate-by-command.ts";
import { expectCalls } from "./load/expect-calls.ts";
import { evaluateServed } from "./load/evaluate-served.ts";
import { evalitePeer, promptfooPeer } from "./peers/evaluation-peers.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const sizes = { quick: [100], normal: [1_000, 5_000], full: [1_000, 5_000] } as const;
/** As many as one request to a service may bring. */
const servedSizes = { quick: 50, normal: 1_000, full: 1_000 } as const;
const typedAtOnce = 128;

const bare = "bare loop";
const whole = "bare loop, whole process";
const served = "POST /evaluate";
const command = "rehearsal eval";

/** Goals 1 and 2: many single questions at once to a model that takes a tenth of a second. */
export const evalThroughput: Bench = {
  name: "eval-throughput",
  title: "Single-turn cases, 100 ms model",
  async run(context) {
    const counts = sizes[context.size];
    const servedCount = servedSizes[context.size];
    const rows: Row[] = [];
    for (const count of counts) rows.push(...(await measureCommands(count, context)));
    rows.push(...(await measureServed(servedCount, context)));
    return {
      rows,
      goals: [
        ...counts.flatMap((count) => commandGoals(workName(count, typedAtOnce), rows)),
        ...servedGoals(workName(servedCount, servedAtOnce), rows),
      ],
    };
  },
};

const workName = (count: number, atOnce: number): string => `${count} cases, ${atOnce} at once`;

/** Commands, whose option sets the calls at once. */
function measureCommands(count: number, context: BenchContext): Promise<Row[]> {
  const setting = { endpoint: context.model.at("latency-100"), concurrency: typedAtOnce };
  const workload = { scenarios: count, turns: 1, attempts: 1 };
  const subjects: Subject[] = [
    { name: whole, run: async () => (await runBareLoop(workload, { ...setting, warmUp: 0 }, context)).whole },
    { name: command, reference: whole, run: () => evaluateByCommand(workload, setting, context) },
    ...peersOf(workload, setting, context),
  ];
  return measure(workName(count, typedAtOnce), { subjects, endpoint: setting.endpoint, calls: count }, context);
}

/** A service with its defaults, beside a loop that makes as many calls at once. */
function measureServed(count: number, context: BenchContext): Promise<Row[]> {
  const setting = { endpoint: context.model.at("latency-100"), concurrency: servedAtOnce };
  const workload = { scenarios: count, turns: 1, attempts: 1 };
  const subjects: Subject[] = [
    { name: bare, run: async () => (await runBareLoop(workload, setting, context)).loop },
    { name: served, reference: bare, run: () => evaluateServed(workload, { endpoint: setting.endpoint }, context) },
  ];
  return measure(workName(count, servedAtOnce), { subjects, endpoint: setting.endpoint, calls: count }, context);
}

function measure(
  work: string,
  { subjects, endpoint, calls }: { subjects: readonly Subject[]; endpoint: string; calls: number },
  context: BenchContext,
): Promise<Row[]> {
  const counted = subjects.map((subject) => expectCalls(subject, { endpoint, calls, model: context.model }));
  return interleave(work, counted, context);
}

function peersOf(
  workload: { scenarios: number; turns: number; attempts: number },
  setting: { endpoint: string; concurrency: number },
  context: BenchContext,
): Subject[] {
  if (!context.peers) return [];
  return [
    { ...promptfooPeer(workload, setting, context.peers), reference: whole },
    // With its file store evalite does not finish 5,000 cases; its memory store is the one that is held against us.
    { ...evalitePeer(workload, setting, context.peers), reference: whole },
  ];
}

function commandGoals(work: string, rows: readonly Row[]): Goal[] {
  const ratio = ratiosOf(work, rows);
  return [
    { number: 1, what: `${work}, ${command}: wall ÷ bare loop`, ...atMost(1.3, ratio("wall_s", command, whole)) },
    { number: 1, what: `${work}, promptfoo: wall ÷ ${command}`, ...atLeast(8, ratio("wall_s", "promptfoo", command)) },
    { number: 2, what: `${work}, ${command}: CPU ÷ bare loop`, ...atMost(2, ratio("cpu_ms", command, whole)) },
    { number: 2, what: `${work}, promptfoo: CPU ÷ ${command}`, ...atLeast(10, ratio("cpu_ms", "promptfoo", command)) },
  ];
}

function servedGoals(work: string, rows: readonly Row[]): Goal[] {
  const ratio = ratiosOf(work, rows);
  return [
    { number: 1, what: `${work}, ${served}: wall ÷ bare loop`, ...atMost(1.3, ratio("wall_s", served, bare)) },
    { number: 2, what: `${work}, ${served}: CPU ÷ bare loop`, ...atMost(2, ratio("cpu_ms", served, bare)) },
  ];
}

const ratiosOf =
  (work: string, rows: readonly Row[]) =>
  (metric: "wall_s" | "cpu_ms", subject: string, reference: string): number | null =>
    ratioOf(rows, { work, subject, metric }, reference);

const atMost = (limit: number, value: number | null) => ({ value, sense: "at most", limit }) as const;
const atLeast = (limit: number, value: number | null) => ({ value, sense: "at least", limit }) as const;
