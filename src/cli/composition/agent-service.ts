import { propagation } from "@opentelemetry/api";
import type { Logger } from "pino";
import type { AgentLimits } from "../../agent/tools/agent-limits.ts";
import { withTimeoutOrNull } from "../../base/deadline.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { ModelProvider } from "../../contract/schemas/agent/models.ts";
import { createDemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import { createDemo, demoSeed, demoStudioIds } from "../../models/demo/demo-models.ts";
import { detectLocalServers } from "../../models/local-servers/detect-local-servers.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import { createRouteLimits } from "../../models/routing/route-limits.ts";
import { describeProviders } from "../../models/routing/known-providers.ts";
import { createRouter } from "../../models/routing/router.ts";
import { testConnection, type ConnectionTarget } from "../../models/routing/test-connection.ts";
import { readModelsFile } from "../../models/studio/models-file.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { worldHeader } from "../../contract/schemas/acting/world.ts";
import { outboundFetch } from "../../models/outbound/outbound-fetch.ts";
import type { AgentDependencies } from "../../services/agent/dependencies.ts";
import { createScenarioLibrary } from "../../runs/scenario-library.ts";
import { createAgentParts } from "../../services/agent/agent-parts.ts";
import { createAgentApp } from "../../services/agent/app.ts";
import type { ConfiguredProvider } from "../../services/agent/observers/provider-health.ts";
import { traceTurns } from "../../services/agent/observers/trace-turns.ts";
import type { TurnObserver } from "../../services/agent/turns/turn.ts";
import { createActiveTurns } from "../../services/agent/turns/active-turns.ts";
import type { Settings } from "../../settings.ts";
import { describeLimits } from "../../settings/numbers.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { createJsonSender } from "../telemetry/json-sender.ts";
import { version } from "../terminal/version.ts";
import { createTools, implicitTools } from "./agent-tools.ts";
import { providerCredential, type Clients } from "./clients.ts";
import type { Core } from "./core.ts";
import type { HttpShellOptions } from "./http-shell.ts";
import { evaluationAddress, pageFolder, type LocalServices } from "./local-services.ts";
import { readRunner } from "./operator-modules.ts";
import { agentPrices } from "./prices.ts";
import { keyFinder } from "./hub-settings.ts";
import { createProviders, studioLister } from "./providers.ts";

/** The agent backend as an HTTP application, with its models, its tools and the page. */
export async function createAgentService(
  { settings, hubProviders, storage, clients, log }: Core,
  { shell, local }: { shell: HttpShellOptions; local: LocalServices },
) {
  const { limits, server, concurrency } = settings;
  // Closes everything opened so far when a later part fails to start.
  await using opened = new AsyncDisposableStack();
  const demo = settings.demo ? createDemo({ seed: demoSeed }) : null;
  local.demo = demo;
  const price = await agentPrices(settings, hubProviders);
  await checkModelsFile(settings.studio?.modelsFile ?? null);
  const runner = await readRunner(settings.agent.runner);
  const tracing = opened.use(await createTracing({ outbound: clients.tools, log }));
  const toolset = opened.use(await createTools(settings.agent, { outbound: clients.tools, log }));
  const providers = createProviders({ settings, hubProviders, outbound: clients.agent, demo });
  const routeLimits = createRouteLimits({ concurrency: concurrency.perOrigin });
  const activeTurns = createActiveTurns();
  const storeAnswers = storeProbe(storage.store);
  const router = createRouter(providers, { limits: routeLimits, longestId: limits.modelIdChars });

  const dependencies: AgentDependencies = {
    ...shell,
    router,
    routeLimits,
    breakers: () => clients.agent.breakers(),
    providers: configuredProviders(settings, hubProviders),
    findLocalServers: (signal) =>
      detectLocalServers({
        outbound: clients.agent,
        signal,
        policy: "local",
        ownPorts: [local.agent, local.evaluation].flatMap((service) => service?.port ?? []),
      }),
    connections: {
      list: () =>
        describeProviders({
          connected: hubProviders,
          hub: settings.hub !== null,
          hubProvidersSet: settings.hubProviders !== null,
          hasKey: keyFinder(settings.credentials),
        }),
      test: (target, options) => testConnection(connectionTarget(target, { clients, hubProviders }), options),
    },
    listStudioModels: studioLister(providers),
    tools: () => toolset.tools(),
    implicitTools: implicitTools(settings.agent),
    openWorld: createWorldOpener({
      outbound: clients.worlds,
      // Worlds of this process are those of its own evaluation service.
      isAllowed: (origin) =>
        settings.agent.worldOrigins.includes(origin) ||
        [server.evalPublicUrl, local.evaluation?.url, local.worlds?.()].includes(origin),
    }),
    runner,
    observers: tracing.observers,
    activeTurns,
    readiness: async () => {
      await shell.readiness();
      return (await storeAnswers()) ? {} : { detail: withoutStore };
    },
    memory: storage.agent,
    library: createScenarioLibrary(storage.library),
    price,
    limits: agentLimits(settings.agent),
    maxMessages: limits.messages,
    patienceMs: 5_000,
    demo: demo && createDemoEndpoint(demo),
    page: {
      folder: pageFolder,
      config: (host) => ({
        evaluation: evaluationAddress(host, local, server),
        version,
        demo: settings.demo,
        demo_models: demoStudioIds,
        hub_models: Object.keys(demo?.hub ?? {}),
        limits: describeLimits(settings),
      }),
    },
    bodyLimits: { ...shell.bodyLimits, bytes: limits.agentBodyBytes },
    allowedOrigins: () => server.corsOrigins,
  };
  const parts = createAgentParts(dependencies);
  const app = createAgentApp(dependencies, parts);
  const stop = new AbortController();
  let recovering = Promise.resolve();
  opened.defer(() => {
    stop.abort();
    return recovering;
  });
  const started = opened.move();
  return {
    app,
    turns: activeTurns,
    /** Finishes accepted turns of dead processes from now on. For a process that lives longer than a command. */
    startRecovery(): void {
      recovering = parts.turns.recoverUntil(AbortSignal.any([stop.signal, activeTurns.draining]));
    },
    /** Rejects if no provider serves this model, without calling it. */
    checkModel: async (modelId: string): Promise<void> => void (await router.route(modelId)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A connected provider is called like the agent calls it, any other address like an endpoint under test. */
function connectionTarget(
  { provider, base_url: baseUrl, protocol }: Pick<ModelProvider, "base_url" | "protocol"> & { provider: string | null },
  { clients, hubProviders }: { clients: Clients; hubProviders: readonly HubProvider[] },
): ConnectionTarget {
  const connected = hubProviders.find(({ name }) => name === provider);
  if (!connected) return { outbound: clients.evaluation, baseUrl: baseUrl ?? "", protocol };
  return {
    outbound: clients.agent,
    baseUrl: connected.baseUrl,
    protocol: connected.protocol,
    credential: providerCredential(connected),
    policy: "local",
  };
}

/** Opens the tools of the world that a turn names, at an origin that the operator allows and nowhere else. */
function createWorldOpener({
  outbound,
  isAllowed,
}: {
  outbound: Outbound;
  isAllowed: (origin: string) => boolean;
}): NonNullable<AgentDependencies["openWorld"]> {
  const fetch = outboundFetch(outbound, { policy: "local", patienceMs: 60_000 });
  return async (text, signal) => {
    const url = URL.parse(text);
    if (!url || !isAllowed(url.origin)) {
      throw new ServiceError("endpoint_not_allowed", `${worldHeader} names an address that this agent may not use.`, {
        hint: "Add its origin to AGENT_WORLD_ORIGINS, such as http://127.0.0.1:8001.",
      });
    }
    const { openWorldTools } = await import("../../agent/mcp/world-tools.ts");
    return openWorldTools(url.href, { fetch, signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new ServiceError("upstream_unreachable", `The world at ${url.origin} cannot be reached.`, {
        cause,
        hint: "Check that this agent can reach the evaluation service, or set REHEARSAL_EVAL_PUBLIC_URL there.",
      });
    });
  };
}

const withoutStore =
  "The store is unavailable: threads, Idempotency-Keys, approvals and the run log are refused until it is back. Other turns are answered.";

/** The time that orchestrators wait for a readiness response. */
const probeMs = 1_000;

/** Checks that the store responds. One check at a time: an unresponsive database must not use up all connections. */
function storeProbe(store: Pick<Store, "check">): () => Promise<boolean> {
  let checking: Promise<true> | null = null;
  return async () => {
    checking ??= store
      .check()
      .then(() => true as const)
      .finally(() => (checking = null));
    return (await withTimeoutOrNull(checking, probeMs).catch(() => null)) ?? false;
  };
}

/** Prevents the start if the file is unusable. Each request for the model list reads it again. */
async function checkModelsFile(path: string | null): Promise<void> {
  if (path === null) return;
  await readModelsFile(path).catch((cause: Error) => {
    throw new SettingsError("STUDIO_MODELS_FILE", cause.message, { cause });
  });
}

/** The agent's providers, by the name that the page shows. */
function configuredProviders(
  { hub, studio, demo }: Pick<Settings, "hub" | "studio" | "demo">,
  hubProviders: readonly HubProvider[],
): readonly ConfiguredProvider[] {
  const hubs = [...(hub ? [{ name: "hub", baseUrl: hub.baseUrl }] : []), ...hubProviders];
  return [
    ...hubs.map(({ name, baseUrl }): ConfiguredProvider => ({ name, kind: "hub", origin: new URL(baseUrl).origin })),
    ...(studio ? [{ name: "fine-tuned", kind: "fine-tuned" as const, origin: providerOrigin(studio.baseUrl) }] : []),
    ...(demo ? [{ name: "demo", kind: "demo" as const, origin: null }] : []),
  ];
}

function providerOrigin(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).origin;
}

/** Limits of one agent run. */
function agentLimits(settings: Settings["agent"]): Partial<AgentLimits> {
  return {
    steps: settings.maxSteps,
    toolCalls: settings.toolCalls,
    toolCallsPerStep: settings.toolCallsPerStep,
    parallel: settings.parallel,
    toolTimeoutMs: settings.toolTimeoutMs,
    deadlineMs: settings.deadlineMs,
    toolResultBytes: settings.toolResultBytes,
    tokens: limitOf(settings.maxTokens),
    cost: limitOf(settings.maxCost),
  };
}

/** 0 sets no limit. */
function limitOf(value: number): number {
  return value === 0 ? Number.POSITIVE_INFINITY : value;
}

interface Tracing extends AsyncDisposable {
  /** undefined: the tracer that the process has registered with OpenTelemetry. */
  readonly observers: readonly TurnObserver[] | undefined;
}

/** OpenTelemetry's default time for one request to a collector. */
const sendMs = 10_000;

/** Sends spans of every turn to the collector at OTEL_EXPORTER_OTLP_ENDPOINT, if it is set. */
async function createTracing({ outbound, log }: { outbound: Outbound; log: Logger }): Promise<Tracing> {
  const { otlp } = readTelemetrySettings(process.env);
  if (!otlp || otlp.traces === null || otlp.isDisabled)
    return { observers: undefined, [Symbol.asyncDispose]: async () => {} };
  // Loaded on demand: it imports OpenTelemetry's SDK, which few services need.
  const { createOtlpTracer } = await import("../telemetry/otlp-tracer.ts");
  const stop = new AbortController();
  const {
    tracer,
    propagator,
    [Symbol.asyncDispose]: flush,
  } = createOtlpTracer({
    url: otlp.traces,
    settings: otlp,
    send: (request) => createJsonSender(outbound, AbortSignal.any([stop.signal, AbortSignal.timeout(sendMs)]))(request),
    onError: (error) => log.warn({ err: error }, "spans could not be sent"),
  });
  // Has no effect if the process has registered a propagator.
  propagation.setGlobalPropagator(propagator);
  return {
    observers: [traceTurns({ tracer, captureContent: otlp.captureContent })],
    async [Symbol.asyncDispose]() {
      const timer = setTimeout(() => stop.abort(new Error("The service has stopped.")), 2_000).unref();
      await flush();
      clearTimeout(timer);
    },
  };
}
