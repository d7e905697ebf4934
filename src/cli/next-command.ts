import { basename, isAbsolute, relative, resolve } from "node:path";
import { shellWord } from "./shell-word.ts";

interface Call {
  /** The script that was started: the installed command, or a file of a clone. */
  readonly script: string;
  readonly byNpx: boolean;
  readonly node: string;
  readonly folder: string;
}

/** How this process was called. */
export const thisCall = (): Call => ({
  script: process.argv[1] ?? "rehearsal",
  byNpx: process.env["npm_lifecycle_event"] === "npx" || /[\\/]node_modules[\\/]\.bin[\\/]/.test(process.argv[1] ?? ""),
  node: process.execPath,
  folder: process.cwd(),
});

/** The line that goes on in a folder, with the command as it was called: not everybody has `rehearsal` on the path. */
export function nextCommand(folder: string, words: string, { script, byNpx, node, folder: here }: Call): string {
  const way = relative(here, resolve(here, folder));
  // npx finds what is installed in the folders above the one it is called in.
  const away = way.startsWith("..") || isAbsolute(way);
  const path = shellWord(relative(resolve(here, folder), script));
  const command = isInstalled(script) ? (byNpx ? "npx rehearsal" : "rehearsal") : `${byNpx ? "npx " : ""}node ${path}`;
  const cd = way === "" ? "" : `cd ${shellWord(folder)} && `;
  return `${cd}${byNpx && away ? `${shellWord(node)} ${shellWord(script)}` : command} ${words}`;
}

/** The same in the folder we are in. */
export const ownCommand = (...words: readonly string[]): string => nextCommand(".", words.join(" "), thisCall());

const isInstalled = (script: string): boolean =>
  basename(script) === "rehearsal" || /[\\/]node_modules[\\/]/.test(script);
