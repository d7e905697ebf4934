import type { ImportResult, Note } from "../../formats/scenario-file.ts";

type Read = Pick<ImportResult, "format" | "notes">;

const ownFormats: ReadonlySet<string> = new Set(["json", "jsonl", "yaml"]);
/** What is left out without changing what is asked or expected. */
const harmless = /^(unknown fields|settings of the run|the replies of attempts)/;

/** Notes that mean a scenario in our own format is broken. Other tools' files always lose something; ours should not. */
export function brokenScenarios({ format, notes }: Read): Note[] {
  if (!ownFormats.has(format)) return [];
  return notes.filter(({ kind, message }) => kind === "dropped" && !harmless.test(message));
}

/** The same with what misspelt fields may explain: a turn without a message often has one under another name. */
export function explainedBreaks(file: Read): Note[] {
  const broken = new Set(brokenScenarios(file));
  if (broken.size === 0) return [];
  return file.notes.filter((note) => broken.has(note) || note.message.startsWith("unknown fields"));
}
