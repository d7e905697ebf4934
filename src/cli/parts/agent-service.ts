import { propagation } from "@opentelemetry/api";
import type { Logger } from "pino";
import type { AgentLimits, TokenPrice } from "../../agent/loop/agent-limits.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import { withTimeoutOrNull } from "../../base/deadline.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { PageLimit } from "../../contract/schemas/service-info.ts";
import { createDemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import { createDemo, demoStudioIds } from "../../models/demo/demo-models.ts";
import { detectLocalServers } from "../../models/local-servers/detect-local-servers.ts";
import { outboundFetch } from "../../models/outbound/outbound-fetch.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { priceOf } from "../../models/prices/price-of.ts";
import { createRouter } from "../../models/routing/router.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import { createRouteLimits } from "../../models/routing/route-limits.ts";
import { readModelsFile } from "../../models/studio/models-file.ts";
import { createScenarioLibrary } from "../../runs/scenario-library.ts";
import { createAgentApp } from "../../services/agent/app.ts";
import type { ConfiguredProvider } from "../../services/agent/observers/provider-health.ts";
import { traceTurns } from "../../services/agent/observers/trace-turns.ts";
import type { TurnObserver } from "../../services/agent/turns/turn.ts";
import { createActiveTurns } from "../../services/agent/turns/active-turns.ts";
import type { Settings } from "../../settings.ts";
import { numberVariables } from "../../settings/number-variables.ts";
import type { NumberVariable } from "../../settings/numbers/number-variable.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { createJsonSender } from "../telemetry/destinations.ts";
import { version } from "../version.ts";
import type { Core } from "./create-core.ts";
import { createProviders, studioLister } from "./create-providers.ts";
import { readPrices } from "./endpoint-prices.ts";
import { evaluationAddress } from "./page-addresses.ts";
import { pageFolder } from "./page-folder.ts";
import { readRunner } from "./read-runner.ts";
import { readTools } from "./read-tools.ts";
import type { Served } from "./served.ts";
import type { ShellOptions } from "./shell-options.ts";
import { isThisMachine } from "./this-machine.ts";

/** The agent backend with its tools, its models and the page, ready to be listened for. */
export async function agentService(
  { settings, hubProviders, storage, clients, log }: Core,
  { shell, served }: { shell: ShellOptions; served: Served },
) {
  const { limits, server, concurrency } = settings;
  // What was opened is closed again when a later part cannot start.
  await using opened = new AsyncDisposableStack();
  const demo = settings.demo ? createDemo() : null;
  served.demo = demo;
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

  const app = createAgentApp({
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
        ownPorts: [served.agent, served.evaluation].flatMap((service) => service?.port ?? []),
      }),
    listStudioModels: studioLister(providers),
    tools: () => toolset.tools(),
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
        evaluation: evaluationAddress(host, served, server),
        version,
        demo: settings.demo,
        demo_models: demoStudioIds,
        hub_models: Object.keys(demo?.hub ?? {}),
        limits: pageLimits(settings),
      }),
    },
    bodyLimits: { ...shell.bodyLimits, bytes: limits.agentBodyBytes },
    allowedOrigins: () => server.corsOrigins,
  });
  const started = opened.move();
  return {
    app,
    turns: activeTurns,
    /** Rejects as a turn of this model would, without a call. */
    checkModel: async (modelId: string): Promise<void> => void (await router.route(modelId)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

const withoutStore =
  "The store cannot be used: threads, Idempotency-Keys, approvals and the run log are refused until it is back. Other turns are answered.";

/** As long as orchestrators wait for an answer. */
const probeMs = 1_000;

/** Whether the store answers. One check at a time: a database that is silent must not get all connections filled with them. */
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

/** The file is read again whenever the list of models is asked for. What is wrong with it from the beginning stops the start. */
async function checkModelsFile(path: string | null): Promise<void> {
  if (path === null) return;
  await readModelsFile(path).catch((cause: Error) => {
    throw new SettingsError("STUDIO_MODELS_FILE", cause.message, { cause });
  });
}

/** Everyone who serves models to the agent, by the name the page shows. */
function configuredProviders(
  { hub, studio, demo }: Pick<Settings, "hub" | "studio" | "demo">,
  hubProviders: readonly HubProvider[],
): readonly ConfiguredProvider[] {
  const hubs = [...(hub ? [{ name: "hub", baseUrl: hub.baseUrl }] : []), ...hubProviders];
  return [
    ...hubs.map(({ name, baseUrl }): ConfiguredProvider => ({ name, kind: "hub", origin: new URL(baseUrl).origin })),
    ...(studio ? [{ name: "fine-tuned", kind: "fine-tuned" as const, origin: originOf(studio.baseUrl) }] : []),
    ...(demo ? [{ name: "demo", kind: "demo" as const, origin: null }] : []),
  ];
}

function originOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).origin;
}

/** What one run of the agent may use. */
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

/** The limits of requests and calls as they stand, each with the variable that moves it. */
function pageLimits(settings: Pick<Settings, "limits" | "concurrency">): PageLimit[] {
  return [
    ...toLimits(numberVariables.limits, settings.limits),
    ...toLimits(numberVariables.concurrency, settings.concurrency),
  ];
}

const toLimits = <Key extends string>(
  variables: Readonly<Record<Key, NumberVariable>>,
  values: Readonly<Record<Key, number>>,
): PageLimit[] =>
  (Object.keys(variables) as Key[]).map((key) => ({
    name: variables[key].name,
    meaning: variables[key].meaning,
    value: values[key],
  }));

/** Who is told of turns as spans. */
interface Tracing extends AsyncDisposable {
  /** undefined: whatever the process itself has registered with OpenTelemetry. */
  readonly observers: readonly TurnObserver[] | undefined;
}

/** OpenTelemetry's own time for one request to a collector. */
const sendMs = 10_000;

/** Sends the spans of every turn to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, where it is set. */
async function createTracing({ outbound, log }: { outbound: Outbound; log: Logger }): Promise<Tracing> {
  const { otlp } = readTelemetrySettings(process.env);
  if (!otlp || otlp.traces === null || otlp.isDisabled)
    return { observers: undefined, [Symbol.asyncDispose]: async () => {} };
  // Brings OpenTelemetry's SDK along, which few services need.
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
  // Has no effect where the process has a propagator of its own.
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

/** The agent's tools. Those of MCP servers come and go, so ask for each turn. */
interface Toolset extends AsyncDisposable {
  tools(): readonly Tool[];
}

export async function createTools(
  settings: Settings["agent"],
  { outbound, log }: { outbound: Outbound; log: Logger },
): Promise<Toolset> {
  const { own, mcp } = await readTools(settings, { outbound, log });
  if (mcp === null) return { tools: () => own, [Symbol.asyncDispose]: async () => {} };

  // Loaded only here: the protocol's library is the heaviest part of the agent.
  const { connectMcpServers } = await import("../../agent/mcp/mcp-servers.ts");
  // The library leaves the request of a call it has given up open, so it must not wait for longer than a call may take.
  const patienceMs = Math.max(settings.toolTimeoutMs, ...mcp.servers.map(({ timeoutMs = 0 }) => timeoutMs));
  const fetch = outboundFetch(outbound, { policy: "local", patienceMs, listenMs: 24 * 3600 * 1000 });
  const servers = await connectMcpServers(mcp, { log, fetch });
  const together = firstOfEachName(log);
  return { tools: () => together([...own, ...servers.tools()]), [Symbol.asyncDispose]: () => servers.close() };
}

/**
 * An MCP tool's name is put together from two, so it can come out as one that is taken. The list changes while we run: such
 * a tool is left out, and said once.
 */
function firstOfEachName(log: Logger): (tools: readonly Tool[]) => readonly Tool[] {
  const told = new Set<string>();
  return (tools) => {
    const seen = new Set<string>();
    return tools.filter(({ definition: { name } }) => {
      const isFirst = !seen.has(name);
      seen.add(name);
      if (isFirst) return true;
      if (!told.has(name)) log.warn({ tool: name }, "mcp tool left out: another tool has its name");
      told.add(name);
      return false;
    });
  };
}

const million = 1_000_000;

function perToken(price: TokenPrice): TokenPrice {
  const { input, output, cached_input = input, cache_write = input, cache_write_1h = cache_write } = price;
  return {
    input: input / million,
    output: output / million,
    cached_input: cached_input / million,
    cache_write: cache_write / million,
    cache_write_1h: cache_write_1h / million,
  };
}

/**
 * US dollars per token of the models the agent serves, by what `x-model-resolved` says: the operator's own price, else
 * the list price of a hub's model. Fine-tuned models, demo models and whatever runs on this machine cost what the
 * operator says, or nobody knows.
 */
async function agentPrices(
  { pricesFile, hub }: Pick<Settings, "pricesFile" | "hub">,
  hubProviders: readonly HubProvider[],
): Promise<(resolved: string) => TokenPrice | undefined> {
  const overrides = pricesFile === null ? undefined : await readPrices(pricesFile);
  const addresses = new Map(hubProviders.map(({ name, baseUrl }) => [name, baseUrl]));
  const known = new Map<string, TokenPrice | undefined>();

  function find(resolved: string): TokenPrice | undefined {
    const [provider = ""] = resolved.split("/", 1);
    const address = provider === resolved ? undefined : (addresses.get(provider) ?? hub?.baseUrl);
    const listPrices = address !== undefined && !isThisMachine(address);
    const price = priceOf(resolved, overrides, { listPrices });
    return price ? perToken(price) : undefined;
  }

  return (resolved) => {
    if (!known.has(resolved)) {
      // Clients choose the names: what is remembered has an end.
      if (known.size >= 1_000) known.clear();
      known.set(resolved, find(resolved));
    }
    return known.get(resolved);
  };
}
