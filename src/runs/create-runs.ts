import { setTimeout as wait } from "node:timers/promises";
import { createSemaphore, type Semaphore } from "../base/semaphore.ts";
import { ServiceError } from "../contract/errors.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { ClaimedAttempt } from "../contract/ports/queue.ts";
import type { UnfinishedLimits, RunRecord } from "../contract/ports/store.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import { finalStates } from "../contract/schemas/run.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { runJudgeAudit } from "./compare/audit-judge.ts";
import { baselineWarnings } from "./compare/baseline-gate.ts";
import { compareStoredRuns } from "./compare/compare-stored-runs.ts";
import { judgeRunPairs } from "./compare/judge-run-pairs.ts";
import { measureNoise } from "./compare/measure-noise.ts";
import { rankStoredRuns } from "./compare/rank-runs.ts";
import { isTransient } from "./execute/attempt-errors.ts";
import { createConcluder, failRun } from "./execute/conclude-run.ts";
import { executeAttempt } from "./execute/execute-attempt.ts";
import { limitModels } from "./execute/limit-model.ts";
import { createRunContexts, type RunContext } from "./execute/run-context.ts";
import { meterCalls, withMemory } from "./execute/run-memory.ts";
import { createRunScoring } from "./execute/run-scoring.ts";
import { createStoreOutageMonitor } from "./execute/store-outage.ts";
import { createWorker, type AttemptControl } from "./execute/worker.ts";
import { estimatePlan } from "./plan/estimate-plan.ts";
import type { ModelTarget } from "./plan/model-target.ts";
import { verifySlowChecks } from "./plan/request-checks.ts";
import { toRepeatRequest } from "./plan/to-request.ts";
import { runWarnings } from "./plan/warnings.ts";
import { createRescorer } from "./rescore/rescore-run.ts";
import { getOwnedRun } from "./results/find-run.ts";
import { createRunWaiters, waitForRun } from "./results/follow-run.ts";
import { readAttemptResults, readScenarioResults, readWholeResults } from "./results/read-results.ts";
import { writeResults } from "./results/results-text.ts";
import { createRunEvents } from "./results/run-events.ts";
import { createScenarioOrders, listRunScenarios } from "./results/run-scenarios.ts";
import type { RunsOptions } from "./runs-options.ts";
import type { Runs } from "./runs.ts";
import { createCheckRunner } from "./threads/check-runner.ts";
import { createScoringPool } from "./threads/scoring-pool.ts";

/**
 * Attempts held beyond the concurrent calls, so that a slot is reused while a reply is stored. Zero when several processes share
 * a queue: another process could execute the attempt.
 */
const heldAhead = 0.25;
/** Extra capacity for owners who get no slot because of the calls of others. */
const spareShare = 0.25;
/** How long the response to a cancellation waits for the end of the run. */
const concludeWithinMs = 100;

/** Manages runs, and the worker of this process that executes them. */
export function createRuns(options: RunsOptions): Runs {
  const { store, queue, newId, isDemo, isTied = () => false, helpers = {}, onError, now = Date.now, memory } = options;
  const events = createRunEvents();
  const ownRuns = options.ownRuns && new Set(options.ownRuns);
  const waiting = createRunWaiters({ store, events });
  const { trouble = createStoreOutageMonitor() } = options;
  trouble.onLasting(waiting.giveUp);
  const { global, perRun } = options.concurrency;
  const spare = Math.floor(global * spareShare);
  const places = createSemaphore(global, { spare });
  const createModel = limitConcurrency(options.createModel, places);
  const ahead = queue.claimsFollowEnds ? Math.ceil(global * heldAhead) : 0;
  const orders = createScenarioOrders({ store, now });
  const pool = createScoringPool();
  const checks = createCheckRunner();
  /** Judges and labellers obey the limits of their endpoint like models under test. */
  const createHelper = limitModels(
    limitConcurrency(meterCalls(options.createHelper ?? options.createModel, memory), places),
    options.limits,
  );
  const asking = { createModel: createHelper, priceOf: options.priceOf, operatorJudge: helpers.judge };
  const scoringOf = createRunScoring({
    ...options,
    createModel: createHelper,
    lexical: pool.score,
    runCheck: checks.run,
    isAudited: async (fingerprint) => (await options.audits?.hasPassed(fingerprint)) ?? false,
  });
  const contexts = createRunContexts({
    store,
    createModel,
    limits: options.limits,
    createScoring: scoringOf,
    priceOf: options.priceOf,
    now,
    memory,
  });
  // The last attempt concludes its run; a poll concludes runs that were cancelled while idle or whose worker died.
  const concluder = createConcluder({ store, now, figuresOf: contexts.figuresOf, onEnd: ended });
  const worker = createWorker({
    id: options.workerId,
    queue,
    execute,
    capacity: global + ahead,
    perRun,
    spare,
    runs: ownRuns,
    onError: failed,
    isBreak: (error) => !isTransient(error),
    onBroken: fail,
    onReleased: () => concluder.concludeDrained(),
    onPoll: () => concluder.concludeForgotten(),
    heartbeatMs: options.heartbeatMs,
  });

  function failed(error: unknown): void {
    onError(error);
    trouble.failed(error);
  }

  function ended(runId: string): void {
    contexts.forget(runId);
    events.changed(runId, "end");
  }

  /** Reports a write that the store refused; only the first try is logged. */
  const refused = (error: unknown, times: number): void => (times === 1 ? failed(error) : trouble.failed(error));

  const rescore = createRescorer({
    store,
    createScoring: scoringOf,
    now,
    checkEndpoint: options.checkEndpoint,
    tryChecks: (slowChecks, owner) => verifySlowChecks(slowChecks, { checks, owner }),
    onRescored: orders.forget,
    onRefused: refused,
    onStored: trouble.over,
  });

  function execute(claimed: ClaimedAttempt, { signal, ending: onEnding }: AttemptControl): Promise<void> {
    const onStored = (): void => {
      trouble.over();
      events.changed(claimed.run_id, "progress");
    };
    const carryOut = async (context: RunContext): Promise<void> => {
      const execution = { store, queue, context, signal, onStored, onEnding, onError, onRefused: refused };
      const { run_drained } = await executeAttempt(claimed, execution);
      if (run_drained) await concluder.conclude(claimed.run_id);
    };
    return contexts.during(
      claimed.run_id,
      (context) => withMemory(context, { memory, scenarioIndex: claimed.scenario_index, signal }, carryOut),
      signal,
    );
  }

  async function fail(claimed: ClaimedAttempt, error: unknown): Promise<void> {
    if (!(await failRun(claimed, { store, now, error }))) return;
    worker.abandon(claimed.run_id);
    ended(claimed.run_id);
  }

  const get = (id: string, owner: string | null): Promise<RunRecord> => getOwnedRun(store, id, owner);

  const warningsOf = (settings: RunSettings, scenarios: readonly Scenario[]): readonly Warning[] =>
    runWarnings(settings, {
      scenarios,
      priceOf: options.priceOf?.(settings),
      customScorers: options.customScorers,
    });

  /** False when the run has already ended. */
  async function stopRun(id: string): Promise<boolean> {
    if (!(await store.runs.cancel(id))) return false;
    worker.abandon(id);
    // Small runs have ended when the response is sent; computing the figures of a large one takes longer.
    await Promise.race([concluder.concludeDrained().catch(onError), wait(concludeWithinMs, null, { ref: false })]);
    return true;
  }

  async function cancel(id: string, owner: string | null): Promise<RunRecord> {
    await get(id, owner);
    const stops = await stopRun(id);
    const run = await get(id, owner);
    if (stops) return run;
    throw new ServiceError("run_already_finished", `The run ${id} has already ended (${run.state}).`);
  }

  return {
    get,
    cancel,
    list: (filter) => store.runs.list(filter),
    wait: waiting.wait,
    follow: waiting.follow,
    results: (run, resultOptions) => writeResults(run, { store, now, ...resultOptions }),
    wholeResults: (run) => readWholeResults(run, { store, now }),
    scenarios: async (run, query) => listRunScenarios(run, query, { store, order: await orders.of(run) }),
    request: async (run) => toRepeatRequest(run.settings, { scenarios: await store.runs.scenarios(run.id), helpers }),
    scenarioResults: (run, resultOptions) => readScenarioResults(run, { store, ...resultOptions }),
    attemptResults: (run, resultOptions) => readAttemptResults(run, { store, ...resultOptions }),
    rescore: (id, owner, { signal: client, ...rest } = {}) =>
      client ? waiting.during(client, (signal) => rescore(id, owner, { ...rest, signal })) : rescore(id, owner, rest),
    compare: (baseline, candidate, owner, margins) => compareStoredRuns(store, baseline, candidate, { owner, margins }),
    rank: (named, owner) => rankStoredRuns(store, named, { owner }),
    async estimate(plan, { warnings, owner }) {
      await verifySlowChecks(plan.slowChecks, { checks, owner });
      const { priceOf } = options;
      const { perOrigin = global } = options.concurrency;
      const limits = { concurrency: perRun, mostCalls: Math.min(global, perOrigin) };
      const estimate = await estimatePlan(plan, { store, priceOf, owner, tied: isTied(plan), ...limits });
      const allWarnings = [
        ...warnings,
        ...warningsOf(plan, plan.scenarios),
        ...(await baselineWarnings(store, { settings: plan, scenarios: plan.scenarios, owner })),
      ];
      return { ...estimate, ...(allWarnings.length > 0 && { warnings: allWarnings }) };
    },
    noise: (ids, owner) => measureNoise(store, ids, { owner }),
    judgePairs: (request, { owner, signal: client }) =>
      waiting.during(client, (signal) => judgeRunPairs(store, request, { ...asking, owner, signal })),
    auditJudge: (request, { owner, signal: client }) =>
      waiting.during(client, async (signal) => {
        const audit = await runJudgeAudit(request, { ...asking, owner, signal });
        await options.audits?.record(audit, now());
        return audit;
      }),
    async create({ scenarios, slowChecks, ...settings }, { warnings, idempotency, owner }) {
      await verifySlowChecks(slowChecks, { checks, owner });
      const [demo, tied] = [isDemo(settings), isTied(settings)];
      const id = newId();
      ownRuns?.add(id);
      contexts.created(id, scenarios);
      const allWarnings = [
        ...warnings,
        ...warningsOf(settings, scenarios),
        ...(await baselineWarnings(store, { settings, scenarios, owner: owner ?? null })),
      ];
      const priority = settings.priority ?? 0;
      const run = {
        id,
        settings,
        scenarios,
        warnings: allWarnings,
        demo,
        tied,
        policy: options.policyOf?.(settings) ?? null,
        priority,
        idempotency,
        owner,
        created_at: now(),
      };
      const { mostUnfinished } = options;
      const created = await store.runs.create(run, { mostUnfinished });
      if (created.outcome !== "created") contexts.forget(id);
      if (created.outcome === "full") throw fullError(created.of, mostUnfinished);
      if (created.outcome === "replayed" && ownRuns) {
        ownRuns.add(created.run.id);
        await store.runs.carry(created.run.id);
        worker.wake();
      }
      return created;
    },
    async remove(id, owner, signal) {
      const run = await get(id, owner);
      if (!finalStates.has(run.state)) {
        await stopRun(id);
        await waitForRun(id, { store, events, signal });
      }
      await store.runs.remove(id);
    },
    async start() {
      waiting.allow();
      for (const id of options.ownRuns ?? []) await store.runs.carry(id);
      // Polls and claims repeat this, so a store that fails right now does not prevent the start.
      await queue.recover().then(concluder.concludeDrained).catch(onError);
      worker.start();
    },
    async stop(stopOptions) {
      options.onStopping?.();
      options.limits?.stopWaiting();
      const over = AbortSignal.timeout(stopOptions.graceMs);
      // While the store is unavailable, the worker may take longer to stop than clients should wait.
      over.addEventListener("abort", waiting.endAll, { once: true });
      await worker.stop(stopOptions);
      over.removeEventListener("abort", waiting.endAll);
      waiting.endAll();
      await Promise.all([pool.close(), checks.close(over)]);
    },
  };
}

type CreateModel = (target: ModelTarget) => ChatModel;

/** Models that acquire a slot of this process for each call. */
function limitConcurrency(create: CreateModel, places: Semaphore): CreateModel {
  return (target) => {
    const model = create(target);
    return (request, call) => places.take(call.signal, () => model(request, call), target.owner);
  };
}

/** When to retry a run that was refused because of too many unfinished runs. */
const fullRetryMs = 10_000;

/** The error for too many unfinished runs, of one owner or of all. */
function fullError(of: "owner" | "all", most: UnfinishedLimits | undefined): ServiceError {
  const [code, whose, count, setting] =
    of === "owner"
      ? (["rate_limited", " of this key's owner", most?.perOwner, "REHEARSAL_QUEUE_MAX_RUNS_PER_KEY"] as const)
      : (["overloaded", "", most?.all, "REHEARSAL_QUEUE_MAX_RUNS"] as const);
  return new ServiceError(code, `Too many unfinished runs${whose}: at most ${count} are allowed.`, {
    hint: `Wait until some have ended, cancel some, or raise ${setting}.`,
    retryAfterMs: fullRetryMs,
  });
}
