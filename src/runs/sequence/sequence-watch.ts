import { setTimeout as sleep } from "node:timers/promises";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import { Postponed } from "../stored/attempt-errors.ts";

/** Decides whether the scenarios of a run that stops when it is decided still have to run. */
export interface SequenceWatch {
  /**
   * True when the scenario may run, false when the comparison is over. Waits while the scenario is too far ahead of those that
   * are complete on both sides, and throws `Postponed` when that takes long, so that the other side can have the slot.
   */
  admit(scenarioIndex: number, signal: AbortSignal): Promise<boolean>;
  /** An attempt of either side has ended. */
  changed(): void;
}

interface SequenceWatches {
  /** Null for a run with a fixed number of attempts. Both sides of a comparison share one. */
  of(run: RunRecord, scenarios: number): SequenceWatch | null;
  forget(run: RunRecord["id"]): void;
}

export function createSequenceWatches(store: Store): SequenceWatches {
  const watches = new Map<string, SequenceWatch>();
  return {
    of(run, scenarios) {
      const { sequence } = run.settings;
      if (!sequence) return null;
      const id = sequence.side === "candidate" ? run.id : (sequence.opponent ?? run.id);
      const watch = watches.get(id) ?? new StoreWatch(store, run, scenarios);
      watches.set(id, watch);
      return watch;
    },
    forget: (id) => void watches.delete(id),
  };
}

/** How long an attempt waits for others before it gives its slot back. */
const patienceMs = 1_000;
/** Attempts of other processes are noticed after this time. */
const staleMs = 500;
const pauseMs = 20;

class StoreWatch implements SequenceWatch {
  readonly #store: Store;
  readonly #run: RunRecord;
  /** How many scenarios may be in progress beyond those that are complete: calls that a verdict cannot save. */
  readonly #lead: number;
  /** The test is repeated after so many attempts. */
  readonly #batch: number;
  #complete = 0;
  #isOver = false;
  #ended = Number.POSITIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | null = null;

  constructor(store: Store, run: RunRecord, scenarios: number) {
    const { attempts, concurrency = 0 } = run.settings;
    this.#store = store;
    this.#run = run;
    this.#lead = Math.max(6, Math.ceil(scenarios / 20), Math.ceil(concurrency / attempts));
    this.#batch = Math.max(1, Math.ceil((scenarios * attempts) / 25));
  }

  changed(): void {
    this.#ended += 1;
  }

  async admit(scenarioIndex: number, signal: AbortSignal): Promise<boolean> {
    const givesUpAt = performance.now() + patienceMs;
    for (;;) {
      const isAhead = scenarioIndex >= this.#complete + this.#lead;
      const isStale = performance.now() - this.#checkedAt > staleMs;
      if (this.#ended >= this.#batch || (isAhead && (this.#ended > 0 || isStale))) await this.#check();
      if (this.#isOver) return false;
      if (scenarioIndex < this.#complete + this.#lead) return true;
      if (performance.now() > givesUpAt) throw new Postponed("The scenarios before this one are not complete yet");
      await sleep(pauseMs, undefined, { signal });
    }
  }

  #check(): Promise<void> {
    this.#checking ??= this.#readState().finally(() => (this.#checking = null));
    return this.#checking;
  }

  async #readState(): Promise<void> {
    this.#ended = 0;
    this.#checkedAt = performance.now();
    const { candidateOf, creationMs, readSequence } = await import("./read-sequence.ts");
    const run = (await this.#store.runs.get(this.#run.id)) ?? this.#run;
    const candidate = await candidateOf(this.#store, run);
    // A candidate that was deleted, or was never stored: there is nothing to decide.
    if (!candidate) {
      this.#isOver = Date.now() - run.created_at > creationMs;
      return;
    }
    const { complete, over } = await readSequence(this.#store, candidate, { trace: false });
    this.#complete = complete;
    this.#isOver = over;
  }
}
