import { pause } from "../base/deadline.ts";
import { isStoreFailure } from "../contract/errors.ts";
import type { RescoreHold, RunRecord, Store } from "../contract/ports/store.ts";
import type { RunPolicy } from "../contract/schemas/endpoint-policy.ts";
import type { RescoreRequest } from "../contract/schemas/evaluation-request.ts";
import type { Rescored } from "../contract/schemas/run.ts";
import { fieldsError } from "./fields-error.ts";
import { figureRun } from "./figure-run.ts";
import { findRun, refuseUnfinished } from "./find-run.ts";
import type { PlanHelpers } from "./option-problems.ts";
import type { PlacedCheck } from "./placed-checks.ts";
import { helperEndpoints, type PlannedEndpoint } from "./plan-endpoints.ts";
import type { PlanLimits } from "./plan-limits.ts";
import { planRescore, whyAsk, type RescorePlan } from "./plan-rescore.ts";
import { rescoreAttempt, type RescoreAttemptOptions } from "./rescore-attempt.ts";
import type { CreateRunScoring } from "./run-context.ts";
import type { ScoredBy } from "./scored-by.ts";
import { untilStoreAnswers, type UntilStoreAnswersOptions } from "./until-store-answers.ts";

export interface RescoreOptions {
  readonly store: Store;
  readonly createScoring: CreateRunScoring;
  readonly now: () => number;
  readonly owner?: string | null;
  /** Asks judge, labeller and embedder again. Default: what they said is kept, and no model is called. */
  readonly askModels?: boolean | undefined;
  /** What the run is to be scored by from now on. Default: what it was scored by. */
  readonly replace?: RescoreReplacement | undefined;
  /** Rejects when checks that may take long to be made ready cannot be used. */
  readonly tryChecks?: (checks: readonly PlacedCheck[] | undefined, owner: string | null) => Promise<void>;
  /** Throws when a judge or labeller may not be called, by the policy of this process or of the run. Default: any may. */
  readonly checkEndpoint?: ((planned: PlannedEndpoint, policy: RunPolicy | null) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told each time the store refuses what models have said. It is held until the store takes it, or `signal` aborts. */
  readonly onRefused?: UntilStoreAnswersOptions["onRefused"];
  /** The store has taken what models have said of an attempt. */
  readonly onStored?: () => void;
}

interface RescoreReplacement {
  readonly request: Omit<RescoreRequest, "ask_models">;
  readonly limits: PlanLimits;
  readonly helpers: PlanHelpers;
}

/** Turns written together. */
const batchSize = 200;
const never = new AbortController().signal;

/**
 * Scores a run that has ended again by today's definitions, from its stored replies. Safe to repeat, and after a crash to do over:
 * what it is scored by is stored first, with the mark that not all of it is, and the mark is taken away last. Where models are asked,
 * doing it over asks them only for what they have not said since it was begun.
 */
export function rescoreRun(runId: string, options: RescoreOptions): Promise<RunRecord> {
  const { store, signal } = options;
  const check = (): Promise<unknown> => endedRun(runId, options);
  return rescoreAlone(runId, { store, check, signal, work: (hold) => rescoreHeld({ ...options, hold }) });
}

interface HeldOptions extends RescoreOptions {
  readonly hold: RescoreHold;
}

async function rescoreHeld(options: HeldOptions): Promise<RunRecord> {
  const runId = options.hold.run_id;
  const before = await endedRun(runId, options);
  const { plan, scoring } = await prepare(before, options);
  const run = { ...before, settings: plan.settings };
  const at = beginOf(before, plan, options);
  const broken: Rescored = { ...markOf(before, plan, options), at, partial: true };
  await begin(before, plan, broken, options);
  try {
    await rescoreAttempts(run, plan, { ...options, ...scoring, ...(options.askModels && { askedIn: at }) });
  } catch (error) {
    // Broken off: the run's own figures are those of what is stored all the same.
    if (!isStoreFailure(error)) await refigure(run, broken, options).catch(() => {});
    throw error;
  }
  await refigure(run, markOf(before, plan, options), options);
  return endedRun(runId, options);
}

type RunScoring = Awaited<ReturnType<CreateRunScoring>>;

/** Refuses before anything is written. */
async function prepare(
  run: RunRecord,
  { store, createScoring, askModels, replace, tryChecks, checkEndpoint }: RescoreOptions,
): Promise<{ plan: RescorePlan; scoring: RunScoring }> {
  const before: ScoredBy = { settings: run.settings, scenarios: await store.runs.scenarios(run.id) };
  const plan = replace ? planRescore(before, replace.request, replace) : { ...before, replaced: [], changed: [] };
  // Asked all the same, a helper that may not be called would leave nothing of what it said before.
  const areNew = plan.replaced.includes("judge") || plan.replaced.includes("labeller");
  if (askModels || areNew) for (const planned of helperEndpoints(plan.settings)) checkEndpoint?.(planned, run.policy);
  await tryChecks?.(plan.untried, run.owner);
  const scoringBy = (by: ScoredBy) => createScoring({ ...by, owner: run.owner, policy: run.policy, ledger: null });
  const now = await scoringBy(plan);
  const chosen = plan.replaced.includes("scorers");
  const semantic = now.scoring.semantic !== undefined;
  const newlySemantic = chosen && semantic && (await scoringBy(before)).scoring.semantic === undefined;
  const why = askModels ? null : whyAsk(before, plan, { semantic, newlySemantic });
  if (why !== null) throw fieldsError([{ pointer: "/ask_models", code: "required", message: `must be true: ${why}` }]);
  const keepsSemantic = semantic || !(chosen || plan.replaced.includes("test_batch"));
  return { plan, scoring: { ...now, scoring: { ...now.scoring, keepsSemantic } } };
}

/** When this scoring was begun: where the same was begun before and broken off, that is when it was. */
function beginOf({ summary }: RunRecord, { replaced }: RescorePlan, { now, askModels }: RescoreOptions): string {
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
  const figured = before.summary ?? (await figureRun(before, { store, now })).summary;
  const summary = { ...figured, rescored };
  const figures = { summary, message: before.message, settings, scenarios: changed };
  if (!(await store.runs.resummarize(before.id, figures, hold))) throw new RescoreTakenOver();
}

/** Where models were not asked about all turns, what they said is a part of it until they are. */
function markOf({ summary }: RunRecord, { replaced }: RescorePlan, { now, askModels }: RescoreOptions): Rescored {
  const earlier = summary?.rescored;
  const asked = askModels || earlier?.asked_models;
  return {
    at: new Date(now()).toISOString(),
    replaced: [...new Set([...(earlier?.replaced ?? []), ...replaced])],
    ...(asked && { asked_models: true }),
    ...(earlier?.partial && earlier.asked_models && !askModels && { partial: true }),
  };
}

async function rescoreAttempts(
  run: RunRecord,
  { scenarios }: RescorePlan,
  options: HeldOptions & RunScoring & Pick<RescoreAttemptOptions, "askedIn">,
): Promise<void> {
  const { store, hold, askModels, signal = never, onRefused = () => {}, onStored = () => {} } = options;
  /** What models said is paid for. All else can be computed again. */
  const answered = <Result>(write: () => Promise<Result>): Promise<Result> =>
    askModels ? untilStoreAnswers(write, { signal, onRefused }) : write();
  const { id: runId, settings } = run;
  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario) continue;
    const { turns, average_scores } = await rescoreAttempt(attempt, { ...options, settings, scenario });
    for (let first = 0; first < turns.length; first += batchSize) {
      await answered(() => store.interactions.rescore(hold, turns.slice(first, first + batchSize)));
    }
    const written = await answered(() => store.attempts.reaverage(hold, { attempt_id: attempt.id, average_scores }));
    if (!written) throw new RescoreTakenOver();
    onStored();
  }
}

async function refigure(run: RunRecord, rescored: Rescored, { store, now, hold }: HeldOptions): Promise<void> {
  const { summary, message } = await figureRun(run, { store, now });
  const figures = {
    summary: { ...summary, rescored },
    message: run.state === "completed" ? `${message}${tellOf(rescored)}` : run.message,
  };
  if (!(await store.runs.resummarize(run.id, figures, hold))) throw new RescoreTakenOver();
}

/** The figures are not those the run was made for: whoever reads them should not have to look for that. */
function tellOf({ replaced, partial }: Rescored): string {
  const others = replaced.length === 0 ? "" : `; scored again (replaced: ${replaced.join(", ")})`;
  return partial ? `${others}; scoring it again was broken off` : others;
}

async function endedRun(id: string, { store, owner }: RescoreOptions): Promise<RunRecord> {
  const run = await findRun(store, id, owner);
  refuseUnfinished(run, "only ended runs are scored again");
  return run;
}

/** Another process has begun to score the run again, since this one had fallen silent; or the run was deleted. */
class RescoreTakenOver extends Error {}

interface RescoreAloneOptions<Result> {
  readonly store: Store;
  /** Rejects when the run is not there or cannot be scored again. */
  readonly check: () => Promise<unknown>;
  /** Rejects with `RescoreTakenOver` when the hold is stale. */
  readonly work: (hold: RescoreHold) => Promise<Result>;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number;
}

/**
 * Does the work when no other process scores the run again: two at once would leave some turns scored by the one and some by the
 * other. Waits for the other one to end or to die, and begins anew after one that took the run over.
 */
export async function rescoreAlone<Result>(runId: string, options: RescoreAloneOptions<Result>): Promise<Result> {
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
      // Where the store is away, the hold ends by itself, and nobody has to wait for that.
      if (!away) await released;
    }
    await pause(pollMs, signal);
  }
}
