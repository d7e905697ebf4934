import { mkdtemp, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BenchContext, Figures } from "../bench.ts";
import { startRehearsal, type Rehearsal } from "../harness/rehearsal.ts";
import { runEvalCommand } from "./evaluate-by-command.ts";
import { multiplyRuns } from "./multiply-runs.ts";
import { getJson, type RunView } from "./post-evaluation.ts";

export interface StoredRuns {
  /** Scenarios of one turn. */
  readonly scenarios: number;
  readonly attempts: number;
  /** How many words the replies have: one run for each. */
  readonly words: readonly number[];
}

const typedAtOnce = 64;

/** Real runs of one attempt, made by commands, which take any number of scenarios; each then multiplied. Returns the data folder. */
export async function fillStore(
  { scenarios, attempts, words }: StoredRuns,
  { scratch, model }: Pick<BenchContext, "scratch" | "model">,
): Promise<string> {
  const dataFolder = await mkdtemp(join(scratch, "stored-"));
  for (const count of words) {
    const setting = { endpoint: model.at(`words-${count}`), concurrency: typedAtOnce, dataFolder };
    await runEvalCommand({ scenarios, turns: 1, attempts: 1 }, setting, scratch);
  }
  multiplyRuns(dataFolder, attempts);
  return dataFolder;
}

/** One question to a store. A fresh service for each, so that its peak of memory is the question's own. */
export async function measureReading(
  dataFolder: string,
  read: (service: Rehearsal, ids: readonly string[]) => Promise<unknown>,
  { scratch }: Pick<BenchContext, "scratch">,
): Promise<Figures> {
  const service = await startRehearsal({ scratch, dataFolder });
  try {
    const { runs } = await getJson<{ runs: readonly RunView[] }>(`${service.evaluation}/runs?limit=2`);
    const began = performance.now();
    await read(
      service,
      runs.map(({ run_id }) => run_id),
    );
    return {
      wall_s: (performance.now() - began) / 1000,
      peak_mb: service.peakMegabytes(),
      store_mb: (await stat(join(dataFolder, "rehearsal.db"))).size / 1024 ** 2,
    };
  } finally {
    await service.stop();
  }
}
