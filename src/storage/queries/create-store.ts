import { randomUUID } from "node:crypto";
import { isStoreFailure } from "../../contract/errors/errors.ts";
import type { Store } from "../../contract/ports/store.ts";
import { noDispatch, type Database, type Dispatch, type Writer } from "../tables/database.ts";
import type { HostClock } from "../tables/host.ts";
import { tidyKeyRates } from "./api-keys.ts";
import { tidyLimits } from "../limits/create-limits.ts";
import { averagesOfScenarios, findAttempt, reaverageAttempt, streamAttempts, streamAverages } from "./attempts.ts";
import { storeRun } from "./create-run.ts";
import { interactionsAfter, interactionsOfAttempts, streamScoredTurns } from "./interactions.ts";
import { appendToJournal, journalOfAttempt } from "./journal.ts";
import { noCarriers, noRescorings, type RunCarriers, type RunRescorings } from "./run-holds.ts";
import {
  cancelRun,
  addLateCalls,
  changeRun,
  endRun,
  removeRun,
  resummarizeRun,
  startRun,
  tidyRuns,
} from "./run-lifecycle.ts";
import {
  countScenarios,
  findRunRecord,
  listRuns,
  scenariosAt,
  scenariosOfRun,
  stateOfRun,
  unconcludedRuns,
} from "./runs.ts";
import { totalsOfRun } from "./scenario-totals.ts";
import { createSpanStore } from "./spans.ts";
import { changeVerdicts, skipsOfRun, verdictsOfRun } from "./verdicts.ts";
import { rescoreInteractions, storeScores, storeInteraction } from "./store-interactions.ts";
import { readWorkload } from "./workload.ts";

interface StoreOptions {
  readonly database: Database;
  readonly clock: HostClock;
  /** Called when a run with work to do has been committed. */
  readonly onWork: () => void;
  /** Called when the cancellation of a run has been committed. */
  readonly onCancel: (runId: string) => void;
  readonly carriers?: RunCarriers;
  readonly rescorings?: RunRescorings;
  readonly close: () => Promise<void>;
  readonly dispatch?: Dispatch;
  /** The time that leases are measured on. Default: the monotonic clock of the host. */
  readonly readNow?: (writer: Writer) => Promise<number>;
}

/** The store on any database with this schema. */
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
  const { write, check: checkWrites } = trackWriteHealth(database);
  return {
    runs: {
      async create(run, { mostUnfinished } = {}) {
        if (run.tied) await carriers.announce();
        const created = await write((writer) => storeRun(writer, run, { dispatch, carriers, mostUnfinished }));
        if (created.outcome === "created") onWork();
        return created;
      },
      get: (id) => findRunRecord(reader, id, carriers),
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
      finish: (id, end) => write((writer) => endRun(writer, id, end)),
      scenarioTotals: (run) => totalsOfRun(reader, run),
      resummarize: (id, figures, hold) => write((writer) => resummarizeRun(writer, id, figures, hold)),
      holdForRescore: rescorings.hold,
      releaseAfterRescore: rescorings.release,
      async cancel(id) {
        const stops = await write((writer) => cancelRun(writer, id, dispatch));
        if (stops) onCancel(id);
        return stops;
      },
      change: (id, changes) => write((writer) => changeRun(writer, id, changes)),
      addLateCalls: (id, count) => write((writer) => addLateCalls(writer, id, count)),
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
      scored: (runId, { failed = false, calls = false } = {}) => streamScoredTurns(database, { runId, failed, calls }),
      after: (runId, seq, limit) => interactionsAfter(reader, { runId, seq, limit }),
      store: (lease, interaction) =>
        write((writer) => storeInteraction(writer, lease, { ...interaction, finished_at: clock.now() })),
      score: (lease, turn) => write((writer) => storeScores(writer, lease, turn)),
      rescore: (hold, turns) => write((writer) => rescoreInteractions(writer, hold, turns)),
    },
    journal: {
      ofAttempt: (attemptId) => journalOfAttempt(reader, attemptId),
      append: (lease, part) => write((writer) => appendToJournal(writer, lease, part)),
    },
    spans: createSpanStore({ reader, write, now: clock.now }),
    verdicts: {
      ofRun: (runId) => verdictsOfRun(reader, runId),
      change: (runId, changes) => write((writer) => changeVerdicts(writer, runId, changes)),
      skips: (runId) => skipsOfRun(reader, runId),
    },
    workload: () => readWorkload(reader),
    async check() {
      database.checkFile?.();
      await reader.selectFrom("run").select("id").limit(1).execute();
    },
    checkWrites,
    close,
  };
}

interface WriteHealth {
  readonly write: Database["write"];
  /** Rejects when the last write failed because of the store and a probe write fails too. */
  check(): Promise<void>;
}

/** Remembers whether the last write failed, so that a health check costs no write while writes succeed. */
export function trackWriteHealth(database: Pick<Database, "write">): WriteHealth {
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
      if (refused) await (trial ??= write(probeWrite).finally(() => (trial = null)));
    },
  };
}

/** Writes to the disk without a visible effect: inserts and deletes a process that counts as dead. */
async function probeWrite(writer: Writer): Promise<void> {
  const id = `trial:${randomUUID()}`;
  await writer.insertInto("agent_process").values({ id, alive_until: 0 }).execute();
  await writer.deleteFrom("agent_process").where("id", "=", id).execute();
}
