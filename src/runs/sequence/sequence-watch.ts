import { setTimeout as sleep } from "node:timers/promises";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import { Postponed } from "../stored/attempt-errors.ts";
import { creationMs } from "../stored/finished-scenarios.ts";

/** Decides whether the scenarios of a run that stops when it is decided still have to run, and keeps variants in step. */
export interface SequenceWatch {
  /**
   * True when the scenario may run, false when the comparison is over. Waits while the scenario is too far ahead of those that
   * are complete in every run, and throws `Postponed` when that takes long, so that the other runs can have the slot.
   */
  admit(scenarioIndex: number, signal: AbortSignal): Promise<boolean>;
  /** An attempt of one of the runs has ended. */
  changed(): void;
}

interface SequenceWatches {
  /** Null for a run on its own with a fixed number of attempts. The runs of a comparison share what is read. */
  of(run: RunRecord, scenarios: number): SequenceWatch | null;
  forget(run: RunRecord["id"]): void;
}

export function createSequenceWatches(store: Store): SequenceWatches {
  const watches = new Map<string, SharedProgress>();

  function shared(id: string, read: ReadProgress, batch: number): SharedProgress {
    const known = watches.get(id) ?? new SharedProgress(read, batch);
    watches.set(id, known);
    return known;
  }

  return {
    of(run, scenarios) {
      const { sequence, experiment, attempts, concurrency = 0 } = run.settings;
      const pace = Math.max(Math.ceil(scenarios / 20), Math.ceil(concurrency / attempts));
      const batch = Math.max(1, Math.ceil((scenarios * attempts) / 25));
      if (sequence?.rivals) {
        const [id = run.id] = sequence.rivals;
        return new RunWatch(run.id, {
          progress: shared(id, () => readRivals(store, run), batch),
          lead: Math.max(6, pace),
        });
      }
      if (sequence) {
        const id = sequence.side === "candidate" ? run.id : (sequence.opponent ?? run.id);
        return new RunWatch(run.id, {
          progress: shared(id, () => readPair(store, run), batch),
          lead: Math.max(6, pace),
        });
      }
      if (!experiment || experiment.runs.length < 2) return null;
      const [id = run.id] = experiment.runs;
      const read = (): Promise<WatchProgress> => readSteps(store, experiment.runs, run.created_at);
      return new RunWatch(run.id, { progress: shared(id, read, batch), lead: Math.max(16, pace) });
    },
    forget: (id) => void watches.delete(id),
  };
}

/** How long an attempt waits for others before it gives its slot back. */
const patienceMs = 1_000;
/** Attempts of other processes are noticed after this time. */
const staleMs = 500;
const pauseMs = 20;

/** How far the runs of a comparison have come. */
interface WatchProgress {
  /** How many scenarios are complete in every run, from the first on. */
  complete(runId: string): number;
  /** True when the run needs no more scenarios. */
  isOver(runId: string): boolean;
}

type ReadProgress = () => Promise<WatchProgress>;

/** The progress of the runs of one comparison, read again after so many attempts. */
class SharedProgress {
  readonly #read: ReadProgress;
  readonly #batch: number;
  #progress: WatchProgress = { complete: () => 0, isOver: () => false };
  #ended = Number.POSITIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | null = null;

  constructor(read: ReadProgress, batch: number) {
    this.#read = read;
    this.#batch = batch;
  }

  changed(): void {
    this.#ended += 1;
  }

  /** The progress, read again when it is old. `isWaiting`: a scenario waits for it. */
  async latest(isWaiting: (progress: WatchProgress) => boolean): Promise<WatchProgress> {
    const isStale = performance.now() - this.#checkedAt > staleMs;
    if (this.#ended >= this.#batch || (isWaiting(this.#progress) && (this.#ended > 0 || isStale))) {
      this.#checking ??= this.#check().finally(() => (this.#checking = null));
      await this.#checking;
    }
    return this.#progress;
  }

  async #check(): Promise<void> {
    this.#ended = 0;
    this.#checkedAt = performance.now();
    this.#progress = await this.#read();
  }
}

class RunWatch implements SequenceWatch {
  readonly #runId: string;
  readonly #progress: SharedProgress;
  /** How many scenarios may be in progress beyond those that are complete: calls that a verdict cannot save. */
  readonly #lead: number;

  constructor(runId: string, { progress, lead }: { progress: SharedProgress; lead: number }) {
    this.#runId = runId;
    this.#progress = progress;
    this.#lead = lead;
  }

  changed(): void {
    this.#progress.changed();
  }

  async admit(scenarioIndex: number, signal: AbortSignal): Promise<boolean> {
    const givesUpAt = performance.now() + patienceMs;
    const isAhead = (progress: WatchProgress): boolean => scenarioIndex >= progress.complete(this.#runId) + this.#lead;
    for (;;) {
      const progress = await this.#progress.latest(isAhead);
      if (progress.isOver(this.#runId)) return false;
      if (!isAhead(progress)) return true;
      if (performance.now() > givesUpAt) throw new Postponed("The scenarios before this one are not complete yet");
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

/** Two runs, or one and something that stands still. */
async function readPair(store: Store, of: RunRecord): Promise<WatchProgress> {
  const { candidateOf, readSequence } = await import("./read-sequence.ts");
  const run = (await store.runs.get(of.id)) ?? of;
  const candidate = await candidateOf(store, run);
  // A candidate that was deleted, or was never stored: there is nothing to decide.
  if (!candidate) {
    const isGone = Date.now() - run.created_at > creationMs;
    return { complete: () => 0, isOver: () => isGone };
  }
  const { complete, over } = await readSequence(store, candidate, { trace: false });
  return { complete: () => complete, isOver: () => over };
}

/** None begins before all are stored. */
const notYet: WatchProgress = { complete: () => Number.NEGATIVE_INFINITY, isOver: () => false };

/** More than two variants that are compared until it is decided. */
async function readRivals(store: Store, of: RunRecord): Promise<WatchProgress> {
  const { readContest } = await import("../experiments/read-contest.ts");
  const contest = await readContest(store, (await store.runs.get(of.id)) ?? of);
  const isWhole = contest.runs === of.settings.sequence?.rivals?.length;
  if (!isWhole && Date.now() - of.created_at < creationMs) return notYet;
  return { complete: contest.completeFor, isOver: (id) => contest.over.has(id) };
}

/**
 * Variants with a fixed number of attempts: the slowest one sets the pace, and none begins before all are stored. Those that have ended
 * hold up no other.
 */
async function readSteps(store: Store, ids: readonly string[], createdAt: number): Promise<WatchProgress> {
  let complete = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const run = await store.runs.get(id);
    if (!run && Date.now() - createdAt < creationMs) return notYet;
    if (!run || finalStates.has(run.state) || run.state === "cancelling" || run.interrupted) continue;
    complete = Math.min(complete, Math.floor(run.progress.attempts_done / run.settings.attempts));
  }
  return { complete: () => complete, isOver: () => false };
}
