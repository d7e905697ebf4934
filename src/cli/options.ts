import { InvalidArgumentError, Option, type Command } from "commander";

/** For options that may be given several times. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** For options that take several values, repeated or joined by commas. */
export function collectList(value: string, earlier: readonly string[] = []): string[] {
  const entries = value.split(",").map((entry) => entry.trim());
  return [...earlier, ...entries.filter((entry) => entry !== "")];
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

/** A port, kept as text: it overrides the text of a setting. 0 = any free one. */
export function portNumber(value: string): string {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return value;
  throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
}

/** A variable that is not set leaves nothing behind: the folder meant is not the usual one. */
export function folderPath(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must name a folder.");
}

/** For a name: a variable that is not set leaves none. */
export function givenName(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must not be empty.");
}

/** A share: 0.02 or 2%, as gates take it. */
export function share(value: string): number {
  const { figure, percent } = /^\s*(?<figure>\d*\.?\d+)\s*(?<percent>%)?\s*$/.exec(value)?.groups ?? {};
  const number = figure === undefined ? Number.NaN : Number(figure) / (percent === undefined ? 1 : 100);
  if (number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError("It must be a share from 0 to 1, such as 0.02 or 2%.");
}

/** A limit that can be reached: nothing could be done with 0. */
export function moreThanZero(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}

/** Files of variables. Two names may fill the one list. */
class EnvOption extends Option {
  override attributeName(): string {
    return "envFile";
  }
}

/**
 * `--env`, and `--env-file` as it was called. Node has an option of that name, and takes it from anywhere on the line before we
 * see it: a file that is not there ends in Node's own words and code.
 */
export function withEnv(command: Command): Command {
  const meaning = "read variables from this file instead of .env (repeatable)";
  return command
    .addOption(new EnvOption("--env <file>", meaning).argParser(collect))
    .addOption(new EnvOption("--env-file <file>").argParser(collect).hideHelp());
}

/** What a command knows this machine's settings by. */
export interface LocalOptions {
  readonly dataDir?: string;
  readonly envFile?: readonly string[];
}

/** Where the runs are that a command works with. */
export interface SourceOptions extends LocalOptions {
  readonly server?: string;
}

/** The options of every command that reads or writes runs. */
export function withSource(command: Command): Command {
  const placed = command
    .option("--server <url>", "use the evaluation service at this address (REHEARSAL_SERVER) instead of this machine")
    .addOption(
      new Option("--data-dir <folder>", "where the runs of this machine are kept (REHEARSAL_DATA_DIR)")
        .argParser(folderPath)
        .conflicts("server"),
    );
  return withEnv(placed);
}
