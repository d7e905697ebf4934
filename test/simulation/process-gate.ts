import type { Database } from "../../src/storage/tables/database.ts";

/** The boundary between the code of one simulated process and everything outside it. */
export interface ProcessGate {
  readonly isRunning: boolean;
  /** When it started, or was last resumed. */
  readonly runningSince: number;
  /** When it was last resumed after a pause. */
  readonly resumedAt: number;
  /** Resolves when the process runs: at once, after a pause, or never when it was killed. */
  pass(): Promise<void>;
  kill(): void;
  pause(): void;
  resume(): void;
}

export function createProcessGate(): ProcessGate {
  let dead = false;
  let runningSince = performance.now();
  let resumedAt = Number.NEGATIVE_INFINITY;
  let paused: PromiseWithResolvers<void> | null = null;

  return {
    get isRunning() {
      return !dead && !paused;
    },
    get runningSince() {
      return runningSince;
    },
    get resumedAt() {
      return resumedAt;
    },
    async pass() {
      while (paused) await paused.promise;
      if (dead) await new Promise<never>(() => {});
    },
    kill() {
      dead = true;
    },
    pause() {
      paused ??= Promise.withResolvers();
    },
    resume() {
      runningSince = resumedAt = performance.now();
      paused?.resolve();
      paused = null;
    },
  };
}

/** A write in progress when the process is killed takes place, but its result is lost. */
export function gated(database: Database, gate: ProcessGate): Database {
  return {
    reader: database.reader,
    async write(work, options) {
      await gate.pass();
      const result = await database.write(work, options);
      await gate.pass();
      return result;
    },
    close: async () => {},
  };
}
