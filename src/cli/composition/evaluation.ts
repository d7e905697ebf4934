import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { uuidV7 } from "../../base/uuid.ts";
import { canonicalJson } from "../../base/json.ts";
import { createByteBudget } from "../../base/byte-budget.ts";
import { loadOnce } from "../../base/load-once.ts";
import type { Secret } from "../../base/secret.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { Embedder } from "../../contract/ports/embedder.ts";
import type { PolicyName, RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { LabellerSettings, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { isLocalTarget } from "../../contract/schemas/acting/target.ts";
import type { CustomScorers } from "../../evaluation/scorers/custom-scorer.ts";
import { createChatModel } from "../../models/protocols/create-chat-model.ts";
import { cachedEmbedder } from "../../models/embeddings/cached-embedder.ts";
import { areInstalled, embeddingPackages } from "../../models/embeddings/embedding-engine.ts";
import type { LocalEmbedder } from "../../models/embeddings/local-embedder.ts";
import { openaiEmbedder } from "../../models/embeddings/openai-embeddings.ts";
import type { CredentialBinding } from "../../models/outbound/credentials.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { createRuns } from "../../runs/create-runs.ts";
import type { StoreOutageMonitor } from "../../runs/stored/store-outage.ts";
import { allowsCall } from "../../models/targets/target-binding.ts";
import type { SecretOf } from "../../models/targets/target-chat.ts";
import { planEndpoints } from "../../runs/plan/endpoints.ts";
import type { ModelTarget } from "../../runs/plan/model-target.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import { memoryBudgets } from "../../runs/threads/process-memory.ts";
import type { RunServices } from "../../runs/run-services.ts";
import type { Runs } from "../../runs/runs.ts";
import { createTokenCommands } from "../../runs/user-code/token-commands.ts";
import type { LocalTargets } from "../../runs/user-code/local-targets.ts";
import { createScrubber } from "../../services/http/environment/scrub.ts";
import type { Settings } from "../../settings.ts";
import type { HelperModel } from "../../settings/credentials.ts";
import type { OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import { ownProcessId, thisHost } from "../../storage/tables/host.ts";
import { beginBeats } from "../process/supervised.ts";
import { endpointChecker, providerCredential } from "./clients.ts";
import { tokenCommandOptions } from "./user-code.ts";
import type { FailureLog } from "./failure-log.ts";
import { leaveMemoryNote } from "../process/memory-notes.ts";
import { endpointPrices } from "./prices.ts";

/** The runs of this process, the same in the service, in a worker and in `rehearsal eval`. */
interface Evaluation extends AsyncDisposable {
  readonly runs: Runs;
  readonly helpers: PlanHelpers;
}

/** The parts that a command or service adds to the runs of its process. Without a part, runs that need it are refused. */
export interface RunParts extends Partial<
  Pick<RunServices, "isDemo" | "isTied" | "ownRuns" | "worldModules" | "checkCode" | "worldEndpoints">
> {
  /** Run agents under test on this machine. */
  readonly localTargets?: LocalTargets | undefined;
  /** Where agents anywhere reach the worlds of this process, stored with each run for the processes that execute it. */
  readonly worldOrigin?: (() => string | null) | undefined;
  /** A demo model that plays simulated users while the operator has set no simulator. */
  readonly demoSimulator?: (() => LabellerSettings | undefined) | undefined;
}

interface EvaluationOptions {
  readonly settings: Settings;
  readonly storage: OpenedStorage;
  readonly outbound: Outbound;
  readonly parts: RunParts;
  readonly storeOutage: StoreOutageMonitor;
  /** Removed from what custom scorers return. */
  readonly secrets: readonly Secret[];
  readonly log: Logger;
  readonly logFailure: FailureLog;
}

/** Connects the runs with the store, the models, the operator's scorers and prices. */
export async function createEvaluation(options: EvaluationOptions): Promise<Evaluation> {
  const { settings, storage, outbound, storeOutage, log } = options;
  const { localTargets, worldOrigin, demoSimulator, ...parts } = options.parts;
  const { judge, labeller, simulator } = settings;
  const workerId = `${thisHost()}:${ownProcessId()}:${randomUUID()}`;
  leaveMemoryNote({ folder: settings.dataDir, worker: workerId });
  beginBeats({ worker: workerId, silenceMs: settings.runs.watchdogMs });
  const onError = (error: unknown): void => options.logFailure(error, "an attempt could not be executed");
  const limits = createOriginLimits(options, { workerId, onError });
  const helperKeys = new Map([judge, labeller, simulator].flatMap(helperKey));
  const secretOf = targetSecretOf(settings.targetSecrets);
  const commands = createTokenCommands(tokenCommandOptions(settings));
  const errorText = { kept: "answer", clean: createScrubber(options.secrets) } as const;
  const declared = new Set(Object.values(settings.targets ?? {}).map((known) => canonicalJson(known)));
  // In a command of the operator, every endpoint is the operator's.
  const keepsErrorText = ({ target }: ModelTarget): boolean =>
    parts.worldModules !== undefined ||
    settings.upstreamMessages ||
    (target !== undefined && declared.has(canonicalJson(target)));
  const runsCommandsOf = (target: ModelTarget["target"]): boolean =>
    parts.worldModules !== undefined || (target !== undefined && declared.has(canonicalJson(target)));
  const modelAt = (called: ModelTarget, credential?: CredentialBinding) => {
    const { protocol, endpoint, model_id: modelId, target, policy: runPolicy, world_address: worldAddress } = called;
    if (target && isLocalTarget(target) && localTargets) return localTargets.modelOf(target, modelId);
    const model = createChatModel({
      outbound,
      protocol,
      endpoint,
      modelId,
      target,
      secretOf,
      secretOfCommand: runsCommandsOf(target) ? commands : undefined,
      credential,
      runPolicy,
      worldAddress,
      ...(keepsErrorText(called) && { errorText }),
    });
    return called.tool_support === "prompted" ? promptedModel(model) : model;
  };
  const embedders = createEmbedders({ settings, outbound, log });
  const customScorers = await loadCustomScorers(options);
  const helpers: PlanHelpers = {
    ...(judge && { judge: toHelper(judge) }),
    ...(labeller && { labeller: toHelper(labeller) }),
    // The address of a demo model is known only once its service listens.
    get simulator() {
      return simulator ? toHelper(simulator) : demoSimulator?.();
    },
    semantic: embedders.available,
    customScorers: Object.keys(customScorers),
    trust: parts.worldModules === undefined ? "request" : "operator",
    boundVariables: settings.targetSecrets.map(({ name, address, method }) => ({ name, address, method })),
    targets: settings.targets,
  };
  const runs = createRuns({
    isDemo: () => false,
    ...parts,
    store: storage.store,
    queue: storage.queue,
    audits: storage.audits,
    limits,
    createModel: (target) => modelAt(target),
    createHelper: (target) => modelAt(target, helperKeys.get(helperName(target))),
    onStopping: outbound.stopWaiting,
    policyOf: policyOf(settings.endpointPolicy.mode, { outbound, worldOrigin }),
    checkEndpoint: endpointChecker(outbound),
    // A command that executes only its own runs does not wait for those of others.
    mostUnfinished: parts.ownRuns ? undefined : { all: settings.runs.queueLength, perOwner: settings.runs.queuePerKey },
    workerId,
    newId: uuidV7,
    now: storage.now,
    concurrency: settings.concurrency,
    memory: createByteBudget(memoryBudgets().runs),
    heartbeatMs: settings.runs.heartbeatMs,
    onError,
    storeOutage,
    embedderFor: embedders.embedderFor,
    priceOf: await endpointPrices(settings),
    customScorers,
    helpers,
  });
  return {
    runs,
    helpers,
    async [Symbol.asyncDispose]() {
      await limits.close();
      await embedders.close();
    },
  };
}

/** Prompted tools and the operator's scorers are loaded by the processes that use them. */
function promptedModel(model: ChatModel): ChatModel {
  return async (request, options) => {
    const { withPromptedTools } = await import("../../agent/prompted/tool-support.ts");
    return await withPromptedTools(model)(request, options);
  };
}

async function loadCustomScorers({ settings, secrets }: EvaluationOptions): Promise<CustomScorers> {
  if (settings.scorersModule === null) return {};
  const { readCustomScorers } = await import("./operator-modules.ts");
  return await readCustomScorers(settings.scorersModule, { scrub: createScrubber(secrets) });
}

/** A secret is sent only with the calls that it is bound to. */
export function targetSecretOf(secrets: Settings["targetSecrets"]): SecretOf {
  return (name, call) => secrets.find((bound) => bound.name === name && allowsCall(bound, call))?.secret ?? null;
}

/** The limits per origin, which all processes of the store share. */
function createOriginLimits(
  { settings: { concurrency, rateLimits, ownConcurrency }, storage, storeOutage }: EvaluationOptions,
  { workerId, onError }: { workerId: string; onError: (error: unknown) => void },
) {
  return storage.createLimits({
    worker: workerId,
    limitsOf: () => ({
      concurrency: concurrency.perOrigin,
      shared: !ownConcurrency,
      requests_per_minute: rateLimits.originRequests,
      tokens_per_minute: rateLimits.originTokens,
    }),
    onError(error) {
      onError(error);
      storeOutage.failed(error);
    },
  });
}

/** The part of this process's policy that a new run stores. Of an allowlist, that is the origins the run uses. */
function policyOf(
  name: PolicyName,
  { outbound, worldOrigin }: Pick<EvaluationOptions, "outbound"> & Pick<RunParts, "worldOrigin">,
): (settings: RunSettings) => RunPolicy {
  return (settings) => {
    const world_origin = settings.world_address ? worldOrigin?.() : null;
    const place = world_origin ? { world_origin } : {};
    if (name !== "allowlist") return { name, allow: [], ...place };
    const checks = planEndpoints(settings).map(({ endpoint }) => outbound.checkEndpoint(endpoint));
    return { name, allow: [...new Set(checks.flatMap((check) => (check.ok ? [check.url.origin] : [])))], ...place };
  };
}

/** The operator's judge and labeller use their own keys, even if another key is bound to the same origin. */
function helperKey(helper: HelperModel | null) {
  const credential = helper && providerCredential({ ...helper, baseUrl: helper.endpoint });
  return credential ? [[helperName(toHelper(helper)), credential] as const] : [];
}

function helperName({ endpoint, model_id }: { endpoint: string; model_id: string }): string {
  return `${endpoint} ${model_id}`;
}

function toHelper({ endpoint, model }: HelperModel): { endpoint: string; model_id: string } {
  return { endpoint, model_id: model };
}

interface Embedders {
  /** True when a run may request `semantic_similarity`. */
  readonly available: boolean;
  readonly embedderFor: (settings: RunSettings) => Promise<Embedder | null>;
  close(): Promise<void>;
}

/**
 * The operator's embedding model serves every run. The built-in one takes a tenth of a second of CPU time per reply, so it
 * serves only runs with `semantic_similarity` among their scorers.
 */
function createEmbedders({
  settings: { embeddings },
  outbound,
  log,
}: {
  settings: Settings;
  outbound: Outbound;
  log: Logger;
}): Embedders {
  if (embeddings) {
    const { endpoint, model: modelId } = embeddings;
    const credential = providerCredential({ ...embeddings, baseUrl: endpoint });
    const remote = cachedEmbedder(openaiEmbedder({ outbound, endpoint, modelId, credential, policy: "local" }));
    return { available: true, embedderFor: async () => remote, close: async () => {} };
  }
  let local: LocalEmbedder | null = null;
  let cached: Embedder | null = null;

  async function findLocal(): Promise<LocalEmbedder | null> {
    const { findLocalEmbedder } = await import("../../models/embeddings/local-embedder.ts");
    const found = await findLocalEmbedder({ onFailure: (cause) => log.error({ err: cause }, "the embedder failed") });
    if (found.ok) return (local = found.embedder);
    log.warn(found.reason);
    return null;
  }
  const loadLocal = loadOnce(findLocal);

  return {
    available: areInstalled(embeddingPackages),
    async embedderFor({ scorers }) {
      if (!scorers?.includes("semantic_similarity")) return null;
      const embedder = await loadLocal();
      return embedder && (cached ??= cachedEmbedder(embedder));
    },
    async close() {
      await local?.[Symbol.asyncDispose]();
    },
  };
}
