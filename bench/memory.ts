import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, BenchContext, Figures, Goal, Row } from "./bench.ts";
import { interleave, medianOf } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { getJson, postEvaluation, postRun, refuseFailures, type RunView } from "./load/post-evaluation.ts";
import { waitForRuns } from "./load/wait-for-runs.ts";
import { warmUpCalls } from "./reference/run-bare-loop.ts";

/** Scenarios × attempts of one turn each. */
const sizes = {
  quick: [[50, 2]],
  normal: [
    [1_000, 1],
    [1_000, 10],
    [1_000, 100],
  ],
  full: [
    [1_000, 1],
    [1_000, 10],
    [1_000, 100],
    [10_000, 100],
  ],
} as const;

interface Size {
  readonly scenarios: number;
  readonly attempts: number;
}

const fresh = "rehearsal";
const warmed = "rehearsal, warmed up";
/** So many interactions until V8 has compiled what handles them: before that, a small run costs more than its share of a large one. */
const compiling: Size = { scenarios: 1_000, attempts: 20 };

/** Goal 5, and the first curve: what an interaction costs in runs of a thousand to a million. */
export const memory: Bench = {
  name: "memory",
  title: "One run of many interactions, 64 at once, zero-latency model",
  async run(context) {
    const rows: Row[] = [];
    const counts = sizes[context.size].map(([scenarios, attempts]) => scenarios * attempts);
    for (const [scenarios, attempts] of sizes[context.size]) {
      const count = scenarios * attempts;
      const size = { scenarios, attempts };
      const subjects = [
        { name: fresh, run: () => measure(size, { scenarios: warmUpCalls, attempts: 1 }, context) },
        // The largest run is warm for nearly all of its time.
        ...(count > 100_000 || context.size === "quick"
          ? []
          : [{ name: warmed, run: () => measure(size, compiling, context) }]),
      ];
      const repeats = count > 10_000 ? 1 : context.repeats;
      rows.push(...(await interleave(workName(count), subjects, { ...context, repeats })));
    }
    const series = (name: string, metric: "cpu_ms" | "peak_mb") => ({
      name,
      points: counts.flatMap((count): [number, number][] => {
        const value = medianOf(rows, { work: workName(count), subject: name, metric });
        return value === null ? [] : [[count, value]];
      }),
    });
    return {
      rows,
      goals: goalsOf(counts, rows),
      curves: [
        {
          name: "cost-by-size",
          title: "CPU per interaction by size of the run",
          x: "interactions",
          y: "CPU ms each",
          logarithmicX: true,
          series: [series(fresh, "cpu_ms"), series(warmed, "cpu_ms")],
        },
        {
          name: "memory-by-size",
          title: "Peak memory by size of the run",
          x: "interactions",
          y: "MB",
          logarithmicX: true,
          series: [series(fresh, "peak_mb")],
        },
      ],
    };
  },
};

const workName = (count: number): string => `${count.toLocaleString("en")} interactions`;

/** The run is started, followed and looked up, but its results are not fetched: that is another bench. */
async function measure(
  { scenarios, attempts }: Size,
  warmUp: Size,
  { scratch, model }: BenchContext,
): Promise<Figures> {
  const service = await startRehearsal({ scratch, concurrency: 64 });
  try {
    const endpoint = model.at("latency-0");
    await postEvaluation(service.evaluation, toEvaluationRequest({ ...warmUp, turns: 1 }, { endpoint }));
    const body = toEvaluationRequest({ scenarios, turns: 1, attempts }, { endpoint });
    const used = service.cpuSeconds();
    const began = performance.now();
    const run = await postRun(service.evaluation, body);
    await waitForRuns(service.evaluation, [run.run_id]);
    const wall = (performance.now() - began) / 1000;
    refuseFailures(await getJson<RunView>(`${service.evaluation}/runs/${run.run_id}`));
    const count = scenarios * attempts;
    return {
      wall_s: wall,
      per_second: count / wall,
      cpu_ms: ((service.cpuSeconds() - used) * 1000) / count,
      peak_mb: service.peakMegabytes(),
      store_mb: await folderMegabytes(service.dataFolder),
    };
  } finally {
    await service.stop();
  }
}

async function folderMegabytes(folder: string): Promise<number> {
  const sizesOfFiles = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  return sizesOfFiles.reduce((sum, { size }) => sum + size, 0) / 1024 ** 2;
}

const limits: Readonly<Record<number, number>> = { 1_000: 150, 100_000: 200, 1_000_000: 200 };

function goalsOf(counts: readonly number[], rows: readonly Row[]): Goal[] {
  const value = (count: number, subject: string, metric: "cpu_ms" | "peak_mb") =>
    medianOf(rows, { work: workName(count), subject, metric });
  const costs = counts
    .filter((count) => count >= 10_000)
    .flatMap((count) => value(count, warmed, "cpu_ms") ?? value(count, fresh, "cpu_ms") ?? []);
  return [
    ...counts.flatMap((count): Goal[] => {
      const limit = limits[count];
      if (limit === undefined) return [];
      return [
        {
          number: 5,
          what: `peak MB, ${workName(count)}`,
          value: value(count, fresh, "peak_mb"),
          sense: "at most",
          limit,
        },
      ];
    }),
    {
      number: 5,
      what: "CPU per interaction once warm, dearest ÷ cheapest size from 10,000 on",
      value: costs.length > 1 ? Math.max(...costs) / Math.min(...costs) : null,
      sense: "at most",
      limit: 1.3,
    },
  ];
}
