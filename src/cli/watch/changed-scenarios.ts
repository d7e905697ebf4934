import type { FileScenario } from "../../formats/scenario-file.ts";

/** What every scenario says, by id. */
export function fingerprints(scenarios: readonly FileScenario[]): Map<string, string> {
  return new Map(scenarios.map((scenario) => [scenario.id, JSON.stringify(scenario)]));
}

/** Ids that are new or say something else. When nothing differs the configuration changed, and then all are meant. */
export function changedScenarios(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const changed = [...now].filter(([id, content]) => before.get(id) !== content).map(([id]) => id);
  const removed = [...before.keys()].some((id) => !now.has(id));
  return changed.length > 0 || removed ? changed : [...now.keys()];
}
