import { randomUUID, randomUUIDv7 } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { calculator } from "../../agent/tools/calculator.ts";
import { currentTime } from "../../agent/tools/current-time.ts";
import { createChatModel } from "../../models/create-chat-model.ts";
import { createDemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import { createDemo } from "../../models/demo/demo-models.ts";
import { createOwnAddresses } from "../../models/outbound/own-addresses.ts";
import { createRouter } from "../../models/routing/choose-provider.ts";
import { createRuns } from "../../runs/create-runs.ts";
import { createAgentApp } from "../../services/agent/app.ts";
import { createEvaluationApp } from "../../services/evaluation/app.ts";
import { listen, type Listening } from "../../services/http/listen.ts";
import { createLog } from "../../services/http/log.ts";
import { loopbackOrigins } from "../../services/http/origin-check.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Settings } from "../../settings.ts";
import { openSqlite } from "../../storage/drivers/open-sqlite.ts";
import { version } from "../version.ts";
import { createClients } from "../parts/create-clients.ts";
import { createProviders, studioLister } from "../parts/create-providers.ts";
import { demoDetector } from "../parts/demo-detector.ts";
import { endpointChecker } from "../parts/endpoint-checker.ts";
import { failStart } from "../parts/fail.ts";
import { loadSettings } from "../parts/load-settings.ts";
import { secretsOf } from "../parts/secrets-of.ts";
import { onStopSignal } from "../parts/stop-signals.ts";

const pageFolder = fileURLToPath(new URL("../../../web/dist/", import.meta.url));

/** `rehearsal serve`: both services and the page in one process. What the product is made of, in one place. */
export async function serve({ json = false }: { json?: boolean }): Promise<void> {
  try {
    const { settings, warnings } = loadSettings();
    const services = await startServices(settings, warnings);
    print(services, json);
    onStopSignal(() => services.stop());
  } catch (error) {
    failStart(error);
  }
}

export interface Services {
  readonly agent: Listening;
  readonly evaluation: Listening;
  /** Lets running requests and attempts end within the grace time, then closes everything. */
  stop(): Promise<void>;
}

/** Starts every part and joins them. Tests start the same thing with other settings. */
export async function startServices(settings: Settings, warnings: readonly string[]): Promise<Services> {
  const { server, limits, concurrency, http } = settings;
  // What was opened is closed again when a later part cannot start.
  await using opened = new AsyncDisposableStack();
  const log = createLog({ level: settings.logLevel, secrets: secretsOf(settings) });
  for (const warning of warnings) log.warn(warning);

  await mkdir(settings.dataDir, { recursive: true });
  const file = join(settings.dataDir, "rehearsal.db");
  const storage = opened.use(await openSqlite({ file, leaseMs: settings.runs.leaseMs }));
  const ownAddresses = createOwnAddresses();
  const clients = createClients(settings, ownAddresses.isOwnAddress);
  opened.use(clients.evaluation);
  opened.use(clients.agent);
  const demo = settings.demo ? createDemo() : null;
  const providers = createProviders({ settings, outbound: clients.agent, demo });

  let stopping = false;
  const addresses: { agent?: Listening; evaluation?: Listening } = {};
  const agentOrigins = (): readonly string[] => (addresses.agent ? loopbackOrigins(addresses.agent.port) : []);
  const common = {
    log,
    version,
    apiKeys: server.apiKeys,
    allowedHosts: server.allowedHosts,
    readiness: async () => {
      if (stopping) throw new ServiceError("shutting_down", "The service is stopping.");
      await storage.store.check();
    },
  };
  const jsonLimits = { depth: limits.jsonDepth, keys: limits.objectKeys };

  const runs = createRuns({
    store: storage.store,
    queue: storage.queue,
    createModel: ({ protocol, endpoint, model_id }) =>
      createChatModel({ outbound: clients.evaluation, protocol, endpoint, modelId: model_id }),
    isDemo: demoDetector({ demo, agentOrigins }),
    workerId: `${hostname()}:${process.pid}:${randomUUID()}`,
    newId: randomUUIDv7,
    concurrency,
    heartbeatMs: settings.runs.heartbeatMs,
    onError: (error) => log.error({ err: error }, "an attempt could not be carried out"),
  });

  const evaluationApp = createEvaluationApp({
    ...common,
    runs,
    bodyLimits: { ...jsonLimits, bytes: limits.evaluationBodyBytes },
    planLimits: limits,
    checkEndpoint: endpointChecker(clients.evaluation),
    allowedOrigins: () => [...agentOrigins(), ...server.corsOrigins],
  });
  const agentApp = createAgentApp({
    ...common,
    router: createRouter(providers),
    listStudioModels: studioLister(providers),
    tools: [currentTime(), calculator()],
    limits: { ...settings.agent, steps: settings.agent.maxSteps },
    maxMessages: limits.messages,
    demo: demo && createDemoEndpoint(demo),
    page: {
      folder: pageFolder,
      config: () => ({
        evaluation: addresses.evaluation?.url ?? "",
        version,
        demo: settings.demo,
        hub_models: Object.keys(demo?.hub ?? {}),
      }),
    },
    bodyLimits: { ...jsonLimits, bytes: limits.agentBodyBytes },
    allowedOrigins: () => server.corsOrigins,
  });

  const shared = { host: server.host, limits: http, log, version };
  const evaluation = await listen({ ...shared, app: evaluationApp, port: server.evalPort });
  opened.defer(() => evaluation.close(0));
  addresses.evaluation = evaluation;
  ownAddresses.add({ host: server.host, port: evaluation.port });
  const agent = await listen({ ...shared, app: agentApp, port: server.agentPort });
  addresses.agent = agent;
  opened.defer(() => agent.close(0));
  await runs.start();

  const parts = opened.move();
  return {
    agent,
    evaluation,
    async stop() {
      stopping = true;
      const graceMs = http.shutdownGraceMs;
      await Promise.all([agent.close(graceMs), evaluation.close(graceMs), runs.stop({ graceMs })]);
      await parts.disposeAsync();
    },
  };
}

function print({ agent, evaluation }: Services, json: boolean): void {
  const lines = json
    ? JSON.stringify({ agent: agent.url, evaluation: evaluation.url })
    : `agent backend   ${agent.url}\nevaluation      ${evaluation.url}`;
  process.stdout.write(`${lines}\n`);
}
