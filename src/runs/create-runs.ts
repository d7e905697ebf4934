import { setTimeout as wait } from "node:timers/promises";
import { createPlaces, type Places } from "../base/semaphore.ts";
import { ServiceError } from "../contract/errors.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { ClaimedAttempt } from "../contract/ports/queue.ts";
import type { MostUnfinished, RunRecord } from "../contract/ports/store.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import { finalStates } from "../contract/schemas/run.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { runJudgeAudit } from "./audit-judge.ts";
import { createCheckRunner } from "./check-runner.ts";
import { compareStoredRuns } from "./compare-stored-runs.ts";
import { createConcluder } from "./concluder.ts";
import { createRunScoring } from "./create-scoring.ts";
import { estimatePlan } from "./estimate-plan.ts";
import { executeAttempt } from "./execute-attempt.ts";
import { failRun } from "./fail-run.ts";
import { findRun } from "./find-run.ts";
import { isCircumstance } from "./is-circumstance.ts";
import { judgeRunPairs } from "./judge-run-pairs.ts";
import { limitModels } from "./limit-model.ts";
import { listRunScenarios } from "./list-run-scenarios.ts";
import { measureNoise } from "./measure-noise.ts";
import type { ModelTarget } from "./model-target.ts";
import { rankStoredRuns } from "./rank-stored-runs.ts";
import { readAttemptResults, readResults, readScenarioResults, readWholeResults } from "./read-results.ts";
import { refuseUnusableChecks } from "./refuse-unusable-checks.ts";
import { createRescorer } from "./rescorer.ts";
import { createRunContexts, type RunContext } from "./run-context.ts";
import { createRunEvents } from "./run-events.ts";
import { meterCalls, withMemory } from "./run-memory.ts";
import { runWarnings } from "./run-warnings.ts";
import type { RunsOptions } from "./runs-options.ts";
import type { Runs } from "./runs.ts";
import { createScenarioOrders } from "./scenario-order.ts";
import { createScoringPool } from "./scoring-pool.ts";
import { createStoreTrouble } from "./store-trouble.ts";
import { toRequest } from "./to-request.ts";
import { waitForRun } from "./wait-for-run.ts";
import { createWaiting } from "./waiting.ts";
import { createWorker, type AttemptControl } from "./worker.ts";

/**
 * Attempts held beyond the calls that may be made at once: while a reply is stored, the place of its call goes to one of them.
 * Not where many processes share a queue: what waits here could be carried out elsewhere.
 */
const heldAhead = 0.25;
/** Calls at once, and attempts held, beyond those that all may have: for owners to whom the calls of others leave no place. */
const spareShare = 0.25;
/** How long the answer to a cancellation waits for the end of the run. */
const concludeWithinMs = 100;

/** Runs, and the worker of this process that carries them out. */
export function createRuns(options: RunsOptions): Runs {
  const { store, queue, newId, isDemo, isTied = () => false, helpers = {}, onError, now = Date.now, memory } = options;
  const events = createRunEvents();
  const ownRuns = options.ownRuns && new Set(options.ownRuns);
  const waiting = createWaiting({ store, events });
  const { trouble = createStoreTrouble() } = options;
  trouble.onLasting(waiting.giveUp);
  const { global, perRun } = options.concurrency;
  const spare = Math.floor(global * spareShare);
  const places = createPlaces(global, { spare });
  const createModel = placeModels(options.createModel, places);
  const ahead = queue.claimsFollowEnds ? Math.ceil(global * heldAhead) : 0;
  const orders = createScenarioOrders({ store, now });
  const pool = createScoringPool();
  const checks = createCheckRunner();
  /** Judges and labellers, at whichever endpoint: its limits hold for them as for the models under test. */
  const createHelper = limitModels(
    placeModels(meterCalls(options.createHelper ?? options.createModel, memory), places),
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
  // A run ends with its last attempt; one that was cancelled while nothing ran, or whose worker died then, ends at a poll.
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
    isBreak: (error) => !isCircumstance(error),
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

  /** What has come of a call, and the store does not take. */
  const refused = (error: unknown, times: number): void => (times === 1 ? failed(error) : trouble.failed(error));

  const rescore = createRescorer({
    store,
    createScoring: scoringOf,
    now,
    checkEndpoint: options.checkEndpoint,
    tryChecks: (untried, owner) => refuseUnusableChecks(untried, { checks, owner }),
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

  const get = (id: string, owner: string | null): Promise<RunRecord> => findRun(store, id, owner);

  const warningsOf = (settings: RunSettings, scenarios: readonly Scenario[]): readonly Warning[] =>
    runWarnings(settings, {
      scenarios,
      priceOf: options.priceOf?.(settings),
      customScorers: options.customScorers,
    });

  /** False when it has ended, perhaps in this very moment. */
  async function stopRun(id: string): Promise<boolean> {
    if (!(await store.runs.cancel(id))) return false;
    worker.abandon(id);
    // A small run has ended when the answer goes out; the figures of a large one take longer than anyone wants to wait here.
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
    results: (run, resultOptions) => readResults(run, { store, now, ...resultOptions }),
    wholeResults: (run) => readWholeResults(run, { store, now }),
    scenarios: async (run, query) => listRunScenarios(run, query, { store, order: await orders.of(run) }),
    request: async (run) => toRequest(run.settings, { scenarios: await store.runs.scenarios(run.id), helpers }),
    scenarioResults: (run, resultOptions) => readScenarioResults(run, { store, ...resultOptions }),
    attemptResults: (run, resultOptions) => readAttemptResults(run, { store, ...resultOptions }),
    rescore: (id, owner, { signal: client, ...rest } = {}) =>
      client ? waiting.during(client, (signal) => rescore(id, owner, { ...rest, signal })) : rescore(id, owner, rest),
    compare: (baseline, candidate, owner) => compareStoredRuns(store, baseline, candidate, { owner }),
    rank: (named, owner) => rankStoredRuns(store, named, { owner }),
    async estimate(plan, { warnings, owner }) {
      await refuseUnusableChecks(plan.untried, { checks, owner });
      const { priceOf } = options;
      const { perOrigin = global } = options.concurrency;
      const limits = { concurrency: perRun, mostCalls: Math.min(global, perOrigin) };
      const estimate = await estimatePlan(plan, { store, priceOf, owner, tied: isTied(plan), ...limits });
      const told = [...warnings, ...warningsOf(plan, plan.scenarios)];
      return { ...estimate, ...(told.length > 0 && { warnings: told }) };
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
    async create({ scenarios, untried, ...settings }, { warnings, idempotency, owner }) {
      await refuseUnusableChecks(untried, { checks, owner });
      const [demo, tied] = [isDemo(settings), isTied(settings)];
      const id = newId();
      ownRuns?.add(id);
      contexts.created(id, scenarios);
      const told = [...warnings, ...warningsOf(settings, scenarios)];
      const priority = settings.priority ?? 0;
      const run = {
        id,
        settings,
        scenarios,
        warnings: told,
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
      // Polls and claims do the same again: a store that breaks off a statement in this moment is no reason not to start.
      await queue.recover().then(concluder.concludeDrained).catch(onError);
      worker.start();
    },
    async stop(stopOptions) {
      options.onStopping?.();
      options.limits?.stopWaiting();
      const over = AbortSignal.timeout(stopOptions.graceMs);
      // A store that is away keeps the worker longer than anybody may be kept waiting.
      over.addEventListener("abort", waiting.endAll, { once: true });
      await worker.stop(stopOptions);
      over.removeEventListener("abort", waiting.endAll);
      waiting.endAll();
      await Promise.all([pool.close(), checks.close(over)]);
    },
  };
}

type CreateModel = (target: ModelTarget) => ChatModel;

/** Models each of whose calls needs a place in this process, and holds it only while the model is asked. */
function placeModels(create: CreateModel, places: Places): CreateModel {
  return (target) => {
    const model = create(target);
    return (request, call) => places.take(call.signal, () => model(request, call), target.owner);
  };
}

/** When to ask again with a run that was refused because there were too many. */
const fullRetryMs = 10_000;

/** Why a new run is refused: too many have not ended, of one owner or of all. */
function fullError(of: "owner" | "all", most: MostUnfinished | undefined): ServiceError {
  const [code, whose, count, setting] =
    of === "owner"
      ? (["rate_limited", "of this key's owner ", most?.perOwner, "REHEARSAL_QUEUE_MAX_RUNS_PER_KEY"] as const)
      : (["overloaded", "", most?.all, "REHEARSAL_QUEUE_MAX_RUNS"] as const);
  return new ServiceError(code, `As many runs ${whose}as there may be (${count}) have not ended yet.`, {
    hint: `Wait until some have ended, cancel those nobody needs, or raise ${setting}.`,
    retryAfterMs: fullRetryMs,
  });
}
