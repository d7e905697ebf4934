import { yieldToEventLoop } from "../../base/event-loop.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { NumberedInteraction, RunRecord, Store, TurnPage } from "../../contract/ports/store.ts";
import { finalStates, type RunEvent, type StoredTurn } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { retryStoreRead } from "../stored/store-outage.ts";
import type { Runs } from "../runs.ts";
import { runGoneError, assertRunExists } from "../stored/find-run.ts";
import { nextRunChange, type NextChangeOptions, type RunEvents } from "./run-events.ts";
import { toProgress, toRun } from "./to-run.ts";

/** Clients of this process that wait for runs. */
interface RunWaiters extends Pick<Runs, "wait" | "follow"> {
  /** Accepts waiting clients again. */
  allow(): void;
  /** Rejects all waiting clients: this process is shutting down. */
  endAll(): void;
  /** Rejects all waiting clients with an error. Later ones may wait. */
  giveUp(error: ServiceError): void;
  /** Runs other work that a client waits for, such as asking a judge. Only `giveUp` aborts it; a shutdown lets it finish. */
  during<Result>(client: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

export function createRunWaiters({ store, events }: { store: Store; events: RunEvents }): RunWaiters {
  let stopped = new AbortController();
  let givenUp = new AbortController();

  function signalUntilStopped(id: string, signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const stop = stopped.signal;
    const causes = [signal, stop];
    const leave = (): void => controller.abort(signal.aborted ? signal.reason : cannotWaitError(id, stop.reason));
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
    using either = signalUntilStopped(id, client);
    return await waitForRun(id, { store, events, signal: either.signal });
  }

  async function* follow(id: string, { after, signal }: Parameters<Runs["follow"]>[1]): AsyncGenerator<RunEvent> {
    using either = signalUntilStopped(id, signal);
    for await (const event of followStoredRun(id, { store, events, after, signal: either.signal })) {
      yield event;
      if (event.type === "end") return;
    }
    // A partial run must not look complete.
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
      const current = stopped;
      stopped = new AbortController();
      current.abort(error);
    },
  };
}

/** The error for a client whose run cannot continue in this process. */
function cannotWaitError(id: string, failure: unknown): ServiceError {
  if (failure instanceof ServiceError) {
    const detail = `${failure.message} The run ${id} is kept and continues afterwards.`;
    return new ServiceError(failure.code, detail, { cause: failure });
  }
  return new ServiceError(
    "shutting_down",
    `The service is shutting down before the run ${id} has ended; the run is kept.`,
    {
      hint: "Read it with GET /runs/{id}: it continues when a service or a worker is running again.",
    },
  );
}

interface FollowRunOptions {
  readonly store: Store;
  readonly events: RunEvents;
  /** The last event the client has received; 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
  /** Turns stored within this time are read together. */
  readonly gatherMs?: number;
}

const pageSize = 500;
/** The longest pause between two pages, for other work of this process. */
const pauseMs = 20;

/**
 * The stored turns of a run after a given one, then new ones as they are stored, and the ended run last. Events are read from
 * the rows, so a client that reconnects, even after a restart, misses nothing and gets nothing twice. Throws when the run is
 * deleted before its end.
 */
export async function* followStoredRun(
  runId: string,
  { store, events, after, signal, pollMs = 1_000, gatherMs = 50 }: FollowRunOptions,
): AsyncGenerator<RunEvent> {
  const names = (await store.runs.scenarios(runId)).map(namesOf);
  let seen = after;
  while (!signal.aborted) {
    const change = nextRunChange(runId, { events, signal, pollMs });
    try {
      // The state is read before the rows: if it is final, the rows are complete.
      const run = await retryStoreRead(() => store.runs.get(runId), signal);
      // A partial run must not look complete.
      if (!run) throw runGoneError(runId);
      for await (const row of rowsAfter(store, { runId, seq: seen, signal })) {
        yield { type: "interaction", id: row.seq, data: toStoredTurn(row, names) };
        seen = row.seq;
      }
      if (finalStates.has(run.state)) {
        await retryStoreRead(() => assertRunExists(store, runId), signal);
        return yield { type: "end", data: toRun(run) };
      }
      yield { type: "progress", data: toProgress(run) };
      if ((await change.happened) === "end") continue;
    } finally {
      change.stop();
    }
    await untilEnd(runId, { events, signal, pollMs: gatherMs });
  }
}

/** Collects changes for a while, unless the run ends. */
async function untilEnd(
  runId: string,
  options: Pick<NextChangeOptions, "events" | "signal" | "pollMs">,
): Promise<void> {
  const end = nextRunChange(runId, { ...options, isWanted: (kind) => kind === "end" });
  await end.happened;
  end.stop();
}

async function* rowsAfter(
  store: Store,
  { runId, seq, signal }: { runId: string; seq: number; signal: AbortSignal },
): AsyncGenerator<NumberedInteraction> {
  let page: TurnPage;
  let last = seq;
  do {
    page = await retryStoreRead(() => store.interactions.after(runId, last, pageSize), signal);
    yield* page.turns;
    last = page.turns.at(-1)?.seq ?? last;
    // SQLite answers within the event loop's round: without a pause, a resumed run makes no call until all its turns are read.
    if (page.more) await yieldToEventLoop(pauseMs);
  } while (page.more);
}

/** The names that the events of a scenario need. The rest would be kept in memory until the run ends. */
interface ScenarioNames {
  readonly id: string;
  readonly turns: readonly string[];
}

const namesOf = ({ id, interactions }: Scenario): ScenarioNames => ({ id, turns: interactions.map((turn) => turn.id) });

function toStoredTurn(row: NumberedInteraction, names: readonly ScenarioNames[]): StoredTurn {
  const scenario = names[row.scenario_index];
  // The turns of a second pass are stored after those of the first.
  const turns = scenario?.turns.length ?? Number.POSITIVE_INFINITY;
  const turn_index = row.turn_index % turns;
  return {
    scenario_id: scenario?.id ?? "",
    attempt: row.attempt,
    turn_index,
    pass: row.turn_index < turns ? 1 : 2,
    interaction_id: scenario?.turns[turn_index] ?? "",
    agent_reply: row.reply.agent_reply,
    error: row.reply.error,
    scores: row.scores?.scores ?? null,
    latency_ms: row.reply.latency_ms,
    cost: row.reply.cost ?? null,
  };
}

/** Resolves with the run once it has ended. Woken by events of this process, and by polling for others. */
export async function waitForRun(
  runId: string,
  { store, events, signal, pollMs = 1_000 }: { store: Store; events: RunEvents; signal: AbortSignal; pollMs?: number },
): Promise<RunRecord> {
  for (;;) {
    const change = nextRunChange(runId, { events, signal, pollMs, isWanted: (kind) => kind === "end" });
    try {
      // Only the state: reading the progress of a large run is expensive.
      const state = await retryStoreRead(() => store.runs.state(runId), signal);
      if (state === null) throw runGoneError(runId);
      if (finalStates.has(state)) break;
      signal.throwIfAborted();
      await change.happened;
    } finally {
      change.stop();
    }
  }
  const run = await retryStoreRead(() => store.runs.get(runId), signal);
  if (!run) throw runGoneError(runId);
  return run;
}
