import type { FileScenario } from "../../formats/scenario-file.ts";

/** What an evaluation would be made of. */
export interface Watched {
  readonly settings: string;
  /** What every scenario says, by id. */
  readonly scenarios: ReadonlyMap<string, string>;
}

export function fingerprint(settings: unknown, scenarios: readonly FileScenario[]): Watched {
  return {
    settings: JSON.stringify(settings),
    scenarios: new Map(scenarios.map((scenario) => [scenario.id, JSON.stringify(scenario)])),
  };
}

/** Ids that are new or say something else; all of them where the settings changed. */
export function changedScenarios(before: Watched | undefined, now: Watched): string[] {
  const ids = [...now.scenarios.keys()];
  if (before?.settings !== now.settings) return ids;
  return ids.filter((id) => before.scenarios.get(id) !== now.scenarios.get(id));
}
