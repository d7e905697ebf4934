import { compact } from "../base/compact.ts";
import { loadOnce } from "../base/load-once.ts";
import { createSemaphore, type Semaphore } from "../base/semaphore.ts";
import { ServiceError } from "../contract/errors/errors.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { CreatedRun, NewRun, RunRecord, UnfinishedLimits } from "../contract/ports/store.ts";
import type { Warning } from "../contract/errors/problem.ts";
import type { EvaluationPlan, RunSettings } from "../contract/schemas/evaluation-request.ts";
import { finalStates } from "../contract/schemas/run.ts";
import { limitModels } from "./execute/limit-model.ts";
import { RunExecutor } from "./execute/run-executor.ts";
import { meterCalls } from "./execute/run-memory.ts";
import { createRunScoring } from "./execute/run-scoring.ts";
import { createStoreOutageMonitor } from "./stored/store-outage.ts";
import { estimatePlan } from "./plan/estimate-plan.ts";
import { addEstimates } from "../evaluation/budget/estimate-run.ts";
import { opposedPlan, opposedSettings } from "./plan/plan-sequence.ts";
import type { PlannedVariant } from "./plan/plan-variants.ts";
import { experimentOf, findExperiment, variantSettings } from "./experiments/create-experiment.ts";
import { findSources } from "./experiments/reuse.ts";
import type { ModelTarget } from "./plan/model-target.ts";
import { verifySlowChecks } from "./plan/request-checks.ts";
import { toRepeatRequest } from "./plan/to-request.ts";
import type { RequestSurvey } from "./plan/survey-request.ts";
import { getOwnedRun } from "./stored/find-run.ts";
import { createRunWaiters, waitForRun } from "./results/follow-run.ts";
import { readAttemptResults, readResponse, readScenarioResults, readWholeResults } from "./results/read-results.ts";
import { writeResults } from "./results/results-text.ts";
import { createRunEvents } from "./results/run-events.ts";
import { createScenarioOrders, listRunScenarios } from "./results/run-scenarios.ts";
import { freezeAttempt, withRecordedUsers } from "./results/user-turns.ts";
import type { RunServices } from "./run-services.ts";
import type { NewRunOptions, Runs } from "./runs.ts";
import type { Reviews } from "./review/create-reviews.ts";
import { createCheckRunner } from "./threads/check-runner.ts";
import { createScoringPool } from "./threads/scoring-pool.ts";

/** Manages runs, and the worker of this process that executes them. */
export function createRuns(services: RunServices): Runs {
  const parts = composeRuns(services);
  return { ...runLifecycle(parts), ...runResults(parts), ...runComparisons(parts), reviews: reviewsOf(parts) };
}

// Comparisons, rescoring and reviews are loaded by the first request for them: most processes never have one.

/** Extra capacity for owners who get no slot because of the calls of others. */
const spareShare = 0.25;

type Parts = ReturnType<typeof composeRuns>;

/** Creates the parts of `createRuns` and connects them. */
function composeRuns(services: RunServices) {
  const { store, memory, now = Date.now, storeOutage = createStoreOutageMonitor() } = services;
  const events = createRunEvents();
  const waiters = createRunWaiters({ store, events });
  storeOutage.onLasting(waiters.giveUp);

  const spare = Math.floor(services.concurrency.global * spareShare);
  const slots = createSemaphore(services.concurrency.global, { spare });
  const createModel = limitConcurrency(services.createModel, slots);
  // Judges and labellers obey the limits of their endpoint like models under test.
  const meteredHelper = meterCalls(services.createHelper ?? services.createModel, memory);
  const createHelper = limitModels(limitConcurrency(meteredHelper, slots), services.limits);

  const scoringPool = createScoringPool();
  const checks = createCheckRunner();
  const createScoring = createRunScoring(services, {
    createModel: createHelper,
    lexical: scoringPool.score,
    checks,
  });
  const executor = new RunExecutor(services, { now, spare, createModel, createScoring, events, storeOutage });
  const scenarioOrders = createScenarioOrders({ store, now });
  const rescorer = loadOnce(async () => {
    const { createRescorer } = await import("./rescore/rescore-run.ts");
    return createRescorer({
      ...services,
      createScoring,
      now,
      tryChecks: (slowChecks, owner) => verifySlowChecks(slowChecks, { checks, owner }),
      onRefused: (error, times) => executor.reportRefusal(error, times),
      onStored: storeOutage.over,
    });
  });
  const judging = { createModel: createHelper, priceOf: services.priceOf, operatorJudge: services.helpers?.judge };
  return { services, store, now, events, waiters, scoringPool, checks, executor, scenarioOrders, rescorer, judging };
}

type Lifecycle =
  | "create"
  | "createPlanned"
  | "estimate"
  | "estimatePlanned"
  | "get"
  | "list"
  | "request"
  | "cancel"
  | "change"
  | "remove"
  | "noteLateCall"
  | "start"
  | "stop";

/** Creates, cancels and deletes runs, and starts and stops their execution. */
function runLifecycle({
  services,
  store,
  now,
  events,
  waiters,
  scoringPool,
  checks,
  executor,
}: Parts): Pick<Runs, Lifecycle> {
  const { helpers = {}, priceOf, isTied = () => false } = services;
  const get = (id: string, owner: string | null): Promise<RunRecord> => getOwnedRun(store, id, owner);
  const lateCalls = createLateCalls(services);

  async function storeRun(run: NewRun): Promise<Exclude<CreatedRun, { outcome: "full" }>> {
    executor.expect(run.id, run.scenarios);
    const { mostUnfinished } = services;
    const created = await store.runs.create(run, { mostUnfinished });
    if (created.outcome !== "created") executor.forget(run.id);
    if (created.outcome === "full") throw fullError(created.of, mostUnfinished);
    return created;
  }

  return {
    get,
    list: (filter) => store.runs.list(filter),
    request: async (run) => toRepeatRequest(run.settings, { scenarios: await store.runs.scenarios(run.id), helpers }),

    async createPlanned({ runs: planned, experiment, reuse }, newRun) {
      const [only] = planned;
      if (!experiment && reuse === "none" && only) return this.create(only.plan, newRun);
      const owner = newRun.owner ?? null;
      const first = experiment?.joins === undefined ? undefined : await findExperiment(store, experiment.joins, owner);
      for (const { plan } of planned) await verifySlowChecks(plan.slowChecks, { checks, owner });
      const ids = planned.map(() => services.newId());
      const id = first ?? ids[0] ?? "";
      const sides = variantSettings(planned, {
        id,
        ids,
        baseline: experiment?.baseline ?? 0,
        isExperiment: experiment !== null,
      });
      const created: Exclude<CreatedRun, { outcome: "full" }>[] = [];
      for (const [index, { plan }] of planned.entries()) {
        const { scenarios, survey } = plan;
        const own = sides[index] as RunSettings;
        const tied = isTied(own);
        const sources =
          reuse === "none"
            ? []
            : await findSources(
                store,
                { settings: own, tied },
                { owner, experiment: reuse === "all" ? undefined : id },
              );
        const settings = sources.length > 0 ? { ...own, reuse: sources } : own;
        const about = { ...newRun, survey, services, createdAt: now(), ...(index > 0 && { idempotency: undefined }) };
        const one = await storeRun(toNewRun(ids[index] ?? "", { settings, scenarios }, about)).catch(
          async (error: unknown) => {
            for (const { run } of created.filter((made) => made.outcome === "created")) await executor.cancel(run.id);
            throw error;
          },
        );
        if (one.outcome === "replayed") for (const member of experimentOf(one.run)) await executor.resume(member);
        if (one.outcome !== "created") return one;
        created.push(one);
      }
      return created[0] as Exclude<CreatedRun, { outcome: "full" }>;
    },

    async create({ scenarios, slowChecks, survey, ...settings }, newRun) {
      await verifySlowChecks(slowChecks, { checks, owner: newRun.owner });
      const owner = newRun.owner ?? null;
      const compared = await comparisonWarnings(store, { settings, scenarios, owner });
      const warnings = [...newRun.warnings, ...compared];
      const ids = { candidate: services.newId(), baseline: services.newId() };
      const sides = opposedSettings(settings, ids) ?? { candidate: settings, baseline: null };
      const about = { ...newRun, warnings, survey, services, createdAt: now() };
      const created = await storeRun(toNewRun(ids.candidate, { settings: sides.candidate, scenarios }, about));
      if (created.outcome === "replayed") await executor.resume(created.run.id);
      if (created.outcome !== "created" || !sides.baseline) return created;
      const other = { ...about, idempotency: undefined };
      await storeRun(toNewRun(ids.baseline, { settings: sides.baseline, scenarios }, other)).catch(
        async (error: unknown) => {
          await executor.cancel(ids.candidate);
          throw error;
        },
      );
      return created;
    },

    async estimatePlanned({ runs: planned }, options) {
      const [first, ...others] = planned;
      let sum = await this.estimate((first as PlannedVariant).plan, options);
      for (const { plan } of others)
        sum = addEstimates(sum, await this.estimate(plan, { ...options, warnings: [] }), plan.budget);
      return sum;
    },

    async estimate(plan, { warnings, owner }) {
      await verifySlowChecks(plan.slowChecks, { checks, owner });
      const { global, perRun, perOrigin = global } = services.concurrency;
      const limits = { concurrency: perRun, mostCalls: Math.min(global, perOrigin) };
      const compared = await comparisonWarnings(store, { settings: plan, scenarios: plan.scenarios, owner });
      const estimateOf = (side: EvaluationPlan) =>
        estimatePlan(side, { store, priceOf, owner, tied: isTied(side), ...limits });
      const opposed = opposedPlan(plan);
      const own = await estimateOf(plan);
      const estimate = opposed ? addEstimates(own, await estimateOf(opposed), plan.budget) : own;
      const allWarnings = [...warnings, ...plan.survey.warnings(plan, priceOf?.(plan)), ...compared];
      return compact({ ...estimate, warnings: allWarnings.length > 0 ? allWarnings : undefined });
    },

    async cancel(id, owner) {
      await get(id, owner);
      const cancelled = await executor.cancel(id);
      const run = await get(id, owner);
      if (cancelled) return run;
      throw new ServiceError("run_already_finished", `The run ${id} has already ended (${run.state}).`);
    },

    async change(id, changes, owner) {
      await get(id, owner);
      await store.runs.change(id, changes);
      return get(id, owner);
    },

    async remove(id, owner, signal) {
      const run = await get(id, owner);
      if (!finalStates.has(run.state)) {
        await executor.cancel(id);
        await waitForRun(id, { store, events, signal });
      }
      await store.runs.remove(id);
    },

    async start() {
      waiters.allow();
      await executor.start();
    },

    noteLateCall: lateCalls.note,
    async stop({ graceMs }) {
      services.onStopping?.();
      services.limits?.stopWaiting();
      const over = AbortSignal.timeout(graceMs);
      // While the store is unavailable, the worker may take longer to stop than clients should wait.
      over.addEventListener("abort", waiters.endAll, { once: true });
      await executor.stop({ graceMs });
      over.removeEventListener("abort", waiters.endAll);
      waiters.endAll();
      await Promise.all([scoringPool.close(), checks.close(over), lateCalls.written()]);
    },
  };
}

type Results =
  | "wait"
  | "follow"
  | "results"
  | "wholeResults"
  | "readResponse"
  | "scenarios"
  | "scenarioResults"
  | "attemptResults"
  | "freeze"
  | "withRecordedUsers"
  | "rescore";

/** Follows runs, reads their results and rescores them. */
function runResults({ store, now, waiters, scenarioOrders, rescorer }: Parts): Pick<Runs, Results> {
  return {
    wait: waiters.wait,
    follow: waiters.follow,
    results: (run, options) => writeResults(run, { store, now, ...options }),
    wholeResults: (run) => readWholeResults(run, { store, now }),
    readResponse: (run, onScenario) => readResponse(run, { store, now, onScenario }),
    scenarios: async (run, query) => listRunScenarios(run, query, { store, order: await scenarioOrders.of(run) }),
    scenarioResults: (run, options) => readScenarioResults(run, { store, ...options }),
    attemptResults: (run, options) => readAttemptResults(run, { store, ...options }),
    freeze: (run, request) => freezeAttempt(run, request, store),
    async withRecordedUsers(request, owner) {
      if (request.replay_users === undefined) return request;
      return withRecordedUsers(request, await getOwnedRun(store, request.replay_users, owner), store);
    },
    async rescore(id, owner, { signal: client, ...rest } = {}) {
      const rescore = await rescorer();
      return client
        ? waiters.during(client, (signal) => rescore(id, owner, { ...rest, signal }))
        : rescore(id, owner, rest);
    },
  };
}

/** Compares and ranks runs, and asks and audits judges. */
function runComparisons({
  services,
  store,
  now,
  waiters,
  judging,
}: Parts): Pick<
  Runs,
  "compare" | "rank" | "noise" | "judgePairs" | "auditJudge" | "sequence" | "scoreAgreement" | "experiment"
> {
  return {
    async scoreAgreement(id, owner, given) {
      const { agreeWithPeople } = await import("./compare/agree-with-people.ts");
      return agreeWithPeople(store, await getOwnedRun(store, id, owner), given);
    },
    async sequence(id, owner) {
      const { candidateOf, readSequence } = await import("./sequence/read-sequence.ts");
      const candidate = await candidateOf(store, await getOwnedRun(store, id, owner));
      if (!candidate) throw new ServiceError("run_not_found", "The run that this one was compared with was deleted.");
      return (await readSequence(store, candidate)).sequence;
    },
    async experiment(id, owner, options) {
      const { readExperiment } = await import("./experiments/read-experiment.ts");
      return readExperiment(store, id, { ...options, owner });
    },
    async compare(baseline, candidate, owner, margins) {
      const { compareStoredRuns } = await import("./compare/compare-stored-runs.ts");
      return compareStoredRuns(store, baseline, candidate, { owner, margins });
    },
    async rank(named, owner) {
      const { rankStoredRuns } = await import("./compare/rank-runs.ts");
      return rankStoredRuns(store, named, { owner });
    },
    async noise(ids, owner) {
      const { measureNoise } = await import("./compare/measure-noise.ts");
      return measureNoise(store, ids, { owner });
    },
    judgePairs: (request, { owner, signal: client }) =>
      waiters.during(client, async (signal) => {
        const { judgeRunPairs } = await import("./compare/judge-run-pairs.ts");
        return judgeRunPairs(store, request, { ...judging, owner, signal });
      }),
    auditJudge: (request, { owner, signal: client }) =>
      waiters.during(client, async (signal) => {
        const { runJudgeAudit } = await import("./compare/audit-judge.ts");
        const audit = await runJudgeAudit(request, { ...judging, owner, signal });
        await services.audits?.record(audit, now());
        return audit;
      }),
  };
}

/** Warns about a baseline or an opponent, and refuses one that cannot be compared, before the first call. */
async function comparisonWarnings(
  store: RunServices["store"],
  about: Pick<NewRun, "settings" | "scenarios"> & { readonly owner: string | null },
): Promise<readonly Warning[]> {
  const { gate, sequence } = about.settings;
  const warnings: Warning[] = [];
  if (gate?.baseline !== undefined) {
    const { baselineWarnings } = await import("./compare/baseline-gate.ts");
    warnings.push(...(await baselineWarnings(store, about)));
  }
  if (sequence?.against.run !== undefined) {
    const { requireOpponent } = await import("./sequence/read-sequence.ts");
    warnings.push(...(await requireOpponent(store, about)));
  }
  return warnings;
}

/** Verdicts of people on the replies of a run. */
function reviewsOf({ store, now }: Parts): Reviews {
  const reviews = loadOnce(async () => (await import("./review/create-reviews.ts")).createReviews({ store, now }));
  return {
    list: async (...given) => (await reviews()).list(...given),
    store: async (...given) => (await reviews()).store(...given),
    queue: async (...given) => (await reviews()).queue(...given),
    agreement: async (...given) => (await reviews()).agreement(...given),
    corrections: async (...given) => (await reviews()).corrections(...given),
    auditRequest: async (...given) => (await reviews()).auditRequest(...given),
  };
}

function toNewRun(
  id: string,
  { settings, scenarios }: Pick<NewRun, "settings" | "scenarios">,
  {
    services,
    survey,
    createdAt,
    warnings,
    idempotency,
    owner,
  }: NewRunOptions & { readonly services: RunServices; readonly survey: RequestSurvey; readonly createdAt: number },
): NewRun {
  return {
    id,
    settings,
    scenarios,
    warnings: [...warnings, ...survey.warnings(settings, services.priceOf?.(settings))],
    demo: services.isDemo(settings),
    tied: (services.isTied?.(settings) ?? false) || survey.code(settings),
    policy: services.policyOf?.(settings) ?? null,
    priority: settings.priority ?? 0,
    idempotency,
    owner,
    created_at: createdAt,
  };
}

/** Counts late calls in their runs. Those that arrive during a write are added by the next one. */
function createLateCalls({ store, onError }: Pick<RunServices, "store" | "onError">) {
  const waiting = new Map<string, number>();
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    for (const [id, count] of waiting) {
      waiting.delete(id);
      await store.runs.addLateCalls(id, count).catch((error: unknown) => onError(error));
    }
    writing = null;
  }

  return {
    note(id: string): void {
      waiting.set(id, (waiting.get(id) ?? 0) + 1);
      writing ??= write();
    },
    written: async () => writing,
  };
}

type CreateModel = (target: ModelTarget) => ChatModel;

/** Models that acquire a slot of this process for each call. */
function limitConcurrency(create: CreateModel, slots: Semaphore): CreateModel {
  return (target) => {
    const model = create(target);
    return (request, call) => slots.take(call.signal, () => model(request, call), target.owner);
  };
}

/** When to retry a run that was refused because of too many unfinished runs. */
const fullRetryMs = 10_000;

/** The error for too many unfinished runs, of one owner or of all. */
function fullError(of: "owner" | "all", most: UnfinishedLimits | undefined): ServiceError {
  const [code, whose, count, setting] =
    of === "owner"
      ? (["rate_limited", " of this key's owner", most?.perOwner, "limits.queue_max_runs_per_key"] as const)
      : (["overloaded", "", most?.all, "limits.queue_max_runs"] as const);
  return new ServiceError(code, `Too many unfinished runs${whose}: at most ${count} are allowed.`, {
    hint: `Wait until some have ended, cancel some, or raise ${setting} in rehearsal.yaml.`,
    retryAfterMs: fullRetryMs,
  });
}
