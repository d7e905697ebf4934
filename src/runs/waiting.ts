import type { RunEvent } from "../contract/schemas/run.ts";
import { ServiceError } from "../contract/errors.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import { followRun } from "./follow-run.ts";
import type { RunEvents } from "./run-events.ts";
import type { Runs } from "./runs.ts";
import { waitForRun } from "./wait-for-run.ts";

/** Those who wait for runs in this process. */
interface Waiting extends Pick<Runs, "wait" | "follow"> {
  /** From now on one may wait. */
  allow(): void;
  /** Whoever waits is told that it is in vain: this process carries nothing out any more. */
  endAll(): void;
  /** Whoever waits is told why that is in vain just now. Those who come later may wait. */
  giveUp(error: ServiceError): void;
  /** Does what somebody waits for beside runs, such as asking a judge. Broken off by `giveUp` only: a process that stops brings it to its end. */
  during<Result>(client: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

export function createWaiting({ store, events }: { store: Store; events: RunEvents }): Waiting {
  let stopped = new AbortController();
  let givenUp = new AbortController();

  /** A run that is waited for in vain goes on elsewhere or after a restart. */
  function untilStopped(id: string, signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const stop = stopped.signal;
    const causes = [signal, stop];
    const leave = (): void => controller.abort(signal.aborted ? signal.reason : inVain(id, stop.reason));
    for (const cause of causes) cause.addEventListener("abort", leave, { once: true });
    if (causes.some((cause) => cause.aborted)) leave();
    return {
      signal: controller.signal,
      [Symbol.dispose]() {
        for (const cause of causes) cause.removeEventListener("abort", leave);
      },
    };
  }

  async function wait(id: string, client: AbortSignal): Promise<RunRecord> {
    using either = untilStopped(id, client);
    return await waitForRun(id, { store, events, signal: either.signal });
  }

  async function* follow(id: string, { after, signal }: Parameters<Runs["follow"]>[1]): AsyncGenerator<RunEvent> {
    using either = untilStopped(id, signal);
    for await (const event of followRun(id, { store, events, after, signal: either.signal })) {
      yield event;
      if (event.type === "end") return;
    }
    // Whoever follows must not take a part of a run for all of it.
    if (!signal.aborted) either.signal.throwIfAborted();
  }

  return {
    wait,
    follow,
    during: (client, work) => work(AbortSignal.any([client, givenUp.signal])),
    allow() {
      stopped = new AbortController();
    },
    endAll: () => stopped.abort(),
    giveUp(error) {
      givenUp.abort(error);
      givenUp = new AbortController();
      if (stopped.signal.aborted) return;
      const told = stopped;
      stopped = new AbortController();
      told.abort(error);
    },
  };
}

/** What to tell whoever waits for a run, by the failure because of which it cannot go on, if there was one. */
function inVain(id: string, failure: unknown): ServiceError {
  if (failure instanceof ServiceError) {
    const detail = `${failure.message} The run ${id} is kept, and goes on when that is over.`;
    return new ServiceError(failure.code, detail, { cause: failure });
  }
  return new ServiceError("shutting_down", `The service stops before the run ${id} has ended; the run is kept.`, {
    hint: "Read it with GET /runs/{id}: it goes on when a service or a worker runs again.",
  });
}
