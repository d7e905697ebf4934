import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres, type TestDatabase } from "../test/support/postgres.ts";
import type { Bench, BenchContext, Figures, Goal, Metric, Row } from "./bench.ts";
import { measureEngine } from "./engines/measure-engine.ts";
import { startServer, type ServerProcess } from "./harness/child-process.ts";
import { interleave, medianOf, ratioOf } from "./harness/interleave.ts";
import { benchSettings, commandLine, startRehearsal, type Rehearsal } from "./harness/rehearsal.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { postRun } from "./load/post-evaluation.ts";
import { waitForRuns } from "./load/wait-for-runs.ts";

/**
 * For the rate, two runs at once of so many scenarios and attempts. In fairness, `each` run has so many attempts that none is through
 * before the calls of the window have been counted.
 */
const sizes = {
  quick: { rate: { scenarios: 50, attempts: 1 }, runs: 5, each: 200, window: 10 },
  normal: { rate: { scenarios: 1_000, attempts: 2 }, runs: 100, each: 300, window: 40 },
  full: { rate: { scenarios: 1_000, attempts: 10 }, runs: 100, each: 500, window: 100 },
} as const;
const runsForRate = 2;

/** The engines alone: eight runs whose attempts wait for 100 ms, 64 in each of two processes, on a server that waits for the disk. */
const engineWork = { runs: 8, perRun: 16, atOnce: 64, latencyMs: 100 };
const attemptsOfEngineRun = { quick: 20, normal: 1_000, full: 2_500 } as const;
const engines = ["rows", "fair rows", "slices"] as const;
const durable = [
  "fsync=on",
  "full_page_writes=on",
  "max_wal_size=8GB",
  "checkpoint_timeout=1h",
  "shared_buffers=512MB",
];

/** Runs on PostgreSQL, carried out by the service and one more worker. */
export const postgres: Bench = {
  name: "postgres",
  title: "Runs on PostgreSQL with two workers",
  async run(context) {
    const { rate: size, runs, each, window } = sizes[context.size];
    const rate = `${runsForRate} runs of ${size.scenarios * size.attempts} attempts, zero-latency model`;
    const fairness = `${runs} runs at one endpoint, ${window} calls each, 20 ms model`;
    const engineTitle = `${engineWork.runs} runs of ${attemptsOfEngineRun[context.size]} attempts, engines alone`;
    const engineRows = await measureEngines(engineTitle, context);
    const server = await startPostgres();
    try {
      const withDatabase = async (measure: (service: Rehearsal) => Promise<Figures>): Promise<Figures> => {
        await using database = await server.createDatabase();
        // Awaited here, or the database would be gone before it is used.
        return await withWorkers(database, context, measure);
      };
      const rows = [
        ...engineRows,
        ...(await interleave(
          rate,
          [{ name: "rehearsal", run: () => withDatabase((service) => measureRate(service, size, context)) }],
          context,
        )),
        ...(await interleave(
          fairness,
          [
            {
              name: "rehearsal",
              run: () => withDatabase((service) => measureFairness(service, { runs, each, window }, context)),
            },
          ],
          { ...context, repeats: 1 },
        )),
      ];
      return {
        rows,
        goals: [
          ...engineGoals(engineTitle, rows),
          {
            what: "attempts per second on PostgreSQL",
            value: medianOf(rows, { work: rate, subject: "rehearsal", metric: "per_second" }),
            sense: "at least",
            limit: 400,
          },
          {
            what: `${runs} runs at once: furthest from a fair share`,
            value: medianOf(rows, { work: fairness, subject: "rehearsal", metric: "unfairness" }),
            sense: "at most",
            limit: 0.2,
          },
        ],
      };
    } finally {
      await server.stop();
    }
  },
};

async function measureEngines(title: string, context: BenchContext): Promise<Row[]> {
  const server = await startPostgres({ settings: durable });
  try {
    const work = { ...engineWork, attempts: attemptsOfEngineRun[context.size] };
    return await interleave(
      title,
      engines.map((name) => ({ name, reference: "rows", run: () => measureEngine(server, name, work) })),
      context,
    );
  } finally {
    await server.stop();
  }
}

/** Within a tenth of attempts that are claimed from their rows alone. */
function engineGoals(work: string, rows: readonly Row[]): Goal[] {
  const goal = (metric: Metric, what: string, sense: Goal["sense"], limit: number): Goal => ({
    what: `slices ÷ rows alone: ${what}`,
    value: ratioOf(rows, { work, subject: "slices", metric }, "rows"),
    sense,
    limit,
  });
  return [
    goal("per_second", "attempts per second", "at least", 0.9),
    goal("db_cpu_ms", "database CPU", "at most", 1.1),
    goal("wal_kb", "write-ahead log", "at most", 1.1),
  ];
}

async function withWorkers(
  { url }: TestDatabase,
  { scratch }: BenchContext,
  measure: (service: Rehearsal) => Promise<Figures>,
): Promise<Figures> {
  const environment = { DATABASE_URL: url };
  const service = await startRehearsal({ scratch, environment });
  let worker: ServerProcess | undefined;
  try {
    worker = await startServer({
      arguments: [commandLine, "serve", "--worker", "--json"],
      environment: { ...benchSettings, REHEARSAL_DATA_DIR: service.dataFolder, ...environment },
      folder: scratch,
    });
    return await measure(service);
  } finally {
    await worker?.stop();
    await service.stop();
  }
}

async function measureRate(
  service: Rehearsal,
  size: { readonly scenarios: number; readonly attempts: number },
  { model }: BenchContext,
): Promise<Figures> {
  const endpoint = model.at("latency-0");
  const small = await postRun(
    service.evaluation,
    toEvaluationRequest({ scenarios: 50, turns: 1, attempts: 1 }, { endpoint }),
  );
  await waitForRuns(service.evaluation, [small.run_id]);
  const began = performance.now();
  const body = toEvaluationRequest({ ...size, turns: 1 }, { endpoint });
  const runs = await Promise.all(Array.from({ length: runsForRate }, () => postRun(service.evaluation, body)));
  await waitForRuns(
    service.evaluation,
    runs.map(({ run_id }) => run_id),
  );
  const wall = (performance.now() - began) / 1000;
  return { wall_s: wall, per_second: (runsForRate * size.scenarios * size.attempts) / wall };
}

/** How far the run that got most or least, while all had work left, was from an equal share of the calls. */
async function measureFairness(
  service: Rehearsal,
  { runs, each, window }: { runs: number; each: number; window: number },
  { model }: BenchContext,
): Promise<Figures> {
  const endpoints = Array.from({ length: runs }, (_, run) =>
    model.at(`run-${process.hrtime.bigint()}`, `number-${run}`, "latency-20"),
  );
  for (const endpoint of endpoints) {
    await postRun(service.evaluation, toEvaluationRequest({ scenarios: each, turns: 1, attempts: 1 }, { endpoint }));
  }
  const began = performance.now();
  const before = await callsOf(endpoints, model);
  let after = before;
  while (sum(after) - sum(before) < runs * window) {
    await sleep(20);
    after = await callsOf(endpoints, model);
  }
  const seconds = (performance.now() - began) / 1000;
  // The runs go on; their database goes away with them.
  if (Math.max(...after) >= each) throw new Error("a run was through before all calls of the window were counted");
  const gained = after.map((calls, index) => calls - (before[index] ?? 0));
  const fair = sum(gained) / runs;
  return {
    wall_s: seconds,
    per_second: sum(gained) / seconds,
    unfairness: Math.max(...gained.map((calls) => Math.abs(calls - fair))) / fair,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function callsOf(endpoints: readonly string[], model: BenchContext["model"]): Promise<number[]> {
  const counts = await model.counts();
  return endpoints.map((endpoint) => counts.get(endpoint)?.calls ?? 0);
}
