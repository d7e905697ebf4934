import type { ClaimedAttempt, ClaimOptions, Queue } from "../../../contract/ports/queue.ts";
import type { Database, Reader } from "../../tables/database.ts";
import { registerWorker } from "../../tables/host.ts";
import { statement } from "../../queries/statement.ts";
import { closeRemainingAttempts } from "../../queries/run-lifecycle.ts";
import { stateOfRun } from "../../queries/runs.ts";
import { activeRunStates } from "../../queries/conditions.ts";
import { createRoundRobin } from "../leases/fair-share.ts";
import {
  hasExpired,
  isKnownDead,
  reclaimAttempts,
  reclaimFromDeadWorkers,
  renewLeases,
  type ReclaimedAttempt,
  type ReclaimOptions,
} from "../leases/leases.ts";
import type { AttemptWrites } from "./attempt-writes.ts";
import { claimFromRuns, claimFromSlices, replaceSlices } from "./claim.ts";
import { readNow } from "./clock.ts";
import { HeldSlices, type HeldSlice } from "./held-slices.ts";
import { lockAttempts } from "./lock-attempts.ts";
import { slicesFor, type FetchOptions, type Slices } from "./slices.ts";

interface BossQueueOptions extends ReclaimOptions {
  readonly database: Database;
  readonly slices: Slices;
  readonly writes: Pick<AttemptWrites, "finish" | "release">;
  readonly leaseMs: number;
  /** How long a worker relies on notifications before it asks for slices again. */
  readonly lookMs: number;
  readonly announce: () => void;
  readonly onWork: Queue["onWork"];
  readonly onCancel: Queue["onCancel"];
}

interface BossQueue extends Queue {
  /** Slices may be waiting. */
  noticed(): void;
  /** Looks for dead and silent workers, and keeps or returns the slices of this process that are not in use. */
  sweep(): Promise<number>;
  /** Returns every slice, so that other workers continue at once. */
  close(): Promise<void>;
}

const closedInOneSweep = 5_000;
/** So many attempts of a slice are claimed while other runs wait for a worker. */
const attemptsPerTurn = 4;
/** Slices without attempts in progress are returned when no worker of this process has claimed for so long. */
const unusedMs = 5_000;
/** Sweeps between two looks of pg-boss for slices of silent workers without attempts, and for its maintenance. */
const sweepsPerSupervision = 2;
/** Sweeps between two looks for slices that were given up. */
const sweepsPerDeadLook = 10;

/**
 * A queue on two levels: pg-boss hands slices of runs to processes, in the order in which they were made, and a process
 * leases attempts of these runs on their rows. The rows, with their fences, are authoritative.
 */
export function createBossQueue({
  database,
  slices,
  writes,
  leaseMs,
  lookMs,
  announce,
  onWork,
  onCancel,
  host,
  pid,
  brokeDown,
}: BossQueueOptions): BossQueue {
  const { reader, write } = database;
  const order = createRoundRobin();
  const held = new HeldSlices();
  const deadRuns = new Set<string>();
  let lookAt = 0;
  /** The last look for runs without a worker found some, so there may be more of them than places. */
  let runsWait = false;
  let claimedAt = Number.NEGATIVE_INFINITY;
  /** When this process last swept, and until when silence says nothing, by the clock of the database. */
  let sweptAt = Number.POSITIVE_INFINITY;
  let graceUntil = Number.NEGATIVE_INFINITY;
  let sweeps = 0;

  async function claim(options: ClaimOptions): Promise<readonly ClaimedAttempt[]> {
    const began = performance.now();
    claimedAt = began;
    held.dropExpired(began - leaseMs);
    const look = began >= lookAt;
    if (look) lookAt = began + lookMs;
    const { limit } = options;
    if (look) await fetchNewRuns(options);
    const claimed = held.all.length > 0 ? [...(await claimHeld(options))] : [];
    let free = limit - claimed.length;
    while (look && free > 0 && !claimed.some(({ alone }) => alone) && (await fetch({ limit: slicesFor(free) })) > 0) {
      claimed.push(...(await claimHeld({ ...options, limit: free })));
      free = limit - claimed.length;
    }
    return claimed;
  }

  /** Runs without a worker come first: none waits for the second attempt of another, or for a lower priority. */
  async function fetchNewRuns({ limit, spare = 0 }: ClaimOptions): Promise<void> {
    const places = limit > 0 ? limit : limit + spare;
    const idle = held.idleRuns;
    if (places > idle.length) {
      runsWait = (await fetch({ limit: places - idle.length, newRuns: true })) > 0;
      if (!runsWait) held.continueTurns();
    }
    if (places <= 0 || idle.length === 0) return;
    const minPriority = 1 + Math.min(...idle.map(({ priority }) => priority));
    await fetch({ limit: Math.min(places, idle.length), newRuns: true, minPriority });
  }

  /** Returns the number of new slices. When there are as many as asked for, more may be waiting. */
  async function fetch(options: FetchOptions): Promise<number> {
    const found = await slices.fetch(options);
    held.add(found, performance.now());
    if (found.length === options.limit) lookAt = 0;
    return found.length;
  }

  async function claimHeld(options: ClaimOptions): Promise<readonly ClaimedAttempt[]> {
    const { claimed, ended, sent } = await write((writer) =>
      claimFromSlices(writer, { ...options, leaseMs, order, slices, held }),
    );
    held.drop(ended);
    for (const slice of held.all) slice.more = 0;
    if (claimed === null) {
      await fetchNewRuns(options);
      return claimHeld(options);
    }
    let anyUsedUp = sent;
    for (const { run_id, lease } of claimed) {
      if (held.claimed(run_id, lease.attempt_id)) anyUsedUp = true;
    }
    const isFull = claimed.length >= options.limit;
    if (runsWait && isFull && held.endTurns(attemptsPerTurn)) anyUsedUp = true;
    if (anyUsedUp) lookAt = 0;
    return claimed;
  }

  async function heartbeat(worker: string, leases: Parameters<Queue["heartbeat"]>[1]): Promise<readonly string[]> {
    if (leases.length === 0) return [];
    const ids = leases.map((lease) => lease.attempt_id);
    const used = held.of(ids);
    const { lost, kept } = await write(async (writer) => {
      await lockAttempts(writer, ids);
      const until = (await readNow(writer)) + leaseMs;
      return {
        lost: await renewLeases(writer, { worker, leases, until }),
        kept: await slices.touch(writer, used),
      };
    });
    held.renewed(used, kept, performance.now());
    for (const id of lost) held.released(id);
    return lost;
  }

  async function sweep(): Promise<number> {
    const found = await lookForTrouble(reader);
    const { now } = found;
    // This process, the server or the host was suspended, or the server unreachable: no heartbeat could arrive, so
    // live workers get time to send one.
    if (now - sweptAt > leaseMs / 2) graceUntil = now + 0.75 * leaseMs;
    sweptAt = now;
    const isCalm = now >= graceUntil;
    const taken = await reclaim(found, isCalm);
    // The slices of attempts that have expired are silent for as long.
    if (isCalm && (taken.length > 0 || sweeps % sweepsPerSupervision === 0)) await slices.supervise();
    await keepUnused();
    if (sweeps++ % sweepsPerDeadLook === 0) for (const id of await slices.dead(hasEnded)) deadRuns.add(id);
    return taken.length;
  }

  async function recover(): Promise<number> {
    const taken = await reclaim(await lookForTrouble(reader), true);
    await slices.supervise();
    return taken.length;
  }

  async function reclaim({ owners, unclosed, expired, now }: Trouble, isCalm: boolean): Promise<ReclaimedAttempt[]> {
    const here = { host, pid, brokeDown };
    const taken = owners.some((worker) => isKnownDead(worker, here))
      ? await write((writer) => reclaimFromDeadWorkers(writer, here))
      : [];
    // Their slices would be noticed only when their heartbeats are overdue.
    await slices.fail([...new Set(taken.flatMap(({ slice }) => slice ?? []))]);
    if (expired && isCalm) {
      taken.push(...(await write((writer) => reclaimAttempts(writer, hasExpired(now)))));
    }
    if (unclosed) await write((writer) => closeRemainingAttempts(writer, closedInOneSweep));
    if (taken.length > 0) noticed();
    return taken;
  }

  async function hasEnded(runId: string): Promise<boolean> {
    const state = await stateOfRun(reader, runId);
    return state === null || !(activeRunStates as readonly string[]).includes(state);
  }

  async function keepUnused(): Promise<void> {
    const unused = held.idle;
    if (unused.length === 0) return;
    if (performance.now() - claimedAt > unusedMs) return giveBack(unused);
    held.renewed(unused, await write((writer) => slices.touch(writer, unused)), performance.now());
  }

  async function giveBack(returned: readonly HeldSlice[]): Promise<void> {
    if (returned.length === 0) return;
    held.drop(returned);
    await write((writer) => replaceSlices(writer, slices, { ended: returned, isOpen: () => true }));
  }

  function noticed(): void {
    lookAt = 0;
    announce();
  }

  return {
    claim(options) {
      registerWorker(options.worker);
      const { runs } = options;
      if (!runs) return claim(options);
      return write((writer) => claimFromRuns(writer, { ...options, runs, leaseMs, order }));
    },
    heartbeat,
    async finish(lease, result) {
      const outcome = await writes.finish(lease, result).finally(() => held.ended(lease.attempt_id));
      if (outcome.finished) announce();
      return outcome;
    },
    async release(lease, options) {
      await writes.release(lease, options).finally(() => held.released(lease.attempt_id));
      announce();
    },
    recover,
    takeAbandoned() {
      const runIds = [...deadRuns];
      deadRuns.clear();
      return runIds;
    },
    onWork,
    onCancel,
    noticed,
    sweep,
    close: () => giveBack(held.all),
  };
}

interface Trouble {
  readonly now: number;
  /** The workers that hold attempts. */
  readonly owners: readonly string[];
  readonly expired: boolean;
  /** Runs that ended have attempts left to close. */
  readonly unclosed: boolean;
}

const selectTrouble = statement<Trouble>(
  `select clock.now, clock.now >= coalesce((
        select lease_until from attempt where state = 'running' order by lease_until limit 1
      ), clock.now + 1) as expired,
      array(select distinct lease_owner from attempt where state = 'running' and lease_owner is not null) as owners,
      exists (select 1 from run where unclosed = 1) as unclosed
    from (select floor(extract(epoch from now()) * 1000)::bigint as now) as clock`,
);

async function lookForTrouble(reader: Reader): Promise<Trouble> {
  const [row] = await selectTrouble(reader, []);
  return row!;
}

interface SweepOptions {
  readonly sweep: () => Promise<unknown>;
  /** 0: never. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** Repeats a sweep, with a pause after each. */
export function startSweeps({ sweep, everyMs, onError }: SweepOptions): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let stopped = everyMs <= 0;

  function next(): void {
    // Jitter keeps processes that started together from sweeping together.
    if (!stopped) timer = setTimeout(run, everyMs * (0.8 + 0.4 * Math.random())).unref();
  }

  function run(): void {
    underWay = sweep().catch(onError).finally(next);
  }

  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
