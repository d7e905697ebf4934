import type { NumberedInteraction, Store, TurnPage } from "../contract/ports/store.ts";
import { finalStates, type RunEvent, type StoredTurn } from "../contract/schemas/run.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { goneError, mustExist } from "./find-run.ts";
import { nextChange, type NextChangeOptions } from "./next-change.ts";
import type { RunEvents } from "./run-events.ts";
import { toProgress } from "./to-progress.ts";
import { toRun } from "./to-run.ts";
import { whileAway } from "./while-away.ts";

interface FollowOptions {
  readonly store: Store;
  readonly events: RunEvents;
  /** The last event the client has seen: 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
  /** Turns that are stored within this time are read together. */
  readonly gatherMs?: number;
}

const pageSize = 500;

/**
 * Every stored turn of a run after a given one, then each new one as it is stored, and the ended run last. The events are
 * read from the rows, so a client that comes back, even after a restart, misses nothing and gets nothing twice. Fails when the
 * run is deleted before its end was told.
 */
export async function* followRun(
  runId: string,
  { store, events, after, signal, pollMs = 1_000, gatherMs = 50 }: FollowOptions,
): AsyncGenerator<RunEvent> {
  const scenarios = await store.runs.scenarios(runId);
  let seen = after;
  while (!signal.aborted) {
    const change = nextChange(runId, { events, signal, pollMs });
    try {
      // The state is read before the rows: when it is final, the rows that follow are all there are.
      const run = await whileAway(() => store.runs.get(runId), signal);
      // Whoever follows must not take a part of a run for all of it.
      if (!run) throw goneError(runId);
      for await (const row of rowsAfter(store, { runId, seq: seen, signal })) {
        yield { type: "interaction", id: row.seq, data: toStoredTurn(row, scenarios) };
        seen = row.seq;
      }
      if (finalStates.has(run.state)) {
        await whileAway(() => mustExist(store, runId), signal);
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

/** The end of a run is told at once; whatever else happens is gathered. */
async function untilEnd(
  runId: string,
  options: Pick<NextChangeOptions, "events" | "signal" | "pollMs">,
): Promise<void> {
  const end = nextChange(runId, { ...options, isWanted: (kind) => kind === "end" });
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
    page = await whileAway(() => store.interactions.after(runId, last, pageSize), signal);
    yield* page.turns;
    last = page.turns.at(-1)?.seq ?? last;
  } while (page.more);
}

function toStoredTurn(row: NumberedInteraction, scenarios: readonly Scenario[]): StoredTurn {
  const scenario = scenarios[row.scenario_index];
  // The turns of a second pass are stored behind those of the first.
  const turns = scenario?.interactions.length ?? Number.POSITIVE_INFINITY;
  const turn_index = row.turn_index % turns;
  return {
    scenario_id: scenario?.id ?? "",
    attempt: row.attempt,
    turn_index,
    pass: row.turn_index < turns ? 1 : 2,
    interaction_id: scenario?.interactions[turn_index]?.id ?? "",
    agent_reply: row.reply.agent_reply,
    error: row.reply.error,
    scores: row.scores?.scores ?? null,
    latency_ms: row.reply.latency_ms,
    cost: row.reply.cost ?? null,
  };
}
