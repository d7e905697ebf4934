import type { ScorerSetting } from "../../../contract/schemas/scorer-setting.ts";

/** Characters of patterns that are made ready in no time, whatever they are. Most requests have fewer. */
const quickCharacters = 500;

/** Whether the checks of a list are made ready in no time. A schema, or a repetition in a pattern, can make that take minutes. */
export function areQuicklyReady(settings: readonly ScorerSetting[]): boolean {
  let characters = 0;
  for (const setting of settings) {
    if (typeof setting === "string") continue;
    if (setting.type === "json_schema") return false;
    if (setting.type === "regex") characters += setting.pattern.length;
  }
  return characters <= quickCharacters;
}
