import type { Command } from "commander";
import { addOptions, type OptionTable, type OptionValues } from "./option-table.ts";
import { collect, folderPath } from "./parsers.ts";

/** The options of every command that reads or writes runs. */
export const sourceOptions = {
  server: {
    flags: "--server <url>",
    help: "use the evaluation service at this address (REHEARSAL_SERVER) instead of this machine",
  },
  dataDir: {
    flags: "--data-dir <folder>",
    help: "folder of this machine's runs (REHEARSAL_DATA_DIR)",
    parse: folderPath,
    conflicts: "server",
  },
  envFile: {
    flags: "--env <file>",
    help: "read variables from this file instead of .env (repeatable)",
    parse: collect,
    // Node has an option of that name too and reads it before we do, from anywhere on the line: a missing file then ends
    // with Node's own error and exit code.
    alias: "--env-file <file>",
  },
} as const satisfies OptionTable;

/** Options that select this machine's settings. */
export interface LocalOptions {
  /** The configuration file; default: the one in this folder. */
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly envFile?: readonly string[] | undefined;
}

/** Options that select the runs a command works with. */
export interface SourceOptions extends LocalOptions, OptionValues<typeof sourceOptions> {}

export const withSource = (command: Command): Command => addOptions(command, sourceOptions);

export const withEnv = (command: Command): Command => addOptions(command, { envFile: sourceOptions.envFile });

/** Adds the options that every service has: its configuration and its environment. */
export function withServiceConfig(command: Command): Command {
  return withEnv(
    command.option("-c, --config <file>", "read limits from this file (default: rehearsal.yaml in this folder)"),
  );
}

/** Options that select the agent backend a command talks to. */
export interface AgentOptions {
  readonly agent?: string;
  readonly envFile?: readonly string[];
}

/** Adds the options of every command that talks to an agent backend. */
export function withAgent(command: Command): Command {
  return withEnv(
    command.option(
      "--agent <url>",
      "use the agent backend at this address (REHEARSAL_AGENT) instead of one in this process",
    ),
  );
}

/** For commands that write a file of the user's. */
export function withForce(command: Command): void {
  command.option("--force", "replace an existing file");
}
