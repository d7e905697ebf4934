import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSettings } from "../../src/settings.ts";
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
  /** The folder in which a data folder is created, unless one is given. */
  readonly scratch: string;
  readonly dataFolder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: what users start. */
  readonly program?: string;
  /** Options of node itself. */
  readonly node?: readonly string[];
  readonly hears?: boolean;
}

/** Attempts of one run that a service carries out at once, unless it is asked for another number. */
export const servedAtOnce = readSettings({}).settings.concurrency.perRun;

/**
 * The settings a user has who has set up a provider, which turns the demo off. No limit is raised: what users meet is measured. The
 * rest keeps a bench from other services on this machine, and from waiting when nothing is measured any more.
 */
export const benchSettings: Readonly<Record<string, string>> = {
  REHEARSAL_DEMO: "off",
  REHEARSAL_AGENT_PORT: "0",
  REHEARSAL_EVAL_PORT: "0",
  REHEARSAL_SHUTDOWN_GRACE_MS: "100",
  // Without the process that watches it, which is measured in decision 20.
  REHEARSAL_WATCHDOG_MS: "0",
};

export async function startRehearsal({
  scratch,
  dataFolder,
  environment = {},
  program = commandLine,
  node = [],
  hears = false,
}: RehearsalOptions): Promise<Rehearsal> {
  const folder = dataFolder ?? (await mkdtemp(join(scratch, "data-")));
  const server = await startServer({
    arguments: [...node, program, "serve", "--json"],
    environment: { ...benchSettings, REHEARSAL_DATA_DIR: folder, ...environment },
    folder: scratch,
    hears,
  });
  const { agent, evaluation } = server.ready as { agent: string; evaluation: string };
  return { ...server, agent, evaluation, dataFolder: folder };
}

let help: Promise<string> | undefined;

/** True when the command line has this command. */
export async function hasCommand(name: string): Promise<boolean> {
  help ??= runToEnd({ arguments: [commandLine, "--help"] }).then(({ output }) => output);
  return new RegExp(`^\\s+${name}\\b`, "m").test(await help);
}
