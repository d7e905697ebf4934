import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { createDemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import { createDemo } from "../../models/demo/demo-models.ts";
import { createOwnAddresses } from "../../models/outbound/own-addresses.ts";
import { createRouter } from "../../models/routing/choose-provider.ts";
import type { Runs } from "../../runs/runs.ts";
import { createRouteLimits } from "../../models/routing/route-limits.ts";
import { StoreFileError } from "../../storage/store-file-error.ts";
import { keyFileIn } from "../../settings/api-keys.ts";
import { defaultMemoryLimit, watchProcessLoad } from "../../services/http/process-load.ts";
import { createKeySource } from "../../services/http/key-store.ts";
import { createEvaluation } from "../parts/create-evaluation.ts";
import { createTools } from "../parts/create-tools.ts";
import { readHubProviders } from "../parts/read-hub-providers.ts";
import { startChores } from "../parts/start-chores.ts";
import { openStorage } from "../parts/open-storage.ts";
import { seedDemo } from "../parts/seed-demo.ts";
import { createScenarioLibrary, type ScenarioLibrary } from "../../runs/scenario-library.ts";
import { createAgentApp } from "../../services/agent/app.ts";
import { createEvaluationApp } from "../../services/evaluation/app.ts";
import { listen, type Listening } from "../../services/http/listen.ts";
import { createLog } from "../../services/http/log.ts";
import { loopbackOrigins } from "../../services/http/origin-check.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Settings } from "../../settings.ts";
import { version } from "../version.ts";
import { createClients } from "../parts/create-clients.ts";
import { createProviders, studioLister } from "../parts/create-providers.ts";
import { demoDetector } from "../parts/demo-detector.ts";
import { endpointChecker } from "../parts/endpoint-checker.ts";
import { loadSettings } from "../parts/load-settings.ts";
import { openInBrowser } from "../parts/open-in-browser.ts";
import { secretsOf } from "../parts/secrets-of.ts";
import { onStopSignal } from "../parts/stop-signals.ts";
import { collect } from "../options.ts";
import { personIsAtTheTerminal } from "../terminal/output.ts";

const pageFolder = fileURLToPath(new URL("../../../web/dist/", import.meta.url));

/** `rehearsal serve`: both services and the page in one process. */
export function declare(command: Command): void {
  command
    .option("--host <address>", "listen on this address (REHEARSAL_HOST)")
    .option("--port <number>", "port of the agent backend and the page (REHEARSAL_AGENT_PORT)")
    .option("--eval-port <number>", "port of the evaluation service (REHEARSAL_EVAL_PORT)")
    .option("--data-dir <folder>", "where runs are kept (REHEARSAL_DATA_DIR)")
    .option("--env-file <file>", "read variables from this file instead of .env (repeatable)", collect)
    .option("--no-open", "do not open the page in a browser")
    .option("--json", "print the addresses as one JSON object")
    .action(serve);
}

interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly evalPort?: string;
  readonly dataDir?: string;
  readonly envFile?: readonly string[];
  readonly open: boolean;
  readonly json?: boolean;
}

async function serve({ host, port, evalPort, dataDir, envFile, open, json = false }: ServeOptions): Promise<void> {
  const { settings, warnings } = loadSettings({
    files: envFile ?? [],
    overrides: {
      REHEARSAL_HOST: host,
      REHEARSAL_AGENT_PORT: port,
      REHEARSAL_EVAL_PORT: evalPort,
      REHEARSAL_DATA_DIR: dataDir,
    },
  });
  const services = await startServices(settings, warnings);
  print(services, json);
  if (settings.demo) await seedDemo({ ...services, agentUrl: services.agent.url });
  onStopSignal(() => services.stop());
  if (open && !json && personIsAtTheTerminal()) openInBrowser(services.agent.url);
}

export interface Services {
  readonly agent: Listening;
  readonly evaluation: Listening;
  readonly runs: Runs;
  readonly library: ScenarioLibrary;
  /** Lets running requests and attempts end within the grace time, then closes everything. */
  stop(): Promise<void>;
}

/** Starts every part and joins them. Tests start the same thing with other settings. */
export async function startServices(settings: Settings, warnings: readonly string[]): Promise<Services> {
  const { server, limits, concurrency, http } = settings;
  // What was opened is closed again when a later part cannot start.
  await using opened = new AsyncDisposableStack();
  const hubProviders = readHubProviders(settings.hubProviders);
  const log = createLog({ level: settings.logLevel, secrets: secretsOf([settings, hubProviders]) });
  for (const warning of warnings) log.warn(warning);

  await makeDataFolder(settings.dataDir);
  const storage = opened.use(
    await openStorage(settings, { onError: (error) => log.error({ err: error }, "the store failed") }),
  );
  const ownAddresses = createOwnAddresses();
  const clients = opened.use(createClients(settings, { ...ownAddresses, hubProviders }));
  const toolset = opened.use(await createTools(settings.agent, { outbound: clients.tools, log }));
  const demo = settings.demo ? createDemo() : null;
  const providers = createProviders({ settings, hubProviders, outbound: clients.agent, demo });
  const routeLimits = createRouteLimits({ concurrency: concurrency.perOrigin });

  const load = watchProcessLoad();
  opened.defer(load.stop);
  let stopping = false;
  const addresses: { agent?: Listening; evaluation?: Listening } = {};
  const agentOrigins = (): readonly string[] =>
    addresses.agent ? [addresses.agent.url, ...loopbackOrigins(addresses.agent.port)] : [];
  const common = {
    log,
    version,
    apiKeys: createKeySource({ file: keyFileIn(settings.dataDir), fixed: server.apiKeys }),
    allowedHosts: server.allowedHosts,
    rateLimits: settings.rateLimits,
    overload: { ...settings.overload, rssBytes: settings.overload.rssBytes || defaultMemoryLimit(), load: load.read },
    readiness: async () => {
      if (stopping) throw new ServiceError("shutting_down", "The service is stopping.");
      await storage.store.check();
    },
  };
  const jsonLimits = { depth: limits.jsonDepth, keys: limits.objectKeys };

  const isDemo = demoDetector({ demo, agentOrigins });
  const evaluationParts = opened.use(
    await createEvaluation({ settings, storage, outbound: clients.evaluation, isDemo, log }),
  );
  const { runs } = evaluationParts;
  const library = createScenarioLibrary(storage);
  opened.use(startChores({ settings, storage, outbound: clients.tools, log }));

  const evaluationApp = createEvaluationApp({
    ...common,
    runs,
    library,
    reportTemplate: () => readFile(join(pageFolder, "report.html"), "utf8"),
    helpers: evaluationParts.helpers,
    bodyLimits: { ...jsonLimits, bytes: limits.evaluationBodyBytes },
    planLimits: limits,
    checkEndpoint: endpointChecker(clients.evaluation),
    allowedOrigins: () => [...agentOrigins(), ...server.corsOrigins],
  });
  const agentApp = createAgentApp({
    ...common,
    router: createRouter(providers, { limits: routeLimits }),
    routeLimits,
    breakers: () => clients.agent.breakers(),
    listStudioModels: studioLister(providers),
    tools: () => toolset.tools(),
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
    runs,
    library,
    async stop() {
      stopping = true;
      const graceMs = http.shutdownGraceMs;
      await Promise.all([agent.close(graceMs), evaluation.close(graceMs), runs.stop({ graceMs })]);
      await parts.disposeAsync();
    },
  };
}

async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreFileError(`REHEARSAL_DATA_DIR ${path} cannot be made (${cause.code ?? "unknown reason"})`, {
      cause,
    });
  });
}

function print({ agent, evaluation }: Services, json: boolean): void {
  const lines = json
    ? JSON.stringify({ agent: agent.url, evaluation: evaluation.url })
    : `agent backend   ${agent.url}\nevaluation      ${evaluation.url}`;
  process.stdout.write(`${lines}\n`);
}
