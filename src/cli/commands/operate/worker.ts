import { writeFile } from "node:fs/promises";
import { runWorker } from "../../../runs/run-worker.ts";
import type { LocalOptions } from "../../options/shared-options.ts";
import { createCore, type Core } from "../../composition/core.ts";
import { createWorldListener, reportLateCall } from "../../composition/world-listener.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { restartOf } from "../../process/supervised.ts";
import { createDataFolder } from "../../composition/storage.ts";
import { startBackgroundJobs } from "../../composition/background-jobs.ts";
import { onStopSignal } from "../../process/stop-signals.ts";
import { printJson, printLine } from "../../terminal/output.ts";

interface WorkerCommandOptions extends LocalOptions {
  readonly concurrency?: number;
  readonly json?: boolean;
}

/** `rehearsal serve --worker`: executes the runs that services accept. Any number of workers on any number of hosts can share one database. */
export async function work({ concurrency, dataDir, config, envFile, json }: WorkerCommandOptions): Promise<void> {
  const { settings, warnings } = await loadSettings({
    config,
    envFile,
    overrides: { REHEARSAL_CONCURRENCY_GLOBAL: concurrency?.toString(), REHEARSAL_DATA_DIR: dataDir },
    listens: false,
    targets: true,
  });
  // Holds notes about an out-of-memory death (`memory-notes.ts`), even with a database. The worker also runs without it.
  await createDataFolder(settings.dataDir).catch(() => {});
  const publicUrl = settings.server.evalPublicUrl;
  await using worlds = createWorldListener({
    publicUrl,
    relay: () => core.storage.worlds,
    onLate: (late) => reportLateCall(core, late),
  });
  await using core: Core = await createCore(settings, {
    warnings,
    waitsForStore: true,
    worldEndpoints: worlds.endpoints,
  });
  await using _jobs = await startBackgroundJobs({ ...core, outbound: core.clients.tools });
  using beats = new DisposableStack();
  const stop = new AbortController();
  onStopSignal(async () => stop.abort());
  await runWorker({
    runs: core.runs,
    signal: stop.signal,
    graceMs: settings.http.shutdownGraceMs,
    onStarted() {
      if (settings.heartbeatFile !== null) beats.use(writeHeartbeats(settings.heartbeatFile, core));
      if (restartOf()) return;
      if (json) printJson({ worker: "ready", pid: process.pid });
      else printLine("worker ready");
    },
  });
  core.storage.stopWaiting();
}

const heartbeatMs = 5_000;

/** Writes a file now and then, from the event loop: its age says whether the worker lives. */
function writeHeartbeats(file: string, { logFailure }: Pick<Core, "logFailure">): Disposable {
  const beat = (): void => {
    writeFile(file, "").catch((error: unknown) => logFailure(error, "the heartbeat file cannot be written"));
  };
  beat();
  const timer = setInterval(beat, heartbeatMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
