import type { Store } from "../contract/store.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database.ts";
import { findAttempt, streamAttempts } from "./queries/attempts.ts";
import { createRun } from "./queries/create-run.ts";
import { interactionsOfAttempts, scoreInteraction, storeInteraction } from "./queries/interactions.ts";
import {
  cancelRun,
  findRun,
  finishRun,
  listRuns,
  removeRun,
  scenariosOfRun,
  startRun,
  unconcludedRuns,
} from "./queries/runs.ts";

export interface StoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Told when a run with work to do has been committed. */
  readonly onWork: () => void;
  readonly close: () => Promise<void>;
}

/** The store on any database that has our schema. */
export function createStore({ database, clock, onWork, close }: StoreOptions): Store {
  const { reader, write } = database;
  return {
    runs: {
      async create(run) {
        const created = await write((writer) => createRun(writer, run));
        if (created.outcome === "created") onWork();
        return created;
      },
      get: (id) => findRun(reader, id),
      list: (filter) => listRuns(reader, filter),
      scenarios: (id) => scenariosOfRun(reader, id),
      start: (id, at) => write((writer) => startRun(writer, id, at)),
      finish: (id, end) => write((writer) => finishRun(writer, id, end)),
      cancel: (id) => write((writer) => cancelRun(writer, id)),
      remove: (id) => write((writer) => removeRun(writer, id)),
      unconcluded: () => unconcludedRuns(reader),
    },
    attempts: {
      get: (id) => findAttempt(reader, id),
      withInteractions: (runId) => streamAttempts(reader, runId),
    },
    interactions: {
      ofAttempt: (attemptId) => interactionsOfAttempts(reader, [attemptId]),
      store: (lease, interaction) =>
        write((writer) => storeInteraction(writer, lease, { ...interaction, finished_at: clock.now() })),
      score: (lease, turn) => write((writer) => scoreInteraction(writer, lease, turn)),
    },
    async check() {
      await reader.selectFrom("run").select("id").limit(1).execute();
    },
    close,
  };
}
