import { rm } from "node:fs/promises";
import { request } from "undici";
import type { Bench, BenchContext, Row } from "./bench.ts";
import { interleave, medianOf } from "./harness/interleave.ts";
import type { Rehearsal } from "./harness/rehearsal.ts";
import { getJson } from "./load/post-evaluation.ts";
import { fillStore, measureReading, type StoredRuns } from "./load/stored-runs.ts";

/** Runs of one turn by scenarios and attempts. */
const sizes = {
  quick: [[50, 4]],
  normal: [
    [1_000, 10],
    [1_000, 100],
  ],
  full: [
    [1_000, 10],
    [1_000, 100],
    [10_000, 100],
  ],
} as const;

/** The requests to a store with one run in it. */
const questions: Readonly<Record<string, (service: Rehearsal, ids: readonly string[]) => Promise<unknown>>> = {
  "GET /runs": ({ evaluation }) => getJson(`${evaluation}/runs?limit=50`),
  "GET /runs/{id}": ({ evaluation }, [id]) => getJson(`${evaluation}/runs/${id}`),
  "GET /runs/{id}/scenarios": ({ evaluation }, [id]) => getJson(`${evaluation}/runs/${id}/scenarios?limit=100`),
  "GET /runs/{id}/results": ({ evaluation }, [id]) => drain(`${evaluation}/runs/${id}/results`),
};
const wholeRun = "GET /runs/{id}/results";

/** The cost of reading a run that is ten times as large: listed, opened, one page, and all of it. */
export const largeRun: Bench = {
  name: "large-run",
  title: "Reading a large run",
  async run(context) {
    const rows: Row[] = [];
    const points: [number, number][] = [];
    for (const [scenarios, attempts] of sizes[context.size]) {
      const count = scenarios * attempts;
      const work = `${count.toLocaleString("en")} interactions`;
      rows.push(...(await measure(work, { scenarios, attempts, words: [12] }, context)));
      points.push([count, medianOf(rows, { work, subject: wholeRun, metric: "peak_mb" }) ?? 0]);
    }
    const [smallest, largest] = [points[0], points.at(-1)];
    return {
      rows,
      goals: [
        {
          number: "growth",
          what: `peak MB of reading all results, ${largest?.[0].toLocaleString("en")} ÷ ${smallest?.[0].toLocaleString("en")} interactions`,
          value: smallest && largest && points.length > 1 ? largest[1] / smallest[1] : null,
          sense: "at most",
          limit: 1.3,
        },
      ],
      curves: [
        {
          name: "memory-of-reading",
          title: "Peak memory while all results of a run are read",
          x: "interactions",
          y: "MB",
          logarithmicX: true,
          series: [{ name: wholeRun, points }],
        },
      ],
    };
  },
};

async function measure(work: string, size: StoredRuns, context: BenchContext): Promise<Row[]> {
  const dataFolder = await fillStore(size, context);
  const subjects = Object.entries(questions).map(([name, read]) => ({
    name,
    run: () => measureReading(dataFolder, read, context),
  }));
  const repeats = size.scenarios * size.attempts > 100_000 ? 1 : context.repeats;
  const rows = await interleave(work, subjects, { ...context, repeats });
  await rm(dataFolder, { recursive: true });
  return rows;
}

/** Reads a whole answer without keeping it. */
async function drain(url: string): Promise<void> {
  const answer = await request(url, { headersTimeout: 0, bodyTimeout: 0 });
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
  for await (const chunk of answer.body) void chunk;
}
