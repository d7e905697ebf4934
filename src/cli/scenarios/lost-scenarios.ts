import type { Note } from "../../formats/scenario-file.ts";
import type { ScenarioFile } from "./read-scenarios.ts";

const ownFormats: ReadonlySet<string> = new Set(["json", "jsonl", "yaml"]);
/** What is left out without changing what is asked or expected. */
const harmless = /^(unknown fields|settings of the run|the replies of attempts)/;

/** Notes that mean a scenario in our own format is broken. Other tools' files always lose something; ours should not. */
export function brokenScenarios({ format, notes }: ScenarioFile): Note[] {
  if (!ownFormats.has(format)) return [];
  return notes.filter(({ kind, message }) => kind === "dropped" && !harmless.test(message));
}
