import { basename, isAbsolute, relative, resolve } from "node:path";
import { shellWord } from "../base/shell-word.ts";
import type { Run } from "../contract/schemas/run.ts";
import type { SourceOptions } from "./options.ts";

interface Call {
  /** The script that was started: the installed command, or a file of a clone. */
  readonly script: string;
  readonly byNpx: boolean;
  readonly node: string;
  readonly folder: string;
}

/** How this process was started. */
export const thisCall = (): Call => ({
  script: process.argv[1] ?? "rehearsal",
  byNpx: process.env["npm_lifecycle_event"] === "npx" || /[\\/]node_modules[\\/]\.bin[\\/]/.test(process.argv[1] ?? ""),
  node: process.execPath,
  folder: process.cwd(),
});

/** A command line to type next, starting the program the way the user did: `rehearsal` may not be on the path. */
export function nextCommand(folder: string, words: string, { script, byNpx, node, folder: here }: Call): string {
  const path = relative(here, resolve(here, folder));
  // npx only finds packages installed in the current folder or above it.
  const isOutside = path.startsWith("..") || isAbsolute(path);
  const scriptPath = shellWord(relative(resolve(here, folder), script));
  const command = isInstalled(script)
    ? byNpx
      ? "npx rehearsal"
      : "rehearsal"
    : `${byNpx ? "npx " : ""}node ${scriptPath}`;
  const cd = path === "" ? "" : `cd ${shellWord(folder)} && `;
  return `${cd}${byNpx && isOutside ? `${shellWord(node)} ${shellWord(script)}` : command} ${words}`;
}

/** A command line to type next in the current folder. */
export const ownCommand = (...words: readonly string[]): string => nextCommand(".", words.join(" "), thisCall());

/** How to resume or cancel an unfinished run. Only the machine that started a run can resume it. */
export function resumeOrCancelHint({ run_id }: Pick<Run, "run_id">, where: SourceOptions): string {
  const { server: _, ...local } = where;
  const resume = ownCommand("eval --resume", run_id, ...sourceWords(local));
  const cancel = ownCommand("cancel", run_id, ...sourceWords(where));
  return `Resume it with: ${resume}\n  Cancel it with: ${cancel}`;
}

/** The options by which a command found its runs, ready to be typed again. */
export const sourceWords = ({ server, dataDir, envFile = [] }: SourceOptions): readonly string[] =>
  optionWords([["--server", server], ["--data-dir", dataDir], ...envFile.map((file) => ["--env", file] as const)]);

/** Options with their values as shell words; options without a value are left out. */
export const optionWords = (
  given: readonly (readonly [option: string, value: string | number | undefined])[],
): string[] => given.flatMap(([option, value]) => (value === undefined ? [] : [option, shellWord(`${value}`)]));

const isInstalled = (script: string): boolean =>
  basename(script) === "rehearsal" || /[\\/]node_modules[\\/]/.test(script);
