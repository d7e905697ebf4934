import type { Command } from "commander";
import { createProgram, declareOnce } from "../create-program.ts";

/** docs/cli.md: the help of every command, as the command prints it. */
export async function commandReference(): Promise<string> {
  const program = createProgram();
  // Before its commands say what they take, which `rehearsal --help` does not ask them.
  const sections = [helpOf(program)];
  for (const command of program.commands) {
    await declareOnce(command);
    sections.push(`## rehearsal ${command.name()}\n\n${helpOf(command)}`);
  }
  const head =
    "# Every command\n\nGenerated from the commands themselves; `rehearsal <command> --help` shows the same.\n";
  return [head, ...sections].join("\n");
}

/** With the examples and exit codes that follow the options, which the help by itself leaves out. */
function helpOf(command: Command): string {
  let text = "";
  command.configureHelp({ helpWidth: 110 });
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHasColors: () => false });
  command.outputHelp();
  return `\`\`\`\n${text.trimEnd()}\n\`\`\`\n`;
}
