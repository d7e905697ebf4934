import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, relative, resolve } from "node:path";
import { shellWord } from "../../base/shell-word.ts";
import type { Run } from "../../contract/schemas/run.ts";
import type { SourceOptions } from "../options/shared-options.ts";

interface CommandCall {
  /** The script that was started: the installed command, or a file of a clone. */
  readonly script: string;
  readonly byNpx: boolean;
  readonly node: string;
  /** True when `node` in the user's shell is the Node that runs this process. */
  readonly isUsualNode: boolean;
  readonly folder: string;
}

/** How this process was started. */
export const thisCall = (): CommandCall => ({
  script: process.argv[1] ?? "rehearsal",
  byNpx: process.env["npm_lifecycle_event"] === "npx" || /[\\/]node_modules[\\/]\.bin[\\/]/.test(process.argv[1] ?? ""),
  node: process.execPath,
  isUsualNode: isUsualNode(process.execPath, process.env["PATH"] ?? ""),
  folder: process.cwd(),
});

/** npm puts its own folders before those of the user's shell, where another Node may be the first. */
export function isUsualNode(node: string, path: string): boolean {
  const folders = path.split(delimiter).filter((folder) => !/[\\/]node_modules[\\/]/.test(folder));
  const name = process.platform === "win32" ? "node.exe" : "node";
  const first = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  return first !== undefined && realpathSync(first) === realpathSync(node);
}

/** A command line to type next, starting the program the way the user did: `rehearsal` may not be on the path. */
export function nextCommand(folder: string, words: string, call: CommandCall): string {
  const { script, byNpx, node, isUsualNode: isUsual, folder: here } = call;
  const path = relative(here, resolve(here, folder));
  // npx only finds packages installed in the current folder or above it.
  const isOutside = path.startsWith("..") || isAbsolute(path);
  const scriptPath = shellWord(relative(resolve(here, folder), script));
  const command = isInstalled(script)
    ? byNpx
      ? "npx rehearsal"
      : "rehearsal"
    : `${byNpx ? "npx node" : isUsual ? "node" : nodePath(node, resolve(here, folder))} ${scriptPath}`;
  const cd = path === "" ? "" : `cd ${shellWord(folder)} && `;
  return `${cd}${byNpx && isOutside ? `${shellWord(node)} ${shellWord(script)}` : command} ${words}`;
}

/** Relative where that is below the folder, as in a clone, whose Node is one of its packages. */
function nodePath(node: string, folder: string): string {
  const path = relative(folder, node);
  return shellWord(path.startsWith("..") || isAbsolute(path) ? node : `./${path}`);
}

/** Node as it is started in a folder, for a script of the user's own. */
export function nodeIn(folder: string, { node, isUsualNode: isUsual, folder: here }: CommandCall = thisCall()): string {
  const path = relative(here, resolve(here, folder));
  const cd = path === "" ? "" : `cd ${shellWord(path)} && `;
  return cd + (isUsual ? "node" : nodePath(node, resolve(here, folder)));
}

/** A command line to type next in the current folder. */
export const ownCommand = (...words: readonly string[]): string => nextCommand(".", words.join(" "), thisCall());

/** First words of commands. Repeated from commands.ts, with a test that compares them: that file knows every command's module. */
export const commandWords =
  "init eval validate runs compare import export schema chat models mcp serve keys store doctor completion".split(" ");

/** `rehearsal` before a command in a text for people. */
const mentioned = new RegExp(`(?<![\\w./-])rehearsal (?=(?:${commandWords.join("|")})\\b)`, "g");

/** The text with commands that can be typed: in a clone, there is no `rehearsal` on the path. */
export function withOwnCommand(text: string, start: string = ownCommand("").trimEnd()): string {
  return start === "rehearsal" ? text : text.replace(mentioned, () => `${start} `);
}

/** How to resume or cancel an unfinished run. Only the machine that started a run can resume it. */
export function resumeOrCancelHint({ run_id }: Pick<Run, "run_id">, where: SourceOptions): string {
  const { server: _, ...local } = where;
  const resume = ownCommand("eval --resume", run_id, ...sourceWords(local));
  const cancel = ownCommand("runs cancel", run_id, ...sourceWords(where));
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
