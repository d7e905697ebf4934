import type { Argument, Command, Option } from "commander";
import { createProgram, declareOnce } from "../create-program.ts";
import { collectList } from "../options.ts";

/** What may follow: `given` is everything after the program's name, the last one still being typed. */
export async function completions(given: readonly string[]): Promise<string[]> {
  const words = withoutEqualSigns(given);
  const typed = words.at(-1) ?? "";
  const program = createProgram();
  const names = program.commands.map((command) => command.name());
  if (words.length <= 1) return startingWith([...names, "help"], typed);
  if (words[0] === "help" && words.length === 2) return startingWith(names, typed);
  const command = program.commands.find((candidate) => candidate.name() === words[0]);
  if (!command) return [];
  await declareOnce(command);
  return startingWith(await offers(command, { typed, words }), typed);
}

/** bash takes `--name=value` apart into three words, and what is typed after the sign for a word of its own. */
function withoutEqualSigns(words: readonly string[]): string[] {
  return words.flatMap((word, index) => (word !== "=" ? [word] : index === words.length - 1 ? [""] : []));
}

const startingWith = (offered: readonly string[], typed: string): string[] =>
  offered.filter((word) => word.startsWith(typed));

async function offers(
  command: Command,
  { typed, words }: { typed: string; words: readonly string[] },
): Promise<readonly string[]> {
  const before = words.at(-2) ?? "";
  const open = optionWithValue(command, before);
  if (open) return valuesOf(open, typed);
  const [, name, value] = /^(--[a-z-]+)=(.*)$/s.exec(typed) ?? [];
  const assigned = name === undefined ? undefined : optionWithValue(command, name);
  if (assigned) return (await valuesOf(assigned, value ?? "")).map((offered) => `${name}=${offered}`);
  if (typed.startsWith("-")) {
    return [...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])), "--help"];
  }
  const argument = nextArgument(command, words.slice(1, -1));
  if (argument && runArguments.has(argument.name())) return recentRuns();
  return argument?.argChoices ?? [];
}

async function valuesOf(option: Option, typed: string): Promise<readonly string[]> {
  if (option.parseArg === collectList) return furtherEntries(option.argChoices ?? [], typed);
  return option.argChoices ?? (option.flags.includes("<run>") ? recentRuns() : []);
}

/** What may stand behind the last comma, with all that stands before it: a shell completes the whole word. */
function furtherEntries(choices: readonly string[], typed: string): string[] {
  const before = typed.slice(0, typed.lastIndexOf(",") + 1);
  const given = before.split(",");
  return choices.filter((choice) => !given.includes(choice)).map((choice) => before + choice);
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;

const optionWithValue = (command: Command, word: string): Option | undefined =>
  command.options.find((option) => [option.short, option.long].includes(word) && takesValue(option));

/** The argument whose turn it is after these words; undefined when all have been given. */
function nextArgument(command: Command, given: readonly string[]): Argument | undefined {
  const before = given.filter(
    (word, index) => !word.startsWith("-") && !optionWithValue(command, given[index - 1] ?? ""),
  );
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[before.length] ?? (last?.variadic ? last : undefined);
}

/** Arguments that stand for a run. */
const runArguments: ReadonlySet<string> = new Set(["run", "baseline", "candidate"]);

/** An id that is a word in any shell: one that a service made up would be a command as soon as it stands in the line. */
const plainWord = /^[\w-]+$/;

/** The newest runs. A shell that waits for words is no place for an error. */
async function recentRuns(): Promise<readonly string[]> {
  try {
    const { openSource } = await import("../sources/open-source.ts");
    await using source = await openSource({});
    const { runs } = await source.list({ limit: 20 });
    return ["latest", ...runs.map(({ run_id }) => run_id).filter((id) => plainWord.test(id))];
  } catch {
    return ["latest"];
  }
}
