import type { SourceOptions } from "./options.ts";
import { shellWord } from "./shell-word.ts";

/** The options by which a command found its runs, to be typed again by whoever goes on with one of them. */
export const wordsWhere = ({ server, dataDir, envFile = [] }: SourceOptions): readonly string[] =>
  toWords([["--server", server], ["--data-dir", dataDir], ...envFile.map((file) => ["--env", file] as const)]);

/** Options with their values; those without one are left out. */
export const toWords = (given: readonly (readonly [option: string, value: string | number | undefined])[]): string[] =>
  given.flatMap(([option, value]) => (value === undefined ? [] : [option, shellWord(`${value}`)]));
