import type { Bench, BenchContext, Curve, Figures, Goal, Metric, Row } from "./bench.ts";
import { interleave, medianOf } from "./harness/interleave.ts";
import { servedAtOnce, startRehearsal } from "./harness/rehearsal.ts";
import { evaluateServed } from "./load/evaluate-served.ts";
import { interactionsOf, toEvaluationRequest } from "./load/evaluation-request.ts";
import { postRun } from "./load/post-evaluation.ts";
import { waitForRuns } from "./load/wait-for-runs.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const lengths = { quick: [1, 10], normal: [1, 3, 10, 30, 100], full: [1, 3, 10, 30, 100] } as const;
const runCounts = { quick: [1, 5], normal: [1, 3, 10, 30, 100], full: [1, 3, 10, 30, 100] } as const;
/** Interactions of all scenarios together, as many as one request may bring, and how often each is run. */
const sizes = {
  quick: { interactions: 60, attempts: 1 },
  normal: { interactions: 1_000, attempts: 3 },
  full: { interactions: 1_000, attempts: 10 },
} as const;
const served = "POST /evaluate";
/** The same after as many interactions: while V8 is still compiling, a hundred runs take more of it than one. */
const warmed = "POST /evaluate, warmed up";
const bare = "bare loop";

/** How costs grow with the length of a conversation and with the number of runs at once. */
export const growth: Bench = {
  name: "growth",
  title: "Growth with turns and with runs at once",
  async run(context) {
    const { size } = context;
    const rows: Row[] = [];
    for (const turns of lengths[size]) rows.push(...(await measureLength(turns, context)));
    rows.push(...(await measureRuns(runCounts[size], context)));
    const byTurns = curveOf(rows, { xs: lengths[size], work: turnsName, metric: "cpu_ms", subjects: [served, bare] });
    const byRuns = curveOf(rows, { xs: runCounts[size], work: runsName, metric: "cpu_ms", subjects: [served, warmed] });
    return {
      rows,
      goals: goalsOf(rows, size),
      curves: [
        { ...byTurns, name: "cost-by-turns", title: "CPU per interaction by length of the scenario", x: "turns" },
        { ...byRuns, name: "cost-by-runs", title: "CPU per interaction by runs at once", x: "runs at once" },
      ],
    };
  },
};

const turnsName = (turns: number): string => `${turns} turns`;
const runsName = (runs: number): string => `${runs} runs at once`;

async function measureLength(turns: number, context: BenchContext): Promise<Row[]> {
  const { interactions, attempts } = sizes[context.size];
  const workload = { scenarios: Math.floor(interactions / turns), turns, attempts };
  const endpoint = context.model.at("latency-0");
  const setting = { endpoint, concurrency: servedAtOnce };
  return interleave(
    turnsName(turns),
    [
      { name: bare, run: async () => (await runBareLoop(workload, setting, context)).loop },
      { name: served, reference: bare, run: () => evaluateServed(workload, { endpoint }, context) },
    ],
    { ...context, repeats: 1 },
  );
}

/** All numbers of runs in turns: they are held against each other. */
async function measureRuns(counts: readonly number[], context: BenchContext): Promise<Row[]> {
  const works = counts.flatMap((runs) => [
    { work: runsName(runs), subject: served, run: () => runTogether(runs, { ...context, isWarm: false }) },
    { work: runsName(runs), subject: warmed, run: () => runTogether(runs, { ...context, isWarm: true }) },
  ]);
  const subjects = works.map(({ work, subject, run }) => ({ name: `${subject}, ${work}`, run }));
  const rows = await interleave("growth", subjects, context);
  return rows.map((row, place) => ({ ...row, work: works[place]!.work, subject: works[place]!.subject }));
}

async function runTogether(
  runs: number,
  { scratch, model, size, isWarm }: BenchContext & { readonly isWarm: boolean },
): Promise<Figures> {
  const { interactions, attempts } = sizes[size];
  const each = { scenarios: Math.floor(interactions / runs), turns: 1, attempts };
  const body = toEvaluationRequest(each, { endpoint: model.at("latency-0") });
  const service = await startRehearsal({ scratch });
  const runAll = async (): Promise<void> => {
    const started = await Promise.all(Array.from({ length: runs }, () => postRun(service.evaluation, body)));
    await waitForRuns(
      service.evaluation,
      started.map(({ run_id }) => run_id),
    );
  };
  try {
    if (isWarm) await runAll();
    const used = service.cpuSeconds();
    const began = performance.now();
    await runAll();
    return {
      wall_s: (performance.now() - began) / 1000,
      cpu_ms: ((service.cpuSeconds() - used) * 1000) / (interactionsOf(each) * runs),
      peak_mb: service.peakMegabytes(),
    };
  } finally {
    await service.stop();
  }
}

interface CurveOptions {
  readonly xs: readonly number[];
  readonly work: (x: number) => string;
  readonly metric: Metric;
  readonly subjects: readonly string[];
}

function curveOf(
  rows: readonly Row[],
  { xs, work, metric, subjects }: CurveOptions,
): Omit<Curve, "name" | "title" | "x"> {
  return {
    y: "CPU ms each",
    logarithmicX: true,
    series: subjects.map((subject) => ({
      name: subject,
      points: xs.flatMap((x): [number, number][] => {
        const value = medianOf(rows, { work: work(x), subject, metric });
        return value === null ? [] : [[x, value]];
      }),
    })),
  };
}

/** Longer conversations send more tokens per turn, and so does the bare loop: ours may grow no faster than it. */
function goalsOf(rows: readonly Row[], size: BenchContext["size"]): Goal[] {
  const cost = (work: string, subject: string) => medianOf(rows, { work, subject, metric: "cpu_ms" });
  const overBare = (turns: number): number | null => {
    const ours = cost(turnsName(turns), served);
    const theirs = cost(turnsName(turns), bare);
    return ours === null || theirs === null ? null : ours / theirs;
  };
  const growthOf = (first: number | null, last: number | null) => (first && last ? last / first : null);
  const [shortest, longest] = [lengths[size][0], lengths[size].at(-1) ?? 1];
  const [fewest, most] = [runCounts[size][0], runCounts[size].at(-1) ?? 1];
  return [
    {
      number: "growth",
      what: `CPU ÷ bare loop, ${longest} turns against ${shortest}`,
      value: growthOf(overBare(shortest), overBare(longest)),
      sense: "at most",
      limit: 1.3,
    },
    {
      number: "growth",
      what: `CPU per interaction once warm, ${most} runs at once against ${fewest}`,
      value: growthOf(cost(runsName(fewest), warmed), cost(runsName(most), warmed)),
      sense: "at most",
      limit: 1.3,
    },
  ];
}
