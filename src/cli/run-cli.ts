import { CommanderError } from "commander";
import { commands } from "./commands.ts";
import { createProgram } from "./create-program.ts";
import { exitCodes } from "./exit-codes.ts";
import { namedCommand } from "./named-command.ts";
import { reportFailure } from "./report-failure.ts";
import { goOnWhenNobodyReads, note } from "./terminal/output.ts";

/** The command line: `parameters` is what was typed after the name of the program. */
export async function runCli(parameters: readonly string[]): Promise<void> {
  goOnWhenNobodyReads();
  try {
    await createProgram().parseAsync(withDefaultCommand(parameters), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error);
    // Commander has said what is wrong. Help and the version come this way too, as 0.
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    tellOfOrder(parameters);
  }
}

/** Options in front are those of `serve`: what it says of another command's is of no use. */
function tellOfOrder(parameters: readonly string[]): void {
  if (namedCommand(parameters) === parameters[0]) return;
  const meant = commands.find(({ name }) => parameters.includes(name));
  if (meant) note(`(options stand after the command: rehearsal ${meant.name} …)`);
}

/** `help eval` is `eval --help`, which knows its options. */
function withDefaultCommand(parameters: readonly string[]): string[] {
  const [first, second] = parameters;
  const named = namedCommand(parameters);
  if (named !== first) return [named, ...parameters];
  const asksHelp = first === "help" && second !== undefined && !second.startsWith("-");
  const words = asksHelp ? [second, "--help"] : [...parameters];
  // With --help beside it, commander would show all commands instead of saying that there is none of this name.
  return isCommand(words[0]) ? words : words.slice(0, 1);
}

const isCommand = (word = ""): boolean =>
  word.startsWith("-") || word === "help" || commands.some(({ name }) => name === word);
