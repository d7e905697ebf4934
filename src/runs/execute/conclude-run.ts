import type { ClaimedAttempt } from "../../contract/ports/queue.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import { finalStates, type RunState, type RunSummary } from "../../contract/schemas/run.ts";
import { publicErrorMessage } from "../../base/format.ts";
import { createRunSummarizer, summarizeStoredRun, type IncrementalSummary } from "../results/run-figures.ts";
import { toProgress } from "../results/to-run.ts";
import { isTransient, ProcessBroken } from "../stored/attempt-errors.ts";

interface Concluder {
  /** Ends a run whose last attempt is over, once even when called concurrently. */
  conclude(runId: string): Promise<void>;
  /** Ends every run that has no attempt left, in any process. */
  concludeDrained(): Promise<void>;
  /** Ends runs that had no attempt left at the previous call either, which gives the worker of the last attempt time to do so. */
  concludeForgotten(): Promise<void>;
}

interface ConcluderOptions {
  readonly store: Store;
  readonly now: () => number;
  /** The summary as far as this process has computed it. */
  readonly figuresOf: (runId: string) => Promise<IncrementalSummary | undefined>;
  readonly onEnd: (runId: string) => void;
}

export function createConcluder({ store, now, figuresOf, onEnd }: ConcluderOptions): Concluder {
  const underWay = new Map<string, Promise<void>>();
  let seen: ReadonlySet<string> = new Set();

  async function end(runId: string): Promise<void> {
    const run = await store.runs.get(runId);
    if (run && (await waitsForBaseline(run, store))) return;
    await concludeRun(runId, { store, now, figures: await figuresOf(runId) });
    onEnd(runId);
    const { sequence } = run?.settings ?? {};
    if (sequence?.side !== "baseline" || sequence.opponent === undefined) return;
    for (const id of sequence.rivals?.filter((rival) => rival !== runId) ?? [sequence.opponent])
      await concludeCandidate(id);
  }

  async function concludeCandidate(runId: string): Promise<void> {
    if ((await store.runs.unconcluded()).includes(runId)) await conclude(runId);
  }

  function conclude(runId: string): Promise<void> {
    const ending = underWay.get(runId) ?? end(runId).finally(() => underWay.delete(runId));
    underWay.set(runId, ending);
    return ending;
  }

  /** A run that cannot be ended, for example because of damaged rows, does not hold up the others. */
  async function concludeAll(runIds: readonly string[]): Promise<void> {
    const failures: unknown[] = [];
    for (const id of runIds) {
      await conclude(id).catch((error: unknown) => {
        if (isTransient(error)) throw error;
        failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    conclude,
    concludeDrained: async () => concludeAll(await store.runs.unconcluded()),
    async concludeForgotten() {
      const drained = await store.runs.unconcluded();
      const before = seen;
      seen = new Set(drained);
      await concludeAll(drained.filter((id) => before.has(id)));
    },
  };
}

/** A comparison is complete only when both sides have ended, so its candidate ends last. */
async function waitsForBaseline({ state, settings }: RunRecord, store: Store): Promise<boolean> {
  const { side, opponent } = settings.sequence ?? {};
  if (state === "cancelling" || side !== "candidate" || opponent === undefined) return false;
  const other = await store.runs.state(opponent);
  return other !== null && !finalStates.has(other);
}

interface ConcludeOptions {
  readonly store: Store;
  readonly now: () => number;
  /** The summary as far as this process has computed it. */
  readonly figures?: IncrementalSummary | undefined;
}

/** Stores the summary and the final state of a run whose attempts are over. Safe to repeat: only the first call counts. */
export async function concludeRun(runId: string, options: ConcludeOptions): Promise<void> {
  const { store, now, figures } = options;
  const run = await store.runs.get(runId);
  if (!run || finalStates.has(run.state)) return;
  const finished = figures?.finish(run, now) ?? (await summarizeStoredRun(run, { store, now }));
  const { summary: own, message, totals } = finished;
  const state: RunState = run.state === "cancelling" ? "cancelled" : "completed";
  const summary = await withComparisons(own, { run, store, isDecided: state === "completed" });
  const decided = summary.decision ? `${message}. ${summary.decision.sentence}` : message;
  const text = state === "cancelled" ? cancelledMessage(run) : decided;
  const ended = await store.runs.finish(runId, { state, message: text, summary, totals, at: now() });
  // The run was cancelled meanwhile and ends as cancelled.
  if (!ended) await concludeRun(runId, options);
}

/** Adds the comparison with the baseline to the gate, and the decision of a sequence. */
export async function withComparisons(
  own: RunSummary,
  { run, store, isDecided }: { readonly run: RunRecord; readonly store: Store; readonly isDecided: boolean },
): Promise<RunSummary> {
  const { gate, sequence } = run.settings;
  let summary = own;
  if (gate?.baseline !== undefined) {
    const { withBaselineGate } = await import("../compare/baseline-gate.ts");
    summary = await withBaselineGate(summary, run, store);
  }
  if (isDecided && sequence?.side === "candidate") {
    const { withDecision } = await import("../sequence/read-sequence.ts");
    summary = await withDecision(summary, run, store);
  }
  return summary;
}

function cancelledMessage(run: RunRecord): string {
  const { interactions_done, interactions_total } = toProgress(run);
  const were = interactions_total === 1 ? "interaction was" : "interactions were";
  return `Evaluation cancelled: ${interactions_done} of ${interactions_total} ${were} done`;
}

interface FailOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly error: unknown;
}

/**
 * Ends a run that cannot be executed, with a summary of the stored turns and the reason. False when it has ended or is being
 * cancelled.
 */
export async function failRun(
  { run_id, scenario_index, attempt, breaks, fatal }: ClaimedAttempt,
  { store, now, error }: FailOptions,
): Promise<boolean> {
  const run = await store.runs.get(run_id);
  if (run?.state !== "queued" && run?.state !== "running") return false;
  const [scenario] = await store.runs.scenariosAt(run_id, [scenario_index]);
  const times = fatal ? "failed" : `failed ${breaks} times, most recently with`;
  const message = `Evaluation failed: attempt ${attempt} of the scenario "${scenario?.id ?? scenario_index}" ${times}: ${publicErrorMessage(error)}`;
  // Computing the figures may break the process as well, so the run ends before that.
  return endAsFailed(run, { store, now, message, figuresLast: error instanceof ProcessBroken });
}

/** Ends a run whose workers died again and again. False when it has ended or is being cancelled. */
export async function failAbandonedRun(runId: string, { store, now }: Omit<FailOptions, "error">): Promise<boolean> {
  const run = await store.runs.get(runId);
  if (run?.state !== "queued" && run?.state !== "running") return false;
  const message = "Evaluation failed: every worker that executed a certain part of it died. Their logs may say why.";
  return endAsFailed(run, { store, now, message, figuresLast: true });
}

interface FailedEnd extends Omit<FailOptions, "error"> {
  readonly message: string;
  readonly figuresLast: boolean;
}

async function endAsFailed(run: RunRecord, { store, now, message, figuresLast }: FailedEnd): Promise<boolean> {
  const failed = { ...run, state: "failed" as const };
  const { summary } = figuresLast
    ? createRunSummarizer(run.settings, []).finish(failed, now)
    : await summarizeStoredRun(failed, { store, now });
  if (!(await store.runs.finish(run.id, { state: "failed", message, summary, at: now() }))) return false;
  // Other attempts may have stored turns meanwhile. None can from here on.
  const { summary: complete } = await summarizeStoredRun(failed, { store, now });
  await store.runs.resummarize(run.id, { summary: complete, message });
  return true;
}
