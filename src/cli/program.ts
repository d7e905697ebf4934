import { Command, CommanderError, Help } from "commander";
import { exitCodes } from "./terminal/cli-error.ts";
import { commands, families, namedCommand, type CommandEntry } from "./commands.ts";
import { reportFailure } from "./terminal/report-failure.ts";
import { ignoreClosedPipes, note } from "./terminal/output.ts";
import { versionAndCommit } from "./terminal/version.ts";

/** The program and its commands. A command's file is loaded only when the command is named, so that `--version` is fast. */
export function createProgram(): Command {
  const program = new Command("rehearsal")
    .description("Rehearse every conversation before your users have it.")
    .version(versionAndCommit, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .configureHelp(narrowHelp)
    .showHelpAfterError("(rehearsal --help lists the commands)")
    .hook("preSubcommand", async (_program, command) => declareOnce(command));
  program.exitOverride();
  for (const entry of commands) {
    const [first = "", second] = entry.name.split(" ");
    const parent = second === undefined ? program : familyOf(program, first, entry);
    const command = parent
      .command(second ?? first)
      .summary(entry.summary)
      .description(sentence(entry.summary))
      .helpOption("-h, --help", "show help")
      .helpGroup(second === undefined ? `${entry.group}:` : "Commands:");
    entries.set(command, entry);
  }
  program.addHelpText("after", exitCodeHelp);
  return program;
}

const entries = new WeakMap<Command, CommandEntry>();

/** The parent of `runs list` and the like. */
function familyOf(program: Command, name: string, { group }: CommandEntry): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known) return known;
  const summary = families[name] ?? name;
  return program
    .command(name)
    .summary(summary)
    .description(sentence(summary))
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .helpGroup(`${group}:`)
    .hook("preSubcommand", async (_family, command) => declareOnce(command));
}

const declared = new WeakSet<Command>();

/** Loads a command's file and declares its arguments, options and action. */
export async function declareOnce(command: Command): Promise<void> {
  const entry = entries.get(command);
  if (!entry || declared.has(command)) return;
  declared.add(command);
  command.showHelpAfterError(`(rehearsal ${entry.name} --help lists the options)`);
  (await entry.load()).declare(command, declareOnce);
}

const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

const exitCodeHelp = `
Exit codes:
  0 ok   1 a gate failed or a scenario did not pass   2 wrong usage
  3 the target cannot be used   4 budget used up   5 internal error   6 undecided
  78 a setting or the store cannot be used   130 interrupted; finished turns are kept`;

/** Columns a description needs to stand beside its term. */
const besideTerm = 40;
const below = "      ";

/** On a narrow terminal, descriptions are printed below their terms. */
const narrowHelp: Partial<Help> = {
  minWidthToWrap: 20,
  formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? 80;
    if (description === "" || width - termWidth - 4 >= besideTerm) {
      return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
    }
    return `  ${term}\n${below}${helper.boxWrap(description, width - below.length).replaceAll("\n", `\n${below}`)}`;
  },
};

/** Runs the command line. `parameters` is everything after the program's name. */
export async function runCli(parameters: readonly string[]): Promise<void> {
  ignoreClosedPipes();
  try {
    await createProgram().parseAsync(withDefaultCommand(parameters), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error);
    // Commander has already printed the error. Help and the version also end here, with code 0.
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    explainOptionOrder(parameters);
  }
}

/** Leading options belong to `serve`, so commander's error about another command's option would be misleading. */
function explainOptionOrder(parameters: readonly string[]): void {
  if (namedCommand(parameters) === parameters[0]) return;
  const meant = commands.find(({ name }) => parameters.includes(name.split(" ")[0] ?? name));
  if (meant) note(`(options go after the command: rehearsal ${meant.name} …)`);
}

/**
 * Adds `serve` where no command is named and `list` where none of `runs` is, and turns `help eval` into `eval --help`, which lists
 * the options.
 */
function withDefaultCommand(parameters: readonly string[]): string[] {
  const [first, second] = parameters;
  const named = namedCommand(parameters);
  if (named !== first) return [named, ...parameters];
  const asksHelp = first === "help" && second !== undefined && !second.startsWith("-");
  if (first === "help" && !asksHelp) return ["--help"];
  const words = asksHelp ? [...parameters.slice(1), "--help"] : withDefaultOfFamily(parameters);
  // With --help after an unknown command, commander would print the general help instead of an error.
  return isCommand(words[0]) ? words : words.slice(0, 1);
}

function withDefaultOfFamily([first = "", ...rest]: readonly string[]): string[] {
  const [second] = rest;
  const isBare =
    first === "runs" && (second === undefined || (second.startsWith("-") && !/^(-h|--help)$/.test(second)));
  return isBare ? [first, "list", ...rest] : [first, ...rest];
}

const isCommand = (word = ""): boolean =>
  word.startsWith("-") || word === "help" || commands.some(({ name }) => name.split(" ")[0] === word);

/** The page docs/cli.md: the help of every command, as the command prints it, and the options that only this page lists. */
export async function commandReference(): Promise<string> {
  const program = createProgram();
  // First, before the commands are declared: `rehearsal --help` does not load them either.
  const sections = [helpOf(program)];
  const all = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of all) {
    const entry = entries.get(command);
    await declareOnce(command);
    const name = entry?.name ?? command.name();
    sections.push(commandSection(name, command));
  }
  const head =
    "# Every command\n\nGenerated from the commands themselves; `rehearsal <command> --help` shows the same.\n";
  return [head, ...sections].join("\n");
}

/** The section of one command in docs/cli.md. */
export const commandSection = (name: string, command: Command): string =>
  `## rehearsal ${name}\n\n${helpOf(command)}${furtherOptions(command)}`;

/** Options that are too rare for the help. One without a description is only an alias. */
function furtherOptions(command: Command): string {
  const rare = command.options.filter(({ hidden, description }) => hidden && description !== "");
  if (rare.length === 0) return "";
  const lines = rare.map(({ flags, description, argChoices }) => {
    const choices = argChoices ? ` (${argChoices.join(", ")})` : "";
    return `- \`${flags}\`: ${description}${choices}`;
  });
  return `\nFurther options, not in the help:\n\n${lines.join("\n")}\n`;
}

/** `outputHelp` instead of `helpInformation`: only it includes the examples and exit codes. */
function helpOf(command: Command): string {
  let text = "";
  command.configureHelp({ helpWidth: 110 });
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHasColors: () => false });
  command.outputHelp();
  return `\`\`\`\n${text.trimEnd()}\n\`\`\`\n`;
}
