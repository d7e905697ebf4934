import { untilAborted } from "../base/deadline.ts";
import { createPlaces } from "../base/semaphore.ts";
import { estimateMemory, type ByteBudget } from "../base/byte-budget.ts";
import { ServiceError } from "../contract/errors.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Limits } from "../contract/ports/limits.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import type { RunPolicy } from "../contract/schemas/endpoint-policy.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { ScorerSetting, TurnCheck } from "../contract/schemas/scorer-setting.ts";
import { initialCallLimit } from "../evaluation/budget/budget.ts";
import type { PriceOf } from "../evaluation/budget/helper-usage.ts";
import type { Scoring, TurnJudge } from "../evaluation/scoring.ts";
import { createSpentOnTurn } from "../evaluation/budget/budget.ts";
import { createFiguresSoFar, type FiguresSoFar } from "./figures-so-far.ts";
import { limitModel, originOf } from "./limit-model.ts";
import type { ModelTarget } from "./model-target.ts";
import { createRunLedger, type RunLedger } from "./run-ledger.ts";

/** What every attempt of one run shares. */
export interface RunContext {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly model: ChatModel;
  readonly scoring: Scoring;
  /** Judges whole conversations; null when the run asks for none. */
  readonly conversationJudge: TurnJudge | null;
  readonly priceOf: PriceOf | undefined;
  /** Null for a run without a budget. */
  readonly ledger: RunLedger | null;
  readonly figures: FiguresSoFar;
  /** Whose memory its attempts take. */
  readonly owner: string | null;
}

/** A run whose replies are to be scored. */
export interface ScoredRun {
  readonly owner: string | null;
  readonly policy: RunPolicy | null;
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly ledger: RunLedger | null;
}

/** How a run's replies are scored: joins models, embedder and judge with the settings of the run. */
export type CreateRunScoring = (
  run: ScoredRun,
) => Promise<{ readonly scoring: Scoring; readonly conversationJudge: TurnJudge | null }>;

interface RunContextsOptions {
  readonly store: Store;
  readonly createModel: (target: ModelTarget) => ChatModel;
  /** Calls of the model under test wait for their place here. */
  readonly limits?: Limits | undefined;
  readonly createScoring: CreateRunScoring;
  readonly priceOf?: ((target: ModelTarget) => PriceOf) | undefined;
  readonly now: () => number;
  /** So many are kept; more only while somebody works on their runs. */
  readonly keep?: number;
  /** Memory for the scenarios of runs, which may be large. Default: not counted. */
  readonly memory?: ByteBudget | undefined;
}

interface RunContexts {
  /** All who work on a run at the same time share its context: what calls under way will cost is known nowhere else. */
  during<Result>(runId: string, work: (context: RunContext) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** A run was made here, most likely to be carried out here: its scenarios need not be read again. */
  created(runId: string, scenarios: readonly Scenario[]): void;
  /** The figures of a run that is being carried out here. */
  figuresOf(runId: string): Promise<FiguresSoFar | undefined>;
  /** The run has ended, or there is none after all: nobody asks for its context any more. */
  forget(runId: string): void;
}

interface SharedContext {
  readonly context: Promise<RunContext>;
  /** Gives back the memory of the scenarios. */
  readonly release: () => void;
  users: number;
}

/** Runs whose scenarios are read at once: how much memory those take is known afterwards. */
const readAtOnce = 2;

const never = new AbortController().signal;

/** Reads a run's context once and keeps the last few, since a worker takes many attempts of the same runs. */
export function createRunContexts({
  store,
  createModel,
  limits,
  createScoring,
  priceOf,
  now,
  keep = 100,
  memory,
}: RunContextsOptions): RunContexts {
  const reading = createPlaces(readAtOnce);
  const contexts = new Map<string, SharedContext>();
  /** Of the last run alone: others may wait for long, or for somebody else. */
  let latest: { readonly runId: string; readonly scenarios: readonly Scenario[] } | null = null;

  async function scenariosOf(runId: string): Promise<readonly Scenario[]> {
    if (latest?.runId !== runId) return store.runs.scenarios(runId);
    const { scenarios } = latest;
    latest = null;
    return scenarios;
  }

  /** How much memory the scenarios take is known when they are there: they are read while there is some, and counted then. */
  async function scenariosIntoMemory(runId: string, hold: (bytes: number) => void): Promise<readonly Scenario[]> {
    if (!memory) return scenariosOf(runId);
    return reading.take(never, async () => {
      forgetIdle();
      await memory.room(never);
      const scenarios = await scenariosOf(runId);
      hold(estimateMemory(scenarios));
      return scenarios;
    });
  }

  async function read(runId: string, hold: (bytes: number) => void): Promise<RunContext> {
    await store.runs.start(runId, now());
    const [run, scenarios] = await Promise.all([store.runs.get(runId), scenariosIntoMemory(runId, hold)]);
    if (!run) throw new ServiceError("run_not_found", `The run ${runId} no longer exists.`);
    const { owner, policy, settings } = run;
    const ledger = ledgerOf(run, scenarios);
    const scoring = await createScoring({ owner, policy, settings, scenarios, ledger });
    const figures = createFiguresSoFar({ settings, scenarios });
    return {
      settings,
      scenarios,
      model: modelOf(run, scenarios),
      ...scoring,
      priceOf: priceOf?.(settings),
      ledger,
      figures,
      owner: run.owner,
    };
  }

  function modelOf({ id, owner, policy, settings }: RunRecord, scenarios: readonly Scenario[]): ChatModel {
    const plain = createModel({ ...settings, owner, policy });
    const model = wantsStream(settings, scenarios) ? streamedModel(plain) : plain;
    if (!limits) return model;
    const { endpoint, priority } = settings;
    return limitModel(model, { limits, endpoint: originOf(endpoint), run_id: id, owner, priority });
  }

  function ledgerOf(run: RunRecord, scenarios: readonly Scenario[]): RunLedger | null {
    const { budget } = run.settings;
    if (!budget) return null;
    const begin = run.started_at ?? now();
    const priced = { scenarios, priceOf: priceOf?.(run.settings) };
    return createRunLedger({
      runId: run.id,
      store,
      budget,
      firstCalls: initialCallLimit(run.settings, priced),
      spentOnTurn: createSpentOnTurn(run.settings, priced),
      deadline: budget.seconds === undefined ? null : begin + budget.seconds * 1_000,
      now,
    });
  }

  function share(runId: string): SharedContext {
    const known = contexts.get(runId);
    if (known) return known;
    const held = memory?.open();
    let isDropped = false;
    const shared = {
      context: read(runId, (bytes) => isDropped || held?.addAnyway(bytes)),
      release() {
        isDropped = true;
        held?.release();
      },
      users: 0,
    };
    contexts.set(runId, shared);
    shared.context.catch(() => {
      shared.release();
      // It may have been forgotten, and another begun since.
      if (contexts.get(runId) === shared) contexts.delete(runId);
    });
    return shared;
  }

  function forgetIdle(): void {
    for (const [runId, shared] of contexts) {
      if (contexts.size <= keep && (!memory || memory.used < memory.size / 2)) return;
      if (shared.users === 0) drop(runId, shared);
    }
  }

  function drop(runId: string, { release }: SharedContext): void {
    contexts.delete(runId);
    release();
  }

  return {
    async during(runId, work, signal = never) {
      const shared = share(runId);
      shared.users += 1;
      try {
        return await work(await untilAborted(shared.context, signal));
      } finally {
        shared.users -= 1;
        forgetIdle();
      }
    },
    created: (runId, scenarios) => void (latest = { runId, scenarios }),
    figuresOf: async (runId) => {
      const context = await contexts.get(runId)?.context.catch(() => undefined);
      return context?.figures;
    },
    forget(runId) {
      const shared = contexts.get(runId);
      if (shared) drop(runId, shared);
      if (latest?.runId === runId) latest = null;
    },
  };
}

/** Whether a run wants to know when the first token of a reply came: it says so, or a check of it needs to know. */
export function wantsStream(
  { stream, scorers = [] }: Pick<RunSettings, "stream" | "scorers">,
  scenarios: readonly Scenario[],
): boolean {
  return (
    stream ??
    (scorers.some(isOfFirstToken) ||
      scenarios.some(({ interactions }) => interactions.some(({ checks }) => checks?.some(isOfFirstToken))))
  );
}

function isOfFirstToken(setting: ScorerSetting | TurnCheck): boolean {
  return typeof setting === "object" && setting.type === "latency" && setting.of === "first_token";
}

/** A model that is asked for streams, although nobody listens to them. */
export function streamedModel(model: ChatModel): ChatModel {
  return (request, options) => model(request, { ...options, stream: true });
}
