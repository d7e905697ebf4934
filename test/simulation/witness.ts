import type { ProcessGate } from "./process-gate.ts";

/** Observes all processes and collects violations of promises, in words, with the virtual time. */
export interface Witness {
  readonly problems: readonly string[];
  readonly calls: number;
  readonly ended: ReadonlySet<string>;
  readonly storedTurns: ReadonlySet<string>;
  /** `turn` is null for a call of a judge: it may be made again, but the limits hold for it too. */
  callStarted(call: { run: string; turn: string | null; process: number; gate: ProcessGate }): { ended(): void };
  stored(turn: string): void;
  runEnded(run: string): void;
  cancelled(run: string): void;
}

export interface WitnessOptions {
  readonly now: () => number;
  readonly callsAtOnce: number;
  readonly perMinute?: number | undefined;
}

/** No call may start this long after a cancellation was committed: other processes poll for it every 25 ms. */
const cancelMs = 100;
/**
 * A process suspended right before a call makes it when it is resumed, although others have taken over its attempt and its
 * slot at the endpoint meanwhile; its result is refused. This long after it was resumed it must have learned of the loss.
 */
const resumeMs = 20;

export function createWitness({ now, callsAtOnce, perMinute }: WitnessOptions): Witness {
  const problems: string[] = [];
  const storedTurns = new Set<string>();
  const ended = new Set<string>();
  const cancelledAt = new Map<string, number>();
  const starts: number[] = [];
  let underWay = 0;
  const say = (text: string): void => void problems.push(`${Math.round(now())} ms: ${text}`);

  /** A second's worth may come at once, and permits may be used half a second late. */
  function checkRate(): void {
    if (perMinute === undefined) return;
    const perMs = perMinute / 60_000;
    const last = starts.length - 1;
    for (let first = Math.max(0, last - 40); first < last; first += 1) {
      const most = perMs * (starts[last]! - starts[first]! + 1_500) + 2;
      const count = last - first + 1;
      if (count > most) return say(`${count} calls in ${starts[last]! - starts[first]!} ms at ${perMinute}/min`);
    }
  }

  return {
    problems,
    storedTurns,
    ended,
    get calls() {
      return starts.length;
    },
    callStarted({ run, turn, process, gate }) {
      starts.push(now());
      if (!gate.isRunning) say(`process ${process} called although it does not run`);
      const isInformed = performance.now() > gate.resumedAt + resumeMs;
      if (isInformed) underWay += 1;
      if (underWay > callsAtOnce) say(`${underWay} calls at once, ${callsAtOnce} are allowed`);
      if (isInformed && turn !== null && storedTurns.has(turn)) say(`${turn} was asked for again after it was stored`);
      if (isInformed && turn !== null && ended.has(run)) say(`${turn} was asked for after its run had ended`);
      // A process that was suspended meanwhile learns of it when it runs again.
      const known = Math.max(cancelledAt.get(run) ?? Number.POSITIVE_INFINITY, gate.runningSince) + cancelMs;
      if (performance.now() > known) say(`${turn ?? "a judge's call"} began after the cancel`);
      checkRate();
      return { ended: () => void (underWay -= Number(isInformed)) };
    },
    stored(turn) {
      if (storedTurns.has(turn)) say(`${turn} was stored twice`);
      storedTurns.add(turn);
    },
    runEnded(run) {
      if (ended.has(run)) say(`${run} ended twice`);
      ended.add(run);
    },
    cancelled: (run) => void cancelledAt.set(run, performance.now()),
  };
}
