import { randomUUID, randomUUIDv7 } from "node:crypto";
import type { Logger } from "pino";
import { loadOnce } from "../../base/load-once.ts";
import type { Secret } from "../../base/secret.ts";
import { createByteBudget } from "../../base/byte-budget.ts";
import type { Embedder } from "../../contract/ports/embedder.ts";
import type { PolicyName, RunPolicy } from "../../contract/schemas/endpoint-policy.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { createChatModel } from "../../models/create-chat-model.ts";
import type { CredentialBinding } from "../../models/outbound/credentials.ts";
import { cachedEmbedder } from "../../models/embeddings/cached-embedder.ts";
import { areInstalled, embeddingPackages } from "../../models/embeddings/embedding-engine.ts";
import type { LocalEmbedder } from "../../models/embeddings/local-embedder.ts";
import { openaiEmbedder } from "../../models/embeddings/openai-embeddings.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { createRuns } from "../../runs/create-runs.ts";
import type { ModelTarget } from "../../runs/plan/model-target.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import { planEndpoints } from "../../runs/plan/endpoints.ts";
import { memoryBudgets } from "../../runs/process-memory.ts";
import type { Runs } from "../../runs/runs.ts";
import type { WorldModules } from "../../runs/user-code/world-modules.ts";
import type { StoreOutageMonitor } from "../../runs/execute/store-outage.ts";
import { createScrubber } from "../../services/http/scrub.ts";
import type { Settings } from "../../settings.ts";
import type { HelperModel } from "../../settings/helper-models.ts";
import type { OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import { thisHost } from "../../storage/host.ts";
import { endpointChecker } from "./endpoint-checker.ts";
import { endpointPrices } from "./endpoint-prices.ts";
import type { FailureLog } from "./failure-log.ts";
import { leaveMemoryNote } from "./memory-notes.ts";
import { providerCredential } from "./provider-credential.ts";
import { readCustomScorers } from "./read-custom-scorers.ts";

/** The part that carries runs out: the same in the service, in a worker and behind `rehearsal eval`. */
interface Evaluation extends AsyncDisposable {
  readonly runs: Runs;
  readonly helpers: PlanHelpers;
}

export async function createEvaluation({
  settings,
  storage,
  outbound,
  isDemo,
  isTied,
  ownRuns,
  worldModules,
  trouble,
  log,
  tellFailure,
  secrets,
}: {
  settings: Settings;
  storage: OpenedStorage;
  outbound: Outbound;
  isDemo: (settings: RunSettings) => boolean;
  isTied: (settings: RunSettings) => boolean;
  /** Carries out these runs and those it makes, and no other. Default: whatever waits. */
  ownRuns?: readonly string[] | undefined;
  worldModules?: WorldModules | undefined;
  trouble: StoreOutageMonitor;
  /** What nobody must be told. */
  secrets: readonly Secret[];
  log: Logger;
  tellFailure: FailureLog;
}): Promise<Evaluation> {
  const { concurrency, rateLimits, judge, labeller } = settings;
  const workerId = `${thisHost()}:${process.pid}:${randomUUID()}`;
  leaveMemoryNote({ folder: settings.dataDir, worker: workerId });
  const onError = (error: unknown): void => tellFailure(error, "an attempt could not be carried out");
  const limits = storage.createLimits({
    worker: workerId,
    limitsOf: () => ({
      concurrency: concurrency.perOrigin,
      shared: !settings.ownConcurrency,
      requests_per_minute: rateLimits.originRequests,
      tokens_per_minute: rateLimits.originTokens,
    }),
    onError(error) {
      onError(error);
      trouble.failed(error);
    },
  });
  const helperKeys = new Map([judge, labeller].flatMap(helperKey));
  const modelAt = ({ protocol, endpoint, model_id, policy }: ModelTarget, credential?: CredentialBinding) =>
    createChatModel({ outbound, protocol, endpoint, modelId: model_id, credential, runPolicy: policy });
  const embedders = createEmbedders({ settings, outbound, log });
  const customScorers = await readCustomScorers(settings.scorersModule, { scrub: createScrubber(secrets) });
  const helpers: PlanHelpers = {
    ...(judge && { judge: toHelper(judge) }),
    ...(labeller && { labeller: toHelper(labeller) }),
    semantic: embedders.available,
    customScorers: Object.keys(customScorers),
    worldModules: worldModules !== undefined,
  };
  const runs = createRuns({
    store: storage.store,
    queue: storage.queue,
    audits: storage.audits,
    limits,
    createModel: (target) => modelAt(target),
    createHelper: (target) => modelAt(target, helperKeys.get(helperName(target))),
    onStopping: outbound.stopWaiting,
    isDemo,
    isTied,
    policyOf: policyOf(settings.endpointPolicy.mode, outbound),
    checkEndpoint: endpointChecker(outbound),
    // A command that carries out its own runs is not held up by those of others.
    ...(ownRuns
      ? { ownRuns }
      : { mostUnfinished: { all: settings.runs.queueLength, perOwner: settings.runs.queuePerKey } }),
    workerId,
    newId: randomUUIDv7,
    now: storage.now,
    concurrency,
    memory: createByteBudget(memoryBudgets().runs),
    heartbeatMs: settings.runs.heartbeatMs,
    onError,
    trouble,
    embedderFor: embedders.embedderFor,
    priceOf: await endpointPrices(settings.pricesFile),
    customScorers,
    worldModules,
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

/** What a new run stores of this process's policy: with a list, the run's own origins that are on it. */
function policyOf(name: PolicyName, outbound: Outbound): (settings: RunSettings) => RunPolicy {
  return (settings) => {
    if (name !== "allowlist") return { name, allow: [] };
    const checks = planEndpoints(settings).map(({ endpoint }) => outbound.checkEndpoint(endpoint));
    return { name, allow: [...new Set(checks.flatMap((check) => (check.ok ? [check.url.origin] : [])))] };
  };
}

/** The operator's own judge and labeller have keys of their own, whoever else is at their origin. */
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
  /** Whether `semantic_similarity` can be asked for at all. */
  readonly available: boolean;
  readonly embedderFor: (settings: RunSettings) => Promise<Embedder | null>;
  close(): Promise<void>;
}

/**
 * The embedding model the operator set serves every run. The built-in one costs a tenth of a second of CPU a reply, so it
 * serves only runs that name `semantic_similarity` among their scorers.
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
