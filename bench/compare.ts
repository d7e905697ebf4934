import { mkdtemp, stat } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import type { Bench, BenchContext, Figures } from "./bench.ts";
import { interleave, medianOf } from "./harness/interleave.ts";
import { startRehearsal, type Rehearsal } from "./harness/rehearsal.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { multiplyRuns } from "./load/multiply-runs.ts";
import { getJson, postEvaluation, type RunView } from "./load/post-evaluation.ts";

/** Scenarios of one turn and attempts of each of the two runs. */
const sizes = {
  quick: { scenarios: 50, attempts: 4 },
  normal: { scenarios: 1_000, attempts: 100 },
  full: { scenarios: 5_000, attempts: 100 },
} as const;

/** Goal 10: two stored runs held against each other; and what else is read from a full store. */
export const compare: Bench = {
  name: "compare",
  title: "Reading a store with two large runs",
  async run(context) {
    const size = sizes[context.size];
    const count = (size.scenarios * size.attempts).toLocaleString("en");
    const dataFolder = await fillStore(size, context);
    const ask = (name: string, read: (service: Rehearsal, ids: readonly string[]) => Promise<unknown>) => ({
      name,
      run: () => measure(dataFolder, read, context),
    });
    const work = `two runs of ${count} interactions`;
    const rows = await interleave(
      work,
      [
        ask("GET /compare", ({ evaluation }, [baseline, candidate]) =>
          getJson(`${evaluation}/compare?baseline=${baseline}&candidate=${candidate}`),
        ),
        ask("GET /runs", ({ evaluation }) => getJson(`${evaluation}/runs?limit=50`)),
        ask("GET /runs/{id}/results", ({ evaluation }, [id]) => drain(`${evaluation}/runs/${id}/results`)),
      ],
      context,
    );
    const value = (metric: "wall_s" | "peak_mb") => medianOf(rows, { work, subject: "GET /compare", metric });
    return {
      rows,
      goals: [
        { number: 10, what: `comparison of ${work}, s`, value: value("wall_s"), sense: "at most", limit: 2 },
        { number: 10, what: `comparison of ${work}, peak MB`, value: value("peak_mb"), sense: "at most", limit: 300 },
      ],
    };
  },
};

/** Two real runs, each then multiplied. Returns the data folder. */
async function fillStore(
  { scenarios, attempts }: { scenarios: number; attempts: number },
  { scratch, model }: BenchContext,
): Promise<string> {
  const dataFolder = await mkdtemp(join(scratch, "compare-"));
  const service = await startRehearsal({ scratch, dataFolder });
  try {
    for (const words of ["words-12", "words-14"]) {
      const body = toEvaluationRequest(
        { scenarios, turns: 1, attempts: 1 },
        { endpoint: model.at(words), name: words },
      );
      await postEvaluation(service.evaluation, body);
    }
  } finally {
    await service.stop();
  }
  multiplyRuns(dataFolder, attempts);
  return dataFolder;
}

/** A fresh service for every question, so that its peak of memory is the question's own. */
async function measure(
  dataFolder: string,
  read: (service: Rehearsal, ids: readonly string[]) => Promise<unknown>,
  { scratch }: BenchContext,
): Promise<Figures> {
  const service = await startRehearsal({ scratch, dataFolder });
  try {
    const { runs } = await getJson<{ runs: readonly RunView[] }>(`${service.evaluation}/runs?limit=2`);
    const ids = runs.map(({ run_id }) => run_id);
    const began = performance.now();
    await read(service, ids);
    return {
      wall_s: (performance.now() - began) / 1000,
      peak_mb: service.peakMegabytes(),
      store_mb: (await stat(join(dataFolder, "rehearsal.db"))).size / 1024 ** 2,
    };
  } finally {
    await service.stop();
  }
}

async function drain(url: string): Promise<void> {
  const answer = await request(url, { headersTimeout: 0, bodyTimeout: 0 });
  for await (const chunk of answer.body) void chunk;
}
