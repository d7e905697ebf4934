import { Command } from "commander";
import { version } from "./version.ts";

/** The command line. Each command's code is loaded only when it runs, so `--version` and `--help` answer at once. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const program = new Command("rehearsal")
    .description("Rehearse every conversation before your users have it.")
    .version(version)
    .showHelpAfterError("(rehearsal --help lists the commands)");

  program
    .command("serve", { isDefault: true })
    .description("start the agent backend, the evaluation service and the page")
    .option("--json", "print the addresses as one JSON object")
    .action(async (options: { json?: boolean }) => {
      const { serve } = await import("./commands/serve.ts");
      await serve(options);
    });

  await program.parseAsync(argv);
}
