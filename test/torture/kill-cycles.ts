import { randomUUIDv7 } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { finalStates } from "../../src/contract/schemas/run.ts";
import type { NewRun, Store } from "../../src/contract/ports/store.ts";
import { createRandom } from "../../src/base/random.ts";
import { newSeed, patienceMs } from "../support/sizes.ts";
import { buildWorker } from "./build-worker.ts";
import { checkRuns, type CheckedRun, type Findings } from "./check-runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startCountingProvider } from "./counting-provider.ts";
import { runOnDoomedService } from "./doomed-service.ts";
import { logbook, tortureRun, turnNames } from "./torture-run.ts";
import { openTortured } from "./tortured-storage.ts";
import { createVictims } from "./victims.ts";

/** Runs in a world have few attempts, so that many are interrupted behind their first turn. */
const acting = { scenarios: 3, world: logbook };
const shapes = {
  simulated: { ...acting, simulated: true },
  plain: { scenarios: 20 },
  acting,
  foreign: { ...acting, foreign: true },
  "foreign-simulated": { ...acting, foreign: true, simulated: true },
};
export type RunKind = keyof typeof shapes;

/** Runs without a world, with one, with a simulated user in one, and with an agent that has a tool loop of its own. */
const allKinds: readonly RunKind[] = ["simulated", "plain", "acting", "foreign", "plain", "foreign-simulated"];

export const isRunKind = (name: string): name is RunKind => Object.hasOwn(shapes, name);

interface KillCyclesOptions {
  /** A database file, or the address of a PostgreSQL. */
  readonly address: string;
  readonly cycles: number;
  readonly workers: number;
  /** Every this many cycles a whole `rehearsal serve` is killed instead of a worker, right after it has accepted a run. */
  readonly serviceEvery?: number;
  /** When each turn was stored, by its user message. */
  readonly readStoredAt: (runIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Runs after each cycle, for further faults. */
  readonly between?: (cycle: number) => Promise<void>;
  readonly onCycle?: (cycle: number) => void;
  /** Starts no further cycle when it aborts; the cycles until then are checked as usual. */
  readonly signal?: AbortSignal;
  /** The kinds of runs, in turn. Default: all. */
  readonly kinds?: readonly RunKind[];
  /** Decides which process is killed and after how many calls. Default: a new seed. */
  readonly seed?: number;
}

/**
 * Kills one of the workers, or a service, with SIGKILL after a few calls, again and again, while there is always work to
 * do. Then a worker that is not killed finishes everything, and the stored turns are checked. Prints the seed first.
 */
export async function killCycles(options: KillCyclesOptions): Promise<Findings> {
  const { address, cycles, workers, serviceEvery = Number.POSITIVE_INFINITY } = options;
  const { between = async () => {}, onCycle = () => {}, seed = newSeed("TORTURE_SEED"), kinds = allKinds } = options;
  const random = createRandom(String(seed));
  process.stdout.write(`${cycles} kills, TORTURE_SEED=${seed}\n`);
  await using provider = await startCountingProvider({ latencyMs: 5 });
  await using storage = await openTortured(address);
  const { store } = storage;
  const runs: CheckedRun[] = [];
  await using folder = await temporaryFolder();
  const script = await buildWorker(folder.path);
  await using victims = createVictims({ address, script, cacheFolder: folder.file("cache") });

  async function keepBusy(): Promise<void> {
    const open = await Promise.all(runs.slice(-2).map((run) => store.runs.get(run.id)));
    if (open.filter((run) => run && !finalStates.has(run.state)).length >= 2) return;
    const run = newRun();
    await whileServerIsAway(() => store.runs.create(run));
    runs.push({ id: run.id, turns: turnsOf(run) });
  }

  function newRun(): NewRun {
    const kind = kinds[runs.length % kinds.length] ?? "plain";
    return tortureRun({ id: randomUUIDv7(), endpoint: provider.url, turns, ...shapes[kind] });
  }
  // Enough to kill some agents in the middle of a turn, all of which begin at the same time.
  const someCalls = (): Promise<void> => provider.arrived(1 + Math.floor(random() * 16));

  async function killWorker(): Promise<void> {
    await keepBusy();
    while (victims.size < workers) victims.start();
    const enough = someCalls().then(() => true);
    // The open runs may have fewer calls left than are waited for.
    while (!(await Promise.race([enough, sleep(1_000, false)]))) await keepBusy();
    await victims.kill(Math.floor(random() * victims.size));
  }

  async function killService(): Promise<void> {
    const run = newRun();
    runs.push({ id: await runOnDoomedService({ address, run, until: someCalls }), turns: turnsOf(run) });
  }

  for (let cycle = 0; cycle < cycles && !options.signal?.aborted; cycle += 1) {
    await (cycle % serviceEvery === serviceEvery - 1 ? killService() : killWorker());
    await between(cycle);
    onCycle(cycle);
  }
  victims.start();
  await ended(store, runs);
  return await checkRuns(runs, { store, provider, storedAt: await options.readStoredAt(runs.map((run) => run.id)) });
}

const turns = 3;

function turnsOf({ id, scenarios }: NewRun): string[] {
  return scenarios.flatMap((_, scenario) => turnNames(`${id} s${scenario}`, turns));
}

async function ended(store: Store, runs: readonly CheckedRun[]): Promise<void> {
  const deadline = performance.now() + patienceMs / 2;
  for (const { id } of runs) {
    for (;;) {
      const run = await whileServerIsAway(() => store.runs.get(id));
      if ((run && finalStates.has(run.state)) || performance.now() > deadline) break;
      await sleep(50);
    }
  }
}

async function whileServerIsAway<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries > 600) throw error;
      await sleep(100);
    }
  }
}
