import { errorLine } from "./error-line.ts";

/** The folders before the name of a file, in paths from the root and in `file:` addresses; no part of any other address. */
const folders = /(?<![\w.:/\\-])(?:file:\/\/)?(?:[a-z]:)?[\\/](?:[^\\/\s'"`:()]+[\\/])+/giu;

/** What an error says, for whoever reads results: of this machine's files they learn the name, not where they lie. */
export function toldError(error: unknown): string {
  return errorLine(error).replace(folders, "");
}
