import { InvalidArgumentError, Option, type Command } from "commander";

/** For repeatable options. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** For a repeatable option that has a `--no-` form; the later of the two counts. */
export function collectUnlessNone(value: string, earlier: readonly string[] | false = []): string[] {
  return [...(earlier === false ? [] : earlier), value];
}

/** For options with several values, repeated or separated by commas. */
export function collectList(value: string, earlier: readonly string[] = []): string[] {
  const entries = value.split(",").map((entry) => entry.trim());
  return [...earlier, ...entries.filter((entry) => entry !== "")];
}

/** For commands that write a file of the user's. */
export function withForce(command: Command): void {
  command.option("--force", "replace an existing file");
}

export function wholeNumber(minimum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`It must be a whole number of at least ${minimum}.`);
  };
}

export function priorityNumber(value: string): number {
  if (/^-?\d{1,3}$/.test(value) && Math.abs(Number(value)) <= 100) return Number(value);
  throw new InvalidArgumentError("It must be a whole number from -100 to 100.");
}

/** A port, kept as text because it overrides a setting's text. 0: any free port. */
export function portNumber(value: string): string {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return value;
  throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
}

/** Refuses an empty value, which an unset shell variable leaves: it must not mean the default folder. */
export function folderPath(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must name a folder.");
}

/** Refuses an empty name, which an unset shell variable leaves. */
export function nonEmptyName(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must not be empty.");
}

/** A share as in gates: 0.02 or 2%. */
export function shareNumber(value: string): number {
  const { figure, percent } = /^(?<figure>\d+(?:\.\d+)?|\.\d+)\s*(?<percent>%)?$/.exec(value.trim())?.groups ?? {};
  const number = figure === undefined ? Number.NaN : Number(figure) / (percent === undefined ? 1 : 100);
  if (number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError("It must be a share from 0 to 1, such as 0.02 or 2%.");
}

/** Joins the margins of repeated options. They are read later: loading their schema would slow down --help. */
export const joinMargins = (value: string, earlier?: string): string =>
  earlier === undefined ? value : `${earlier},${value}`;

/** A limit above 0. */
export function positiveNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}

/** `--env` and `--env-file` fill one list. */
class EnvOption extends Option {
  override attributeName(): string {
    return "envFile";
  }
}

/**
 * Adds `--env`, and its former name `--env-file`. Node has an option of that name too and reads it before we do, from
 * anywhere on the line: a missing file then ends with Node's own error and exit code.
 */
export function withEnv(command: Command): Command {
  const meaning = "read variables from this file instead of .env (repeatable)";
  return command
    .addOption(new EnvOption("--env <file>", meaning).argParser(collect))
    .addOption(new EnvOption("--env-file <file>").argParser(collect).hideHelp());
}

/** Options that select this machine's settings. */
export interface LocalOptions {
  /** The configuration file; default: the one in this folder. */
  readonly config?: string | undefined;
  readonly dataDir?: string;
  readonly envFile?: readonly string[] | undefined;
}

/** Adds the options that every service has: its configuration and its environment. */
export function withServiceConfig(command: Command): Command {
  return withEnv(
    command.option("-c, --config <file>", "read limits from this file (default: rehearsal.yaml in this folder)"),
  );
}

/** Options that select the runs a command works with. */
export interface SourceOptions extends LocalOptions {
  readonly server?: string;
}

/** Adds the options of every command that reads or writes runs. */
export function withSource(command: Command): Command {
  const placed = command
    .option("--server <url>", "use the evaluation service at this address (REHEARSAL_SERVER) instead of this machine")
    .addOption(
      new Option("--data-dir <folder>", "folder of this machine's runs (REHEARSAL_DATA_DIR)")
        .argParser(folderPath)
        .conflicts("server"),
    );
  return withEnv(placed);
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
