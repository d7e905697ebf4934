import { createProgram, declareOnce } from "../create-program.ts";

/** docs/cli.md: the help of every command, as the command prints it. */
export async function commandReference(): Promise<string> {
  const program = createProgram();
  const wide = { helpWidth: 110 };
  program.configureHelp(wide);
  const sections: string[] = [];
  for (const command of program.commands) {
    await declareOnce(command);
    command.configureHelp(wide);
    sections.push(`## rehearsal ${command.name()}\n\n\`\`\`\n${command.helpInformation().trimEnd()}\n\`\`\`\n`);
  }
  const head =
    "# Every command\n\nGenerated from the commands themselves; `rehearsal <command> --help` shows the same.\n";
  return [head, `\`\`\`\n${program.helpInformation().trimEnd()}\n\`\`\`\n`, ...sections].join("\n");
}
