import { Command, Help } from "commander";
import { commands, type CommandEntry } from "./commands.ts";
import { version } from "./version.ts";

/** The program with its commands by name. A command's options are read when it is named, so that `--version` answers at once. */
export function createProgram(): Command {
  const program = new Command("rehearsal")
    .description("Rehearse every conversation before your users have it.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .configureHelp(narrowHelp)
    .showHelpAfterError("(rehearsal --help lists the commands)")
    .hook("preSubcommand", async (_program, command) => declareOnce(command));
  program.exitOverride();
  for (const { name, summary } of commands) {
    program.command(name).summary(summary).description(sentence(summary)).helpOption("-h, --help", "show help");
  }
  program.addHelpText("after", exitCodeHelp);
  return program;
}

const declared = new WeakSet<Command>();

/** Loads a command's file and lets it say what it takes. */
export async function declareOnce(command: Command): Promise<void> {
  const entry = commands.find(({ name }) => name === command.name());
  if (!entry || declared.has(command)) return;
  declared.add(command);
  command.showHelpAfterError(`(rehearsal ${entry.name} --help lists the options)`);
  (await load(entry)).declare(command);
}

const load = (entry: CommandEntry) => entry.load();

const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

const exitCodeHelp = `
Exit codes:
  0 ok   1 a gate failed   2 wrong usage   3 the target cannot be used
  4 budget used up   5 internal error   78 a setting or the store cannot be used
  130 interrupted; what is done is kept`;

/** Columns a description needs beside its term. */
const besideTerm = 40;
const below = "      ";

/** Where a terminal leaves less room than that, each description stands below its term. */
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
