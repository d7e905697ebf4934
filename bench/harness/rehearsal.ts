import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runToEnd, startServer, type ServerProcess } from "./child-process.ts";

/** The product, started as a user starts it: `npm run bench` and the tests have built it. */
export const commandLine = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** The same from its sources: a profile of it names their files. */
export const sourceCommandLine = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export interface Rehearsal extends ServerProcess {
  readonly agent: string;
  readonly evaluation: string;
  readonly dataFolder: string;
}

export interface RehearsalOptions {
  /** Where a data folder of its own is made, unless one is given. */
  readonly scratch: string;
  readonly dataFolder?: string;
  readonly concurrency?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: what users start. */
  readonly program?: string;
  /** Options of node itself. */
  readonly node?: readonly string[];
  readonly hears?: boolean;
}

/** Settings under which limits are no part of what is measured. */
export function benchSettings(concurrency: number): Record<string, string> {
  return {
    REHEARSAL_DEMO: "off",
    REHEARSAL_AGENT_PORT: "0",
    REHEARSAL_EVAL_PORT: "0",
    REHEARSAL_CONCURRENCY_GLOBAL: String(concurrency),
    REHEARSAL_CONCURRENCY_PER_ORIGIN: String(concurrency),
    // Attempts, of which those that are being stored make no call.
    REHEARSAL_CONCURRENCY_PER_RUN: String(2 * concurrency),
    REHEARSAL_MAX_BODY_BYTES: String(512 * 1024 * 1024),
    REHEARSAL_MAX_INTERACTIONS: "10000000",
    REHEARSAL_MAX_CALLS_PER_RUN: "10000000",
    REHEARSAL_MAX_ATTEMPTS: "100000",
    REHEARSAL_HTTP_REQUEST_TIMEOUT_MS: "600000",
    REHEARSAL_SHED_EVENT_LOOP_LAG_MS: "60000",
    REHEARSAL_SHUTDOWN_GRACE_MS: "100",
  };
}

export async function startRehearsal({
  scratch,
  dataFolder,
  concurrency = 128,
  environment = {},
  program = commandLine,
  node = [],
  hears = false,
}: RehearsalOptions): Promise<Rehearsal> {
  const folder = dataFolder ?? (await mkdtemp(join(scratch, "data-")));
  const server = await startServer({
    arguments: [...node, program, "serve", "--json"],
    environment: { ...benchSettings(concurrency), REHEARSAL_DATA_DIR: folder, ...environment },
    folder: scratch,
    hears,
  });
  const { agent, evaluation } = server.ready as { agent: string; evaluation: string };
  return { ...server, agent, evaluation, dataFolder: folder };
}

let help: Promise<string> | undefined;

/** Whether the command line has this command yet. */
export async function hasCommand(name: string): Promise<boolean> {
  help ??= runToEnd({ arguments: [commandLine, "--help"] }).then(({ output }) => output);
  return new RegExp(`^\\s+${name}\\b`, "m").test(await help);
}
