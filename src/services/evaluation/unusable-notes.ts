import type { FileScenario } from "../../formats/scenario-file.ts";
import { scenarioProblems, type ScenarioRules } from "../../runs/scenario-problems.ts";

/** One scenario may hold thousands of them. */
const mostPerScenario = 5;

export interface UnusableNote {
  readonly kind: "unusable";
  readonly pointer: string;
  readonly message: string;
}

/** What of imported scenarios every run would be refused for. They are kept all the same: that of a file which cannot be run is no reason to lose it. */
export function unusableNotes(
  scenarios: readonly FileScenario[],
  rules: Omit<ScenarioRules, "patient">,
): UnusableNote[] {
  const found = scenarioProblems(scenarios, { ...rules, patient: true });
  return scenarios.flatMap((scenario, index) => {
    const problems = found[index] ?? [];
    const more = problems.length > mostPerScenario ? ` (and ${problems.length - mostPerScenario} more)` : "";
    return problems.slice(0, mostPerScenario).map(({ pointer, message }, at, { length }) => ({
      kind: "unusable" as const,
      pointer: `/scenarios/${index}${pointer}`,
      message: `${message}${at === length - 1 ? more : ""}; until then no run takes scenario ${JSON.stringify(scenario.id)}`,
    }));
  });
}
