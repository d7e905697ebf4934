import type { Lease, NewTurn } from "../../../contract/ports/store.ts";
import type { Scores } from "../../../contract/schemas/scores/score.ts";
import type { Writer } from "../../tables/database.ts";
import { toJsonText } from "../../tables/text-columns.ts";
import { statement } from "../../queries/statement.ts";
import { attemptCounts, turnCounts } from "../../queries/store-interactions.ts";
import { aloneAt } from "../leases/leases.ts";
import { readNow } from "./clock.ts";
import { lockRunsAndAttempts, type LockedAttempt } from "./lock-attempts.ts";

/** A change by the worker that holds an attempt: one more turn, its end, both, or its release. */
export interface AttemptWrite {
  readonly lease: Lease;
  readonly turn?: NewTurn & { readonly finished_at: number };
  readonly end?: { readonly average_scores: Scores };
  readonly release?: { readonly delayMs: number; readonly broke: boolean };
}

export interface AttemptWritten {
  /** The turn was stored: the lease was valid, the run active, and the turn new. */
  readonly stored: boolean;
  readonly finished: boolean;
  readonly run_drained: boolean;
}

/**
 * Applies the changes of one process, for any number of attempts and runs, in a few statements. Each change is
 * independent: one with a stale lease has no effect and does not disturb the others.
 */
export async function writeAttempts(writer: Writer, writes: readonly AttemptWrite[]): Promise<AttemptWritten[]> {
  const attempts = await lockRunsAndAttempts(
    writer,
    writes.map(({ lease }) => lease.attempt_id),
  );
  const now = writes.some(({ release }) => release && release.delayMs > 0) ? await readNow(writer) : 0;
  const accepted = writes.map((write) => accept(write, attempts.get(write.lease.attempt_id), now));
  const inserted = await insertTurns(
    writer,
    accepted.flatMap(({ turn }) => turn ?? []),
  );
  const stored = accepted.map(({ turn }) => turn !== undefined && inserted.has(turn));
  for (const [place, { attempt }] of accepted.entries()) if (stored[place]) countTurn(attempt, writes[place]?.turn);
  const changed = new Set(accepted.flatMap(({ attempt }) => (attempt ? [attempt] : [])));
  await updateAttempts(writer, [...changed]);
  await addAttemptsToRuns(writer, [...changed]);
  const drained = await drainedRuns(writer, [...changed]);
  return accepted
    .toReversed()
    .map(({ finished, attempt }, fromEnd) => ({
      stored: stored[accepted.length - 1 - fromEnd] ?? false,
      finished,
      // Reported once, for the last attempt of the run.
      run_drained: finished && attempt !== undefined && drained.delete(attempt.run_id),
    }))
    .toReversed();
}

interface Accepted {
  /** Undefined when the write has no effect. */
  readonly attempt: LockedAttempt | undefined;
  readonly turn: NumberedTurn | undefined;
  readonly finished: boolean;
}

/** A run being cancelled takes no more turns: the refused turn ends the attempt. */
function accept(write: AttemptWrite, attempt: LockedAttempt | undefined, now: number): Accepted {
  if (attempt?.fence !== write.lease.fence || attempt.state !== "running") {
    return { attempt: undefined, turn: undefined, finished: false };
  }
  if ((write.turn || write.release) && !attempt.active) {
    attempt.state = "cancelled";
    return { attempt, turn: undefined, finished: false };
  }
  if (write.release) {
    attempt.state = "ready";
    attempt.available_at = write.release.delayMs > 0 ? now + write.release.delayMs : 0;
    if (write.release.broke) attempt.breaks += 1;
    return { attempt, turn: undefined, finished: false };
  }
  if (write.end) {
    attempt.state = "done";
    attempt.average_scores = toJsonText(write.end.average_scores);
  }
  const turn = write.turn && toNumberedTurn(write.turn, attempt);
  return { attempt, turn, finished: write.end !== undefined };
}

function toNumberedTurn(
  { turn_index, reply, scores, finished_at }: NonNullable<AttemptWrite["turn"]>,
  attempt: LockedAttempt,
): NumberedTurn {
  const number = attempt.nextNumber();
  return {
    attempt_id: attempt.id,
    turn_index,
    run_id: attempt.run_id,
    // Negative until scored, so that the turn is not listed yet.
    seq: scores ? number : -number,
    reply: toJsonText(reply),
    scores: scores && toJsonText(scores),
    failed: reply.error === null ? 0 : 1,
    finished_at,
  };
}

function countTurn(attempt: LockedAttempt | undefined, turn: NewTurn | undefined): void {
  if (!attempt || !turn) return;
  const [turns, failed] = attemptCounts(turn);
  attempt.turns += turns;
  attempt.failed += failed;
  const { interactions_done, interactions_failed } = turnCounts(turn);
  attempt.run_turns += interactions_done;
  attempt.run_failed += interactions_failed;
}

const updateStatement = statement<never>(
  `update attempt set
      interactions_done = interactions_done + change.turns,
      interactions_failed = interactions_failed + change.failed,
      state = change.state,
      average_scores = coalesce(change.average_scores, attempt.average_scores),
      available_at = case when change.available_at is null
        or change.available_at = 0 and attempt.available_at <= ${aloneAt} then attempt.available_at else change.available_at end,
      breaks = attempt.breaks + change.breaks,
      lease_owner = case when change.state = 'running' then lease_owner end,
      lease_until = case when change.state = 'running' then lease_until end
    from json_to_recordset(?::json) as change (id text, turns int, failed int, state text,
      average_scores text, available_at bigint, breaks int)
    where attempt.id = change.id`,
);

async function updateAttempts(writer: Writer, attempts: readonly LockedAttempt[]): Promise<void> {
  const changes = attempts
    .filter(({ turns, state }) => turns > 0 || state !== "running")
    .map(({ id, turns, failed, state, average_scores, available_at, breaks }) => ({
      id,
      turns,
      failed,
      state,
      average_scores,
      available_at,
      breaks,
    }));
  if (changes.length > 0) await updateStatement(writer, [JSON.stringify(changes)]);
}

const addStatement = statement<never>(
  `update run_sequence set
      attempts_done = attempts_done + added.attempts,
      interactions_done = interactions_done + added.turns,
      interactions_failed = interactions_failed + added.failed
    from json_to_recordset(?::json) as added (run_id text, attempts int, turns int, failed int)
    where run_sequence.run_id = added.run_id`,
);

/** Adds to the progress of the runs, whose rows are already locked. */
async function addAttemptsToRuns(writer: Writer, attempts: readonly LockedAttempt[]): Promise<void> {
  const sums = new Map<string, { run_id: string; attempts: number; turns: number; failed: number }>();
  for (const { run_id, run_turns, run_failed, state } of attempts) {
    const sum = sums.get(run_id) ?? { run_id, attempts: 0, turns: 0, failed: 0 };
    sums.set(run_id, sum);
    sum.attempts += state === "done" ? 1 : 0;
    sum.turns += run_turns;
    sum.failed += run_failed;
  }
  const added = [...sums.values()].filter(({ attempts: done, turns }) => done + turns > 0);
  if (added.length > 0) await addStatement(writer, [JSON.stringify(added)]);
}

/**
 * Ready attempts of a cancelled run are never claimed. Scalar subqueries, because a plan for any number of runs would
 * read all attempts for `exists`.
 */
const drainedStatement = statement<{ id: string }>(
  `select run.id from run where run.id = any(?::text[])
      and (select 1 from attempt where attempt.run_id = run.id and attempt.state = 'running' limit 1) is null
      and (run.state not in ('queued', 'running')
        or (select 1 from attempt where attempt.run_id = run.id and attempt.state = 'ready' limit 1) is null)`,
);

async function drainedRuns(writer: Writer, changed: readonly LockedAttempt[]): Promise<Set<string>> {
  const runs = new Set(changed.filter(({ state }) => state === "done").map(({ run_id }) => run_id));
  if (runs.size === 0) return new Set();
  const rows = await drainedStatement(writer, [[...runs]]);
  return new Set(rows.map(({ id }) => id));
}

/** A row of `interaction`. `seq` is unique within the run. */
interface NumberedTurn {
  readonly attempt_id: string;
  readonly turn_index: number;
  readonly run_id: string;
  readonly seq: number;
  readonly reply: string;
  readonly scores: string | null;
  readonly failed: number;
  readonly finished_at: number;
}

const insertStatement = statement<{ run_id: string; seq: number }>(
  `insert into interaction (attempt_id, turn_index, run_id, seq, reply, scores, failed, finished_at)
    select attempt_id, turn_index, run_id, seq, reply, scores, failed, finished_at
    from json_to_recordset(?::json) as turn (attempt_id text, turn_index int, run_id text, seq bigint, reply text,
      scores text, failed int, finished_at bigint)
    on conflict (attempt_id, turn_index) do nothing returning run_id, seq`,
);

/** Stores turns and returns those that were new. */
async function insertTurns(writer: Writer, turns: readonly NumberedTurn[]): Promise<ReadonlySet<NumberedTurn>> {
  const byNumber = new Map(turns.map((turn) => [numberOf(turn), turn]));
  const inserted = new Set<NumberedTurn>();
  for (const part of parts(turns)) {
    for (const row of await insertStatement(writer, [JSON.stringify(part)])) inserted.add(byNumber.get(numberOf(row))!);
  }
  return inserted;
}

function numberOf({ run_id, seq }: Pick<NumberedTurn, "run_id" | "seq">): string {
  return `${run_id} ${seq}`;
}

/** Long replies are sent in parts: each part is in memory until the server has it. */
const charactersAtOnce = 4_000_000;

function* parts(turns: readonly NumberedTurn[]): Generator<readonly NumberedTurn[]> {
  let part: NumberedTurn[] = [];
  let characters = 0;
  for (const turn of turns) {
    part.push(turn);
    characters += turn.reply.length + (turn.scores?.length ?? 0);
    if (characters < charactersAtOnce) continue;
    yield part;
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield part;
}
