import { Argument, type Command, type Option } from "commander";
import { collectList } from "../../options/parsers.ts";
import { printLine } from "../../terminal/output.ts";

/** `rehearsal completion` */
export function declare(command: Command, declareOnce: DeclareOnce): void {
  command
    .addArgument(new Argument("<shell>", "which shell").choices([...Object.keys(completionScripts), "words"]))
    .argument("[words...]", "words typed so far; used by the scripts")
    .addHelpText("after", example)
    .action(async (shell: CompletionShell | "words", words: readonly string[]) => {
      if (shell === "words")
        for (const word of await completions(words, command.parent ?? command, declareOnce)) printLine(word);
      else process.stdout.write(completionScripts[shell]);
    });
}

const example = `
Examples:
  source <(rehearsal completion bash)
  rehearsal completion zsh > "\${fpath[1]}/_rehearsal"
  rehearsal completion fish > ~/.config/fish/completions/rehearsal.fish`;

/** Declares the options of a command, which are loaded when they are needed. */
type DeclareOnce = (command: Command) => Promise<void>;

/** Completions of the last word of `given`, which is everything after the program's name. */
export async function completions(
  given: readonly string[],
  program: Command,
  declareOnce: DeclareOnce,
): Promise<string[]> {
  const words = withoutEqualSigns(given);
  const typed = words.at(-1) ?? "";
  const names = visibleNames(program);
  if (words.length <= 1) return startingWith([...names, "help"], typed);
  if (words[0] === "help" && words.length === 2) return startingWith(names, typed);
  const command = program.commands.find((candidate) => candidate.name() === words[0]);
  if (!command) return [];
  const inner = command.commands.find((candidate) => candidate.name() === words[1]);
  if (command.commands.length > 0 && (words.length === 2 || !inner)) return startingWith(visibleNames(command), typed);
  await declareOnce(inner ?? command);
  const own = inner ? words.slice(1) : words;
  return startingWith(await offers(inner ?? command, { typed, words: own }), typed);
}

/** The names of the commands that the help lists. */
const visibleNames = (parent: Command): string[] =>
  parent
    .createHelp()
    .visibleCommands(parent)
    .map((command) => command.name())
    .filter((name) => name !== "help");

/** bash splits `--name=value` into three words. */
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

/** Choices after the last comma, each with the text before it: a shell replaces the whole word. */
function furtherEntries(choices: readonly string[], typed: string): string[] {
  const before = typed.slice(0, typed.lastIndexOf(",") + 1);
  const given = before.split(",");
  return choices.filter((choice) => !given.includes(choice)).map((choice) => before + choice);
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;

const optionWithValue = (command: Command, word: string): Option | undefined =>
  command.options.find((option) => [option.short, option.long].includes(word) && takesValue(option));

/** The argument that follows these words; undefined when all are given. */
function nextArgument(command: Command, given: readonly string[]): Argument | undefined {
  const before = given.filter(
    (word, index) => !word.startsWith("-") && !optionWithValue(command, given[index - 1] ?? ""),
  );
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[before.length] ?? (last?.variadic ? last : undefined);
}

/** Arguments that name a run. */
const runArguments: ReadonlySet<string> = new Set(["run", "baseline", "candidate"]);

/** Only ids that are plain words in every shell: text from a remote service must not become a command. */
const plainWord = /^[\w-]+$/;

/** The newest runs. Errors are ignored, since a shell waits for words only. */
async function recentRuns(): Promise<readonly string[]> {
  try {
    const { openSource } = await import("../../sources/open-source.ts");
    await using source = await openSource({});
    const { runs } = await source.list({ limit: 20 });
    return ["latest", ...runs.map(({ run_id }) => run_id).filter((id) => plainWord.test(id))];
  } catch {
    return ["latest"];
  }
}

type CompletionShell = "bash" | "zsh" | "fish";

/**
 * Each script calls `rehearsal completion words` and falls back to file names. The bash script reads the words one by one,
 * because `compgen -W` expands them and would run a command substitution in one.
 */
export const completionScripts: Readonly<Record<CompletionShell, string>> = {
  bash: `_rehearsal() {
  local word typed=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(rehearsal completion words -- "\${typed[@]}" 2>/dev/null)
}
complete -o default -F _rehearsal rehearsal
`,
  zsh: `#compdef rehearsal
_rehearsal() {
  local -a offered
  offered=("\${(@f)$(rehearsal completion words -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)}")
  if [[ -n "\${offered[1]}" ]]; then compadd -a offered; else _files; fi
}
if [ "$funcstack[1]" = "_rehearsal" ]; then _rehearsal "$@"; else compdef _rehearsal rehearsal; fi
`,
  fish: `function __rehearsal_words
  set -l typed (commandline -opc) (commandline -ct)
  rehearsal completion words -- $typed[2..-1] 2>/dev/null
end
complete -c rehearsal -a '(__rehearsal_words)'
`,
};
