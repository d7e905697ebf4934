import { mkdir } from "node:fs/promises";
import type { Command } from "commander";
import { createLog } from "../../services/http/log.ts";
import { collect, wholeNumber } from "../options.ts";
import { createClients } from "../parts/create-clients.ts";
import { createEvaluation } from "../parts/create-evaluation.ts";
import { loadSettings } from "../parts/load-settings.ts";
import { readHubProviders } from "../parts/read-hub-providers.ts";
import { startChores } from "../parts/start-chores.ts";
import { openStorage } from "../parts/open-storage.ts";
import { secretsOf } from "../parts/secrets-of.ts";
import { onStopSignal } from "../parts/stop-signals.ts";
import { printJson, printLine } from "../terminal/output.ts";

interface WorkerOptions {
  readonly concurrency?: number;
  readonly dataDir?: string;
  readonly envFile?: readonly string[];
  readonly json?: boolean;
}

/** `rehearsal worker` */
export function declare(command: Command): void {
  command
    .option("-j, --concurrency <number>", "attempts at once (REHEARSAL_CONCURRENCY_GLOBAL)", wholeNumber(1))
    .option("--data-dir <folder>", "where runs are kept, without DATABASE_URL (REHEARSAL_DATA_DIR)")
    .option("--env-file <file>", "read variables from this file instead of .env (repeatable)", collect)
    .option("--json", "print the readiness as one JSON object")
    .action(work);
}

/** Carries out the runs that services accept: any number of these share one database, on any number of hosts. */
async function work({ concurrency, dataDir, envFile = [], json }: WorkerOptions): Promise<void> {
  const { settings, warnings } = loadSettings({
    files: envFile,
    overrides: { REHEARSAL_CONCURRENCY_GLOBAL: concurrency?.toString(), REHEARSAL_DATA_DIR: dataDir },
  });
  await using opened = new AsyncDisposableStack();
  const log = createLog({ level: settings.logLevel, secrets: secretsOf(settings) });
  for (const warning of warnings) log.warn(warning);
  if (settings.databaseUrl === null) await mkdir(settings.dataDir, { recursive: true });
  const storage = opened.use(
    await openStorage(settings, { onError: (error) => log.error({ err: error }, "the store failed") }),
  );
  const hubProviders = readHubProviders(settings.hubProviders);
  const clients = opened.use(createClients(settings, { isOwnAddress: () => false, hubProviders }));
  const { runs } = opened.use(
    await createEvaluation({ settings, storage, outbound: clients.evaluation, isDemo: () => false, log }),
  );
  opened.use(startChores({ settings, storage, outbound: clients.tools, log }));
  await runs.start();
  const parts = opened.move();
  onStopSignal(async () => {
    await runs.stop({ graceMs: settings.http.shutdownGraceMs });
    await parts.disposeAsync();
    clearInterval(alive);
  });
  // Everything a worker waits on is unreferenced, so that a command can end; a worker is there to stay.
  const alive = setInterval(() => {}, 60_000);
  if (json) printJson({ worker: "ready", pid: process.pid });
  else printLine("worker ready");
}
