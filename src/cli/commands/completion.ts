import { Argument, type Command } from "commander";
import { completionScripts, type Shell } from "../completion/completion-scripts.ts";
import { completions } from "../completion/completions.ts";
import { printLine } from "../terminal/output.ts";

/** `rehearsal completion` */
export function declare(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "which shell").choices([...Object.keys(completionScripts), "words"]))
    .argument("[words...]", "what was typed so far; for the scripts themselves")
    .addHelpText("after", example)
    .action(async (shell: Shell | "words", words: readonly string[]) => {
      if (shell === "words") for (const word of await completions(words)) printLine(word);
      else process.stdout.write(completionScripts[shell]);
    });
}

const example = `
Examples:
  source <(rehearsal completion bash)
  rehearsal completion zsh > "\${fpath[1]}/_rehearsal"
  rehearsal completion fish > ~/.config/fish/completions/rehearsal.fish`;
