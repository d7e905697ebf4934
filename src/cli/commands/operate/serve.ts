// Must be the first import: later modules refer to the classes it defines.
import { compact } from "../../../base/compact.ts";
import "../../../models/outbound/web-classes.ts";
import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import type { Logger } from "pino";
import { createOwnAddresses } from "../../../models/outbound/endpoint-policy.ts";
import type { PlanHelpers } from "../../../runs/plan/option-problems.ts";
import type { Runs } from "../../../runs/runs.ts";
import { createScenarioLibrary, type ScenarioLibrary } from "../../../runs/scenario-library.ts";
import { isKeySource, type ApiKeys } from "../../../services/http/auth/auth.ts";
import { createWorldServer } from "../../../services/evaluation/routes/world-endpoints.ts";
import { listen, type Listening } from "../../../services/http/listen.ts";
import type { Settings } from "../../../settings.ts";
import { isLoopback } from "../../../settings/address.ts";
import { refuseExposure } from "../../../settings/server-settings.ts";
import { createAgentService } from "../../composition/agent-service.ts";
import { startBackgroundJobs } from "../../composition/background-jobs.ts";
import { createCore, type Core } from "../../composition/core.ts";
import { spanReceiver } from "../../composition/span-receiver.ts";
import { createEvaluationService } from "../../composition/evaluation-service.ts";
import { createHttpShell, openKeySource } from "../../composition/http-shell.ts";
import { createLocalServices, demoDetector, demoUser, type LocalServices } from "../../composition/local-services.ts";
import { seedDemo } from "../../composition/seed-demo.ts";
import { createDataFolder } from "../../composition/storage.ts";
import { reportLateCall } from "../../composition/world-listener.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { folderPath, portNumber, wholeNumber } from "../../options/parsers.ts";
import { withServiceConfig, type LocalOptions } from "../../options/shared-options.ts";
import { reportPorts, restartOf } from "../../process/supervised.ts";
import { exitWithoutReaders, isInteractive } from "../../terminal/output.ts";
import { onStopSignal } from "../../process/stop-signals.ts";
import { version } from "../../terminal/version.ts";

/** `rehearsal serve`: both services and the page in one process. */
export function declare(command: Command): void {
  withServiceConfig(
    command
      .option("--host <address>", "listen on this address (REHEARSAL_HOST)")
      .option("--port <number>", "port of the agent backend and the page (REHEARSAL_AGENT_PORT)", portNumber)
      .option("--eval-port <number>", "port of the evaluation service (REHEARSAL_EVAL_PORT)", portNumber)
      .option("--data-dir <folder>", "where runs are kept (REHEARSAL_DATA_DIR)", folderPath),
  )
    .option("--worker", "only execute runs, for services that share a database: no page, no ports")
    .option(
      "-j, --concurrency <number>",
      "with --worker: attempts at once (REHEARSAL_CONCURRENCY_GLOBAL)",
      wholeNumber(1),
    )
    .option("--no-open", "do not open the page in a browser")
    .option("--json", "print the addresses as one JSON object")
    .action(serve);
}

interface ServeOptions extends LocalOptions {
  readonly host?: string;
  readonly port?: string;
  readonly evalPort?: string;
  readonly open: boolean;
  readonly json?: boolean;
  readonly worker?: boolean;
  readonly concurrency?: number;
}

async function serve({ worker, concurrency, ...options }: ServeOptions): Promise<void> {
  if (!worker) {
    if (concurrency !== undefined)
      throw new CliError("--concurrency needs --worker: services take it from their settings");
    return serveAll(options);
  }
  const ports = [options.host, options.port, options.evalPort].some((value) => value !== undefined);
  if (ports) throw new CliError("--worker listens on no port: leave out --host, --port and --eval-port");
  const { work } = await import("./worker.ts");
  await work(compact({ ...options, concurrency })).finally(exitWithoutReaders);
}

async function serveAll({ open, json = false, ...options }: Omit<ServeOptions, "worker">): Promise<void> {
  const restart = restartOf();
  const { settings, warnings } = await loadSettings({
    config: options.config,
    envFile: options.envFile,
    targets: true,
    overrides: {
      REHEARSAL_HOST: options.host,
      // A process that replaces another is found where that was.
      REHEARSAL_AGENT_PORT: restart?.ports?.agent.toString() ?? options.port,
      REHEARSAL_EVAL_PORT: restart?.ports?.evaluation.toString() ?? options.evalPort,
      REHEARSAL_DATA_DIR: options.dataDir,
    },
  });
  const services = await startServices(settings, warnings);
  let seeded = Promise.resolve();
  // Registered before the addresses are printed: a program that reads them may stop us while the demo is being stored.
  onStopSignal(async () => {
    await Promise.allSettled([seeded]);
    await services.stop();
    exitWithoutReaders();
  });
  reportPorts({ agent: services.agent.port, evaluation: services.evaluation.port });
  if (restart) return;
  printAddresses(services, json);
  if (settings.demo) {
    seeded = seedDemo({ ...services, agentUrl: services.agent.url, settings }).catch((error: unknown) =>
      // The services work without the demo's data.
      services.log.warn({ err: error }, "the demo could not be set up"),
    );
  }
  await seeded;
  if (open && !json && isInteractive()) openInBrowser(services.agent.url);
}

interface Services {
  readonly agent: Listening;
  readonly evaluation: Listening;
  readonly runs: Runs;
  readonly helpers: PlanHelpers;
  readonly library: ScenarioLibrary;
  readonly log: Logger;
  /** True when callers need an API key. */
  readonly needsKey: boolean;
  /** Gives running requests, turns and attempts the grace time to end, then closes everything. */
  stop(): Promise<void>;
}

/** After the grace time, callers that still wait get this long to receive a response before their connection is closed. */
const goodbyeMs = 1_000;

/** While a service stops, requests that have arrived get so long before no more work is begun. */
const arrivedWithinMs = 2_000;

/** Starts every part of the product and connects them. Tests start the same with other settings. */
export async function startServices(
  settings: Settings,
  warnings: readonly string[],
  { apiKeys }: { apiKeys?: ApiKeys } = {},
): Promise<Services> {
  const { server, http } = settings;
  // Closes everything opened so far when a later part fails to start.
  await using opened = new AsyncDisposableStack();

  // Addresses are known only once the services listen; parts created before then look them up here.
  const local = createLocalServices();
  const evaluationAddresses = createOwnAddresses();
  const agentAddresses = createOwnAddresses();

  // Storage, outbound clients, judges, and the runs that connect them.
  await createDataFolder(settings.dataDir);
  const worlds = createWorldServer({
    publicOrigin: () => worldOrigin(server, local),
    origin: () => local.evaluation?.url ?? "",
    relay: () => core.storage.worlds,
    version,
    onLate: (late) => reportLateCall(core, late),
    onError: (error) => core.logFailure(error, "the address of a world could not be closed for other processes"),
  });
  // With API keys, the evaluation service has no key for the demo models.
  let callersNeedKeys = false;
  const core: Core = opened.use(
    await createCore(settings, {
      warnings,
      worldEndpoints: worlds,
      worldOrigin: () => worldOrigin(server, local),
      demoSimulator: () => (settings.demo && !callersNeedKeys ? demoUser(local) : undefined),
      waitsForStore: true,
      isDemo: demoDetector(local),
      isOwnAddress: evaluationAddresses.isOwnAddress,
      isAgentAddress: agentAddresses.isOwnAddress,
    }),
  );
  const { log, runs, helpers } = core;
  const library = createScenarioLibrary(core.storage.library);

  // Retention, backups and webhooks.
  opened.use(await startBackgroundJobs({ ...core, outbound: core.clients.tools }));

  // API keys, and the HTTP shell that both services share.
  const keys = apiKeys ?? opened.use(await openKeySource(core));
  const needsKey = await hasKeys(keys);
  callersNeedKeys = needsKey;
  // Checked here and not with the settings, because the keys may be in a database.
  if (!apiKeys && !needsKey) refuseExposure(server);
  const shell = opened.use(createHttpShell(core, { apiKeys: keys }));

  // The two services.
  const agentService = opened.use(await createAgentService(core, { shell: shell.options, local }));
  const evaluationService = createEvaluationService(core, {
    shell: shell.options,
    local,
    library,
    worlds,
    spans: spanReceiver(core),
  });
  const listenOptions = { host: server.host, limits: http, log, version };
  const evaluation = await listen({
    ...listenOptions,
    app: evaluationService,
    port: server.evalPort,
    portSetting: "--eval-port or REHEARSAL_EVAL_PORT",
  });
  opened.defer(() => evaluation.close(0));
  local.evaluation = evaluation;
  evaluationAddresses.add({ host: server.host, port: evaluation.port });
  const agent = await listen({
    ...listenOptions,
    app: agentService.app,
    port: server.agentPort,
    portSetting: "--port or REHEARSAL_AGENT_PORT",
  });
  opened.defer(() => agent.close(0));
  local.agent = agent;
  agentAddresses.add({ host: server.host, port: agent.port });

  // The worker that executes runs.
  await runs.start();
  // After the evaluation service, whose worlds a turn may need.
  agentService.startRecovery();

  const started = opened.move();
  return {
    agent,
    evaluation,
    runs,
    helpers,
    library,
    log,
    needsKey,
    async stop() {
      shell.stop();
      const graceMs = http.shutdownGraceMs;
      const closed = Promise.all([agent.close(graceMs + goodbyeMs), evaluation.close(graceMs + goodbyeMs)]);
      // Requests that arrived before the listener closed are still accepted work: their turns and runs begin, and short ones end.
      await Promise.all([agent.stopAccepting(), evaluation.stopAccepting()]);
      const arrivedMs = Math.min(arrivedWithinMs, graceMs / 2);
      await Promise.race([closed, wait(arrivedMs, undefined, { ref: false })]);
      const restMs = graceMs - arrivedMs;
      await Promise.all([closed, agentService.turns.drain(restMs), runs.stop({ graceMs: restMs })]);
      core.storage.stopWaiting();
      await started.disposeAsync();
    },
  };
}

/** Where agents anywhere reach the worlds of this service; null if only this machine does. */
function worldOrigin({ evalPublicUrl }: Settings["server"], { evaluation }: LocalServices): string | null {
  if (evalPublicUrl !== null || !evaluation) return evalPublicUrl;
  return isLoopback(new URL(evaluation.url).hostname) ? null : evaluation.url;
}

/** Unreadable keys count as keys: such a service refuses callers instead of letting everyone in. */
async function hasKeys(keys: ApiKeys): Promise<boolean> {
  const known = isKeySource(keys) ? await keys.keys().catch(() => null) : keys;
  return known === null || known.length > 0;
}

function printAddresses({ agent, evaluation }: Services, json: boolean): void {
  const lines = json
    ? JSON.stringify({ agent: agent.url, evaluation: evaluation.url })
    : `agent backend   ${agent.url}\nevaluation      ${evaluation.url}`;
  process.stdout.write(`${lines}\n`);
}

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer.exe" };

/** Does nothing without a browser: the address is printed too. */
function openInBrowser(url: string): void {
  const child = spawn(openers[process.platform] ?? "xdg-open", [url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
