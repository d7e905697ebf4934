import { randomUUID } from "node:crypto";
import { isStoreFailure } from "../contract/errors.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Clock } from "./clock.ts";
import type { Database, Writer } from "./database.ts";
import { noDispatch, type Dispatch } from "./dispatch.ts";
import { tidyKeyRates } from "./limits/key-rates.ts";
import { tidyLimits } from "./limits/tidy-limits.ts";
import { averagesOfScenarios, streamAverages } from "./queries/attempt-averages.ts";
import { findAttempt, streamAttempts } from "./queries/attempts.ts";
import { createRun } from "./queries/create-run.ts";
import { interactionsAfter, interactionsOfAttempts } from "./queries/interactions.ts";
import { reaverageAttempt } from "./queries/reaverage-attempt.ts";
import { removeRun, tidyRuns } from "./queries/remove-runs.ts";
import { scenariosOfRun } from "./queries/run-scenarios.ts";
import {
  cancelRun,
  findRun,
  finishRun,
  listRuns,
  resummarizeRun,
  startRun,
  stateOfRun,
  unconcludedRuns,
} from "./queries/runs.ts";
import { countScenarios, scenariosAt } from "./queries/scenarios-at.ts";
import { rescoreInteractions, scoreInteraction } from "./queries/score-interactions.ts";
import { streamScoredTurns } from "./queries/scored-turns.ts";
import { storeInteraction } from "./queries/store-interaction.ts";
import { noCarriers, type RunCarriers } from "./run-carriers.ts";
import { noRescorings, type RunRescorings } from "./run-rescorings.ts";

interface StoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Told when a run with work to do has been committed. */
  readonly onWork: () => void;
  /** Told when the cancellation of a run has been committed. */
  readonly onCancel: (runId: string) => void;
  readonly carriers?: RunCarriers;
  readonly rescorings?: RunRescorings;
  readonly close: () => Promise<void>;
  readonly dispatch?: Dispatch;
  /** The time by which leases are judged. Default: the steady clock. */
  readonly readNow?: (writer: Writer) => Promise<number>;
}

/** The store on any database that has our schema. */
export function createStore({
  database,
  clock,
  onWork,
  onCancel,
  carriers = noCarriers,
  rescorings = noRescorings,
  close,
  dispatch = noDispatch,
  readNow = async () => clock.steady(),
}: StoreOptions): Store {
  const { reader } = database;
  const { write, check: checkWrites } = watchWrites(database);
  return {
    runs: {
      async create(run, { mostUnfinished } = {}) {
        if (run.tied) await carriers.announce();
        const created = await write((writer) => createRun(writer, run, { dispatch, carriers, mostUnfinished }));
        if (created.outcome === "created") onWork();
        return created;
      },
      get: (id) => findRun(reader, id, carriers),
      state: (id) => stateOfRun(reader, id),
      list: (filter) => listRuns(reader, filter, carriers),
      scenarios: (id) => scenariosOfRun(database, id),
      scenariosAt: (id, indexes) => scenariosAt(reader, id, indexes),
      countScenarios: (id) => countScenarios(reader, id),
      async carry(id) {
        await carriers.announce();
        await write((writer) => carriers.add(writer, id));
      },
      start: (id, at) => write((writer) => startRun(writer, id, at)),
      finish: (id, end) => write((writer) => finishRun(writer, id, { ...end, dispatch })),
      resummarize: (id, figures, hold) => write((writer) => resummarizeRun(writer, id, figures, hold)),
      holdForRescore: rescorings.hold,
      releaseAfterRescore: rescorings.release,
      async cancel(id) {
        const stops = await write((writer) => cancelRun(writer, id, dispatch));
        if (stops) onCancel(id);
        return stops;
      },
      remove: (id) => write((writer) => removeRun(writer, id)),
      tidy: (options) =>
        write(async (writer) => {
          const now = await readNow(writer);
          await tidyLimits(writer, now);
          await tidyKeyRates(writer, now);
          return tidyRuns(writer, options);
        }),
      unconcluded: () => unconcludedRuns(reader),
    },
    attempts: {
      get: (id) => findAttempt(reader, id),
      withInteractions: (runId, scenarioIndex) => streamAttempts(database, runId, scenarioIndex),
      averages: (runId) => streamAverages(database, runId),
      averagesOf: (runId, indexes) => averagesOfScenarios(reader, runId, indexes),
      reaverage: (hold, attempt) => write((writer) => reaverageAttempt(writer, hold, attempt)),
    },
    interactions: {
      ofAttempt: (attemptId) => interactionsOfAttempts(reader, [attemptId]),
      scored: (runId, { failed = false } = {}) => streamScoredTurns(database, { runId, failed }),
      after: (runId, seq, limit) => interactionsAfter(reader, { runId, seq, limit }),
      store: (lease, interaction) =>
        write((writer) => storeInteraction(writer, lease, { ...interaction, finished_at: clock.now() })),
      score: (lease, turn) => write((writer) => scoreInteraction(writer, lease, turn)),
      rescore: (hold, turns) => write((writer) => rescoreInteractions(writer, hold, turns)),
    },
    async check() {
      database.checkPlace?.();
      await reader.selectFrom("run").select("id").limit(1).execute();
    },
    checkWrites,
    close,
  };
}

interface WatchedWrites {
  readonly write: Database["write"];
  /** Rejects when the last write failed because of the store, and so does one that is made to find out whether it still does. */
  check(): Promise<void>;
}

/** Remembers how the last write ended: as long as writes go well, to ask whether the store takes any costs none. */
export function watchWrites(database: Pick<Database, "write">): WatchedWrites {
  let refused = false;
  let trial: Promise<void> | null = null;

  const write: Database["write"] = async (work, options) => {
    try {
      const result = await database.write(work, options);
      refused = false;
      return result;
    } catch (error) {
      refused ||= isStoreFailure(error);
      throw error;
    }
  };

  return {
    write,
    async check() {
      if (refused) await (trial ??= write(tryOut).finally(() => (trial = null)));
    },
  };
}

/** Changes the disk, and nothing that anybody can see: a process that is taken for dead is there and gone. */
async function tryOut(writer: Writer): Promise<void> {
  const id = `trial:${randomUUID()}`;
  await writer.insertInto("agent_process").values({ id, alive_until: 0 }).execute();
  await writer.deleteFrom("agent_process").where("id", "=", id).execute();
}
