import { compact } from "../../base/compact.ts";
import { pause } from "../../base/deadline.ts";
import { isStoreFailure } from "../../contract/errors/errors.ts";
import type { RescoreHold, RunRecord, Store } from "../../contract/ports/store.ts";
import type { RescoreRequest } from "../../contract/schemas/evaluation-request.ts";
import type { Rescored } from "../../contract/schemas/run.ts";
import {
  checkNames,
  reservedPrefixes,
  reservedScores,
  turnScoreNames,
} from "../../contract/schemas/scores/score-names.ts";
import { withComparisons } from "../execute/conclude-run.ts";
import type { CreateRunScoring } from "../execute/run-context.ts";
import type { RunServices } from "../run-services.ts";
import { codeSettings } from "../user-code/check-code.ts";
import { createRunWorlds } from "../execute/run-worlds.ts";
import { retryStoreWrite, type StoreRetryOptions } from "../stored/store-outage.ts";
import { helperEndpoints } from "../plan/endpoints.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import type { PlanLimits } from "../plan/limits.ts";
import type { PlanHelpers } from "../plan/option-problems.ts";
import type { LocatedCheck } from "../plan/request-checks.ts";
import { getOwnedRun, requireEndedRun } from "../stored/find-run.ts";
import { summarizeStoredRun } from "../results/run-figures.ts";
import { planRescore, reasonToAskModels, type RescorePlan, type ScoringBasis } from "./plan-rescore.ts";
import { rescoreAttempt, type RescoreAttemptOptions } from "./rescore-attempt.ts";

type RescorerOptions = Omit<RescoreOptions, "owner" | "askModels" | "replace" | "signal">;

/** Rescores a run of an owner. */
export type Rescore = (
  id: string,
  owner: string | null,
  options?: Pick<RescoreOptions, "askModels" | "replace" | "signal">,
) => Promise<RunRecord>;

interface Rescoring {
  /** Identifies the request; null when the caller can abort it. */
  readonly asked: string | null;
  readonly run: Promise<RunRecord>;
}

/** Rescores each run at most once at a time. An identical request meanwhile shares the result. */
export function createRescorer(parts: RescorerOptions): Rescore {
  const underWay = new Map<string, Rescoring>();

  return (id, owner, options = {}) => {
    const { signal, askModels = false, replace } = options;
    const key = JSON.stringify([owner, id]);
    const last = underWay.get(key);
    const asked = signal ? null : JSON.stringify([askModels, replace?.request ?? {}]);
    if (last && last.asked !== null && last.asked === asked) return last.run;

    async function rescore(): Promise<RunRecord> {
      await last?.run.catch(() => {});
      signal?.throwIfAborted();
      try {
        return await rescoreRun(id, { ...parts, owner, ...options });
      } finally {
        if (underWay.get(key) === rescoring) underWay.delete(key);
      }
    }
    const rescoring: Rescoring = { asked, run: rescore() };
    underWay.set(key, rescoring);
    return rescoring.run;
  };
}

/** Without `checkCode`, runs whose checks hold code are not rescored here. */
export interface RescoreOptions extends Pick<RunServices, "store" | "checkEndpoint" | "customScorers" | "checkCode"> {
  readonly createScoring: CreateRunScoring;
  readonly now: () => number;
  readonly owner?: string | null;
  /** True: asks judge, labeller and embedder again. Default: their earlier verdicts are kept and no model is called. */
  readonly askModels?: boolean | undefined;
  /** Replaces the scoring basis. Default: the run's own. */
  readonly replace?: RescoreReplacement | undefined;
  /** Rejects when slow checks cannot be used. */
  readonly tryChecks?: (checks: readonly LocatedCheck[] | undefined, owner: string | null) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Called each time the store refuses verdicts. They are kept and retried until the store accepts them or `signal` aborts. */
  readonly onRefused?: StoreRetryOptions["onRefused"];
  /** Called when the verdicts on an attempt are stored. */
  readonly onStored?: () => void;
}

interface RescoreReplacement {
  readonly request: Omit<RescoreRequest, "ask_models">;
  readonly limits: PlanLimits;
  readonly helpers: PlanHelpers;
}

const batchSize = 200;
const never = new AbortController().signal;

/**
 * Rescores an ended run from its stored replies with the current scoring version. Safe to repeat, also after a crash: the new
 * basis is stored first and marked as partial, and the mark is removed last. When models are asked, a repetition asks only for
 * missing verdicts.
 */
export function rescoreRun(runId: string, options: RescoreOptions): Promise<RunRecord> {
  const { store, signal } = options;
  const check = (): Promise<unknown> => endedRun(runId, options);
  return rescoreExclusively(runId, { store, check, signal, work: (hold) => rescoreHeld({ ...options, hold }) });
}

interface HeldOptions extends RescoreOptions {
  readonly hold: RescoreHold;
}

async function rescoreHeld(options: HeldOptions): Promise<RunRecord> {
  const runId = options.hold.run_id;
  const before = await endedRun(runId, options);
  const { plan, scoring } = await prepare(before, options);
  const run = { ...before, settings: plan.settings };
  const at = beganAt(before, plan, options);
  const broken: Rescored = { ...rescoredMark(before, plan, options), at, partial: true };
  await begin(before, plan, broken, options);
  try {
    await rescoreAttempts(run, plan, compact({ ...options, ...scoring, askedIn: options.askModels ? at : undefined }));
  } catch (error) {
    // After an interruption the figures still have to match the stored scores.
    if (!isStoreFailure(error)) await updateFigures(run, broken, options).catch(() => {});
    throw error;
  }
  await updateFigures(run, rescoredMark(before, plan, options), options);
  return endedRun(runId, options);
}

type RunScoring = Awaited<ReturnType<CreateRunScoring>>;

/** Refuses a request before anything is written. */
async function prepare(run: RunRecord, options: RescoreOptions): Promise<{ plan: RescorePlan; scoring: RunScoring }> {
  const { store, createScoring, askModels, replace, tryChecks, checkEndpoint } = options;
  const { customScorers = {}, checkCode } = options;
  const before: ScoringBasis = { settings: run.settings, scenarios: await store.runs.scenarios(run.id) };
  const plan = replace ? planRescore(before, replace.request, replace) : { ...before, replaced: [], changed: [] };
  const canRun = codeSettings(plan).length === 0;
  const problem = canRun ? null : checkCode ? checkCode.problem(plan) : notHere;
  if (problem !== null) throw invalidFieldsError([{ pointer: "", code: "not_allowed", message: problem }]);
  refuseLostScorers(run, { before, plan, known: Object.keys(customScorers) });
  // A forbidden helper would fail every call and so replace the earlier verdicts by nothing.
  const areNew = plan.replaced.includes("judge") || plan.replaced.includes("labeller");
  if (askModels || areNew) for (const planned of helperEndpoints(plan.settings)) checkEndpoint?.(planned, run.policy);
  await tryChecks?.(plan.slowChecks, run.owner);
  const scoringBy = (by: ScoringBasis) => createScoring({ ...by, owner: run.owner, policy: run.policy, ledger: null });
  const now = await scoringBy(plan);
  const chosen = plan.replaced.includes("scorers");
  const semantic = now.scoring.semantic !== undefined;
  const newlySemantic = chosen && semantic && (await scoringBy(before)).scoring.semantic === undefined;
  const why = askModels ? null : reasonToAskModels(before, plan, { semantic, newlySemantic });
  if (why !== null)
    throw invalidFieldsError([{ pointer: "/ask_models", code: "required", message: `must be true: ${why}` }]);
  const keepsSemantic = semantic || !(chosen || plan.replaced.includes("test_batch"));
  return { plan, scoring: { ...now, scoring: { ...now.scoring, keepsSemantic } } };
}

const notHere = "must have no checks with code: rehearsal runs rescore on the machine with the files runs them";

/** Refuses to drop the scores of the operator's own scorers, which this process does not have. */
function refuseLostScorers(
  run: RunRecord,
  { before, plan, known }: { before: ScoringBasis; plan: RescorePlan; known: readonly string[] },
): void {
  const named = (plan.settings.scorers ?? []).filter((setting) => typeof setting === "string");
  const { scorers = [] } = before.settings;
  const turns = before.scenarios.flatMap(({ interactions }) => interactions);
  const checks = new Set([
    ...checkNames(scorers),
    ...turns.flatMap((turn) => turnScoreNames(turn.checks ?? [], scorers)),
  ]);
  const isOwn = (name: string): boolean =>
    !reservedScores.has(name) && !reservedPrefixes.some((prefix) => name.startsWith(prefix)) && !checks.has(name);
  // Without names, every scorer of the operator counts.
  const scored = plan.replaced.includes("scorers") ? [] : Object.keys(run.summary?.average_scores ?? {});
  const lost = [...new Set([...named, ...scored])].filter((name) => isOwn(name) && !known.includes(name));
  if (lost.length === 0) return;
  const message = `of this run needs ${lost.join(", ")}, which this process does not have: set REHEARSAL_SCORERS_MODULE to the module with ${lost.length === 1 ? "it" : "them"}, or name other scorers`;
  throw invalidFieldsError([{ pointer: "/scorers", code: "unknown_scorer", message }]);
}

/** When this rescoring began; an interrupted one that continues keeps its time. */
function beganAt({ summary }: RunRecord, { replaced }: RescorePlan, { now, askModels }: RescoreOptions): string {
  const earlier = summary?.rescored;
  const goesOn = askModels && earlier?.asked_models && earlier.partial && replaced.length === 0;
  return goesOn ? earlier.at : new Date(now()).toISOString();
}

async function begin(
  before: RunRecord,
  { settings, changed }: RescorePlan,
  rescored: Rescored,
  { store, now, hold }: HeldOptions,
): Promise<void> {
  const figured = before.summary ?? (await summarizeStoredRun(before, { store, now })).summary;
  const summary = { ...figured, rescored };
  const figures = { summary, message: before.message, settings, scenarios: changed };
  if (!(await store.runs.resummarize(before.id, figures, hold))) throw new RescoreTakenOver();
}

/** A partial rescoring with models stays partial until models have been asked about every turn. */
function rescoredMark({ summary }: RunRecord, { replaced }: RescorePlan, { now, askModels }: RescoreOptions): Rescored {
  const earlier = summary?.rescored;
  const asked = askModels || earlier?.asked_models;
  const all = new Set([...(earlier?.replaced ?? []), ...replaced]);
  return compact({
    at: new Date(now()).toISOString(),
    replaced: Array.from(all),
    asked_models: asked || undefined,
    partial: (!askModels && earlier?.asked_models && earlier.partial) || undefined,
  });
}

async function rescoreAttempts(
  run: RunRecord,
  { scenarios }: RescorePlan,
  options: HeldOptions & RunScoring & Pick<RescoreAttemptOptions, "askedIn">,
): Promise<void> {
  const { store, hold, askModels, signal = never, onRefused = () => {}, onStored = () => {} } = options;
  /** Verdicts cost money and are retried; everything else can be computed again. */
  const answered = <Result>(write: () => Promise<Result>): Promise<Result> =>
    askModels ? retryStoreWrite(write, { signal, onRefused }) : write();
  const { id: runId, settings } = run;
  const worldOf = createRunWorlds(settings, { probes: options.scoring.probes });
  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario) continue;
    const world = scenario.expect ? worldOf(scenario) : null;
    const journal = world ? await store.journal.ofAttempt(attempt.id) : [];
    const basis = { ...options, settings, scenario, world, journal };
    const { turns, average_scores } = await rescoreAttempt(attempt, basis);
    for (let first = 0; first < turns.length; first += batchSize) {
      await answered(() => store.interactions.rescore(hold, turns.slice(first, first + batchSize)));
    }
    const written = await answered(() => store.attempts.reaverage(hold, { attempt_id: attempt.id, average_scores }));
    if (!written) throw new RescoreTakenOver();
    onStored();
  }
}

async function updateFigures(run: RunRecord, rescored: Rescored, { store, now, hold }: HeldOptions): Promise<void> {
  const { summary: own, message, totals } = await summarizeStoredRun(run, { store, now });
  const summary = rescored.partial ? own : await withComparisons(own, { run, store, isDecided: true });
  const figures = {
    summary: { ...summary, rescored },
    totals,
    message: run.state === "completed" ? `${message}${rescoredNote(rescored)}` : run.message,
  };
  if (!(await store.runs.resummarize(run.id, figures, hold))) throw new RescoreTakenOver();
}

function rescoredNote({ replaced, partial }: Rescored): string {
  const others = replaced.length === 0 ? "" : `; rescored (replaced: ${replaced.join(", ")})`;
  return partial ? `${others}; rescoring was interrupted` : others;
}

async function endedRun(id: string, { store, owner }: RescoreOptions): Promise<RunRecord> {
  const run = await getOwnedRun(store, id, owner);
  requireEndedRun(run, "only ended runs are scored again");
  return run;
}

/** Another process took over the rescoring, since this one did not renew its hold, or the run was deleted. */
class RescoreTakenOver extends Error {}

interface RescoreAloneOptions<Result> {
  readonly store: Store;
  /** Rejects when the run does not exist or cannot be rescored. */
  readonly check: () => Promise<unknown>;
  /** Rejects with `RescoreTakenOver` when the hold is stale. */
  readonly work: (hold: RescoreHold) => Promise<Result>;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number;
}

/**
 * Runs `work` while no other process rescores the run: two at once would mix their scores. Waits for another process to finish
 * or die, and starts again after a takeover.
 */
export async function rescoreExclusively<Result>(runId: string, options: RescoreAloneOptions<Result>): Promise<Result> {
  const { store, check, work, signal, pollMs = 250 } = options;
  for (;;) {
    await check();
    const hold = await store.runs.holdForRescore(runId);
    let away = false;
    try {
      if (hold) return await work(hold);
    } catch (error) {
      away = isStoreFailure(error);
      if (!(error instanceof RescoreTakenOver)) throw error;
    } finally {
      const released = hold ? store.runs.releaseAfterRescore(hold).catch(() => {}) : Promise.resolve();
      // If the store is unavailable, the hold expires by itself.
      if (!away) await released;
    }
    await pause(pollMs, signal);
  }
}
