import { estimateMemory } from "../../base/byte-budget.ts";
import { untilAborted } from "../../base/deadline.ts";
import { createSemaphore } from "../../base/semaphore.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { RunRecord } from "../../contract/ports/store.ts";
import type { WorldEndpoints } from "../../contract/ports/world-endpoints.ts";
import type { RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import { spanSettings } from "../../contract/schemas/acting/target.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { singleChecks } from "../../contract/schemas/scores/score-names.ts";
import type { ScorerSetting, TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import { createSpentOnTurn, initialCallLimit } from "../../evaluation/budget/budget.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import type { Judge } from "../../evaluation/judges/ask-judge.ts";
import type { Scoring, TurnJudge } from "../../evaluation/scoring.ts";
import type { Simulator } from "../../evaluation/simulation/ask-simulator.ts";
import type { countJournal } from "../../evaluation/world/limits.ts";
import { createIncrementalSummary, type IncrementalSummary } from "../results/run-figures.ts";
import { createReuse, type Reuse } from "../experiments/reuse.ts";
import { createSequenceWatches, type SequenceWatch } from "../sequence/sequence-watch.ts";
import type { RunServices } from "../run-services.ts";
import { createRunSpans, type RunSpans } from "./attempt-spans.ts";
import { limitModel, originOf } from "./limit-model.ts";
import { createRunLedger, type RunLedger } from "./run-ledger.ts";
import { createRunWorlds, loadRunModules, type WorldOf } from "./run-worlds.ts";

/** State shared by all attempts of one run. */
export interface RunContext {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly model: ChatModel;
  readonly scoring: Scoring;
  /** Judges whole conversations; null when the run does not ask for it. */
  readonly conversationJudge: TurnJudge | null;
  /** The world in which the model acts in a scenario; null without one. */
  readonly worldOf: WorldOf;
  /** Open the worlds of agents with a tool loop of their own. */
  readonly worldEndpoints?: WorldEndpoints | undefined;
  /** Where agents reach the service that accepted the run. */
  readonly worldOrigin?: string | undefined;
  /** Its traces, and the spans that come back. Default: calls carry no trace context. */
  readonly spans?: RunSpans | null;
  /** Answers the rubrics of expected outcomes. Default: they stay undecided. */
  readonly outcomeJudge?: Judge | null;
  /** Plays the users of scenarios that have one. Absent when none does. */
  readonly simulator?: Simulator | null;
  readonly priceOf: PriceOf | undefined;
  /** Null for a run without a budget. */
  readonly ledger: RunLedger | null;
  /** Whose memory its attempts take. */
  readonly owner: string | null;
  /** Counts entries of an attempt's journal. Throws when there are too many. Default: only the limit of all journals. */
  readonly countJournal?: ReturnType<typeof countJournal> | undefined;
  readonly figures: IncrementalSummary;
  /** Set for a run that stops when it is decided, and for a variant, which keeps step with the others. */
  readonly sequence?: SequenceWatch | null;
  /** Finds replies of earlier runs. Null for a run that asks for every reply. */
  readonly reuse?: Reuse | null;
}

/** A run whose replies are to be scored. */
export interface ScoredRun {
  readonly owner: string | null;
  readonly policy: RunPolicy | null;
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly ledger: RunLedger | null;
}

/** Creates the scoring of a run from models, embedder, judge and settings. */
export type CreateRunScoring = (
  run: ScoredRun,
) => Promise<Pick<RunContext, "scoring" | "conversationJudge" | "outcomeJudge" | "simulator">>;

/** Without `worldModules` or `worldEndpoints`, runs that need them cannot be executed. */
type ContextServices = Pick<RunServices, "store" | "limits" | "priceOf" | "memory" | "worldModules" | "worldEndpoints">;

interface RunContextParts {
  /** Calls of the model under test, which wait for a slot of this process. */
  readonly createModel: RunServices["createModel"];
  readonly createScoring: CreateRunScoring;
  readonly now: () => number;
  /** The number of contexts to keep; more only while they are in use. */
  readonly keep?: number;
}

interface RunContexts {
  /** Shares one context between concurrent attempts of a run, since the cost of calls in flight is known only there. */
  during<Result>(runId: string, work: (context: RunContext) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Keeps the scenarios of a new run, which is probably executed here, so that they need not be read again. */
  created(runId: string, scenarios: readonly Scenario[]): void;
  /** The summary of a run that is executed here. */
  figuresOf(runId: string): Promise<IncrementalSummary | undefined>;
  /** Drops the context of a run that has ended or was not created. */
  forget(runId: string): void;
}

interface SharedContext {
  readonly context: Promise<RunContext>;
  /** Gives back the memory of the scenarios. */
  readonly release: () => void;
  users: number;
}

/** At most this many runs load scenarios concurrently; their size is unknown until loaded. */
const readAtOnce = 2;

const never = new AbortController().signal;

/** Reads a run's context once and keeps the last few, since a worker takes many attempts of the same runs. */
export function createRunContexts(
  { store, limits, priceOf, memory, worldModules, worldEndpoints }: ContextServices,
  { createModel, createScoring, now, keep = 100 }: RunContextParts,
): RunContexts {
  const sequences = createSequenceWatches(store);
  const reading = createSemaphore(readAtOnce);
  const contexts = new Map<string, SharedContext>();
  /** Caches only the newest run's scenarios; older runs may start much later or elsewhere. */
  let latest: { readonly runId: string; readonly scenarios: readonly Scenario[] } | null = null;

  async function scenariosOf(runId: string): Promise<readonly Scenario[]> {
    if (latest?.runId !== runId) return store.runs.scenarios(runId);
    const { scenarios } = latest;
    latest = null;
    return scenarios;
  }

  /** A run's size is known only after loading: wait for free memory, load, then count it. */
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
    const modules = await loadRunModules({ settings, scenarios }, worldModules);
    const ledger = ledgerOf(run, scenarios);
    const scoring = await createScoring({ owner, policy, settings, scenarios, ledger });
    const figures = createIncrementalSummary({ settings, scenarios });
    return {
      settings,
      scenarios,
      model: modelOf(run, scenarios),
      ...scoring,
      worldOf: createRunWorlds(settings, { probes: scoring.scoring.probes, modules }),
      worldEndpoints,
      worldOrigin: policy?.world_origin,
      spans: spansOf(run),
      priceOf: priceOf?.(settings),
      ledger,
      figures,
      sequence: sequences.of(run, scenarios.length),
      reuse: createReuse(store, { settings, scenarios }),
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

  function spansOf({ id, trace_key: key, spans_seen: seen, settings }: RunRecord): RunSpans | null {
    return key && createRunSpans(id, { store: store.spans, key, seen, ...spanSettings(settings) });
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
      // The context may have been dropped and read again meanwhile.
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
      sequences.forget(runId);
      const shared = contexts.get(runId);
      if (shared) drop(runId, shared);
      if (latest?.runId === runId) latest = null;
    },
  };
}

/** True when the run measures the time to the first token, by its settings or by a check. */
export function wantsStream(
  { stream, scorers = [] }: Pick<RunSettings, "stream" | "scorers">,
  scenarios: readonly Scenario[],
): boolean {
  return (
    stream ??
    (scorers.some(isOfFirstToken) ||
      scenarios.some(({ interactions }) =>
        interactions.some(({ checks }) => singleChecks(checks ?? []).some(isOfFirstToken)),
      ))
  );
}

function isOfFirstToken(setting: ScorerSetting | TurnCheck): boolean {
  return typeof setting === "object" && setting.type === "latency" && setting.of === "first_token";
}

/** A model that streams its replies, to measure the time to the first token. */
export function streamedModel(model: ChatModel): ChatModel {
  return (request, options) => model(request, { ...options, stream: true });
}
