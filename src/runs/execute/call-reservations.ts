import { compact } from "../../base/compact.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { helperCalls } from "../../evaluation/budget/helper-calls.ts";
import { plannedPasses } from "../stored/passes.ts";

/** The part of a run's budget that is reserved for one attempt. */
export interface CallReservation {
  /** Gives up calls that have started or are not needed. */
  use(calls: number): void;
  /** Gives up the rest: the attempt is over. */
  release(): void;
}

export interface CallReservations {
  /** Resolves when an attempt with so many calls may start. Rejects when `signal` aborts meanwhile. */
  reserve(calls: number, signal: AbortSignal): Promise<CallReservation>;
  /** Starts waiting attempts that the budget covers by now. */
  recheck(): void;
}

interface WaitingAttempt {
  readonly calls: number;
  readonly start: (reservation: CallReservation) => void;
}

/**
 * Starts attempts only while the budget covers all their calls: many attempts that share a budget for a few would all end early. If no
 * attempt is in progress, the next one starts anyway, without a reservation.
 */
export function createCallReservations({
  covers,
}: {
  /** True when the budget covers so many more calls, of so many attempts. */
  covers: (needed: { calls: number; attempts: number }) => boolean;
}): CallReservations {
  let attempts = 0;
  let reserved = 0;
  const waiting = new Set<WaitingAttempt>();

  function reservationOf(calls: number): CallReservation {
    let left = calls;
    attempts += 1;
    reserved += calls;

    function giveUp(some: number): void {
      const given = Math.min(some, left);
      left -= given;
      reserved -= given;
    }

    return {
      use(some) {
        giveUp(some);
        recheck();
      },
      release() {
        giveUp(left);
        attempts -= 1;
        recheck();
      },
    };
  }

  function recheck(): void {
    for (const one of waiting) {
      const isCovered = covers({ calls: reserved + one.calls, attempts: attempts + 1 });
      if (!isCovered && attempts > 0) continue;
      waiting.delete(one);
      one.start(reservationOf(isCovered ? one.calls : 0));
    }
  }

  return {
    recheck,
    async reserve(calls, signal) {
      signal.throwIfAborted();
      if (calls === 0) return reservationOf(0);
      const { promise, resolve, reject } = Promise.withResolvers<CallReservation>();
      const one: WaitingAttempt = { calls, start: resolve };
      const leave = (): void => {
        // An attempt that has started meanwhile is released by its caller.
        if (waiting.delete(one)) reject(signal.reason);
      };
      signal.addEventListener("abort", leave);
      waiting.add(one);
      recheck();
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", leave);
      }
    },
  };
}

/** The planned calls of an attempt if every turn is answered: its own, and those of judge and labeller. */
export interface AttemptCalls {
  /** Calls that score the turn with this index. */
  ofScoring(index: number): number;
  /** Calls left when these turns are stored with scores. */
  left(done: { has(index: number): boolean }): number;
}

export function attemptCalls(scenario: Scenario, settings: RunSettings): AttemptCalls {
  const { judge, labeller } = settings;
  const { interactions } = scenario;
  const whole = helperCalls({ scenarios: [scenario], judge });
  const ofConversation = (judge?.scope === "conversation" ? whole.judge : 0) + whole.outcome;
  const ofTurns = interactions.map((interaction) => {
    const scenarios = [{ ...scenario, interactions: [interaction] }];
    const calls = helperCalls(
      compact({ scenarios, labeller, judge: judge?.scope !== "conversation" ? judge : undefined }),
    );
    const simulator = interaction.simulated && !scenario.user?.recorded ? 1 : 0;
    return calls.judge + calls.labeller + simulator;
  });
  const ofScoring = (index: number): number => ofTurns[index % interactions.length] ?? 0;

  return {
    ofScoring,
    left(done) {
      const indexes = Array.from({ length: interactions.length * plannedPasses(settings) }, (_, index) => index);
      const missing = indexes.filter((index) => !done.has(index));
      return missing.reduce((sum, index) => sum + 1 + ofScoring(index), ofConversation);
    },
  };
}
