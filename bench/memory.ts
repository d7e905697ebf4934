import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, BenchContext, Figures, Goal, Row } from "./bench.ts";
import { readSettings } from "../src/settings.ts";
import { interleave, medianOf } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { runEvalCommand } from "./load/evaluate-by-command.ts";
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

const typedAtOnce = 64;
const command = `rehearsal eval -j ${typedAtOnce}`;
const served = "POST /evaluate";
const warmed = "POST /evaluate, warmed up";
/** Larger runs are made by commands: a service takes no more calls of one run. */
const mostServed = readSettings({}).settings.limits.callsPerRun;
/** So many interactions until V8 has compiled what handles them: before that, a small run costs more than its share of a large one. */
const compiling: Size = { scenarios: 1_000, attempts: 10 };

/** Goal 5, and the first curve: what an interaction costs in runs of a thousand to a million. */
export const memory: Bench = {
  name: "memory",
  title: "One run of many interactions, zero-latency model",
  async run(context) {
    const rows: Row[] = [];
    const counts = sizes[context.size].map(([scenarios, attempts]) => scenarios * attempts);
    for (const [scenarios, attempts] of sizes[context.size]) {
      const count = scenarios * attempts;
      const size = { scenarios, attempts };
      const subjects = [
        { name: command, run: () => measureCommand(size, context) },
        ...(count > mostServed
          ? []
          : [{ name: served, run: () => measureServed(size, { scenarios: warmUpCalls, attempts: 1 }, context) }]),
        ...(count > mostServed || context.size === "quick"
          ? []
          : [{ name: warmed, run: () => measureServed(size, compiling, context) }]),
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
          series: [command, served, warmed].map((name) => series(name, "cpu_ms")),
        },
        {
          name: "memory-by-size",
          title: "Peak memory by size of the run",
          x: "interactions",
          y: "MB",
          logarithmicX: true,
          series: [command, served].map((name) => series(name, "peak_mb")),
        },
      ],
    };
  },
};

const workName = (count: number): string => `${count.toLocaleString("en")} interactions`;

/** From the start of the process to its end, which reports the results. */
async function measureCommand(size: Size, { scratch, model }: BenchContext): Promise<Figures> {
  const endpoint = model.at("latency-0");
  const ended = await runEvalCommand({ ...size, turns: 1 }, { endpoint, concurrency: typedAtOnce }, scratch);
  const count = size.scenarios * size.attempts;
  const figures = {
    wall_s: ended.wallSeconds,
    per_second: count / ended.wallSeconds,
    cpu_ms: (ended.cpuSeconds * 1000) / count,
    peak_mb: ended.peakMegabytes,
    store_mb: await folderMegabytes(ended.dataFolder),
  };
  await rm(ended.dataFolder, { recursive: true });
  return figures;
}

/** The run is started, followed and looked up, but its results are not fetched: that is another bench. */
async function measureServed(
  { scenarios, attempts }: Size,
  warmUp: Size,
  { scratch, model }: BenchContext,
): Promise<Figures> {
  const service = await startRehearsal({ scratch });
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

/** The most megabytes by number of interactions. */
const mostMegabytes: Readonly<Record<number, number>> = { 1_000: 150, 100_000: 200, 1_000_000: 200 };

function goalsOf(counts: readonly number[], rows: readonly Row[]): Goal[] {
  const value = (count: number, subject: string, metric: "cpu_ms" | "peak_mb") =>
    medianOf(rows, { work: workName(count), subject, metric });
  const costs = counts.filter((count) => count >= 10_000).flatMap((count) => value(count, command, "cpu_ms") ?? []);
  return [
    ...counts.flatMap((count): Goal[] => {
      const limit = mostMegabytes[count];
      if (limit === undefined) return [];
      const subject = count > mostServed ? command : served;
      const what = `${subject}: peak MB, ${workName(count)}`;
      return [{ number: 5, what, value: value(count, subject, "peak_mb"), sense: "at most", limit }];
    }),
    {
      number: 5,
      what: `${command}: CPU per interaction, dearest ÷ cheapest size from 10,000 on`,
      value: costs.length > 1 ? Math.max(...costs) / Math.min(...costs) : null,
      sense: "at most",
      limit: 1.3,
    },
  ];
}
