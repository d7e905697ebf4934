import type { Command, Option } from "commander";
import { createProgram, declareOnce } from "../create-program.ts";

/** What may follow: `words` is everything after the program's name, the last one still being typed. */
export async function completions(words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const program = createProgram();
  if (words.length <= 1) return startingWith([...program.commands.map((command) => command.name()), "help"], typed);
  const command = program.commands.find((candidate) => candidate.name() === words[0]);
  if (!command) return [];
  await declareOnce(command);
  return startingWith(offers(command, { typed, before: words.at(-2) ?? "" }), typed);
}

const startingWith = (offered: readonly string[], typed: string): string[] =>
  offered.filter((word) => word.startsWith(typed));

function offers(command: Command, { typed, before }: { typed: string; before: string }): readonly string[] {
  const open = command.options.find((option) => [option.short, option.long].includes(before) && takesValue(option));
  if (open) return open.argChoices ?? [];
  if (typed.startsWith("-"))
    return [...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])), "--help"];
  return command.registeredArguments[0]?.argChoices ?? [];
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;
