import type { FieldError } from "../../contract/service-error.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";

/** One scenario may hold thousands of them. */
const mostPerScenario = 5;

interface UnusableNote {
  readonly kind: "unusable";
  readonly pointer: string;
  readonly message: string;
}

/** What of imported scenarios every run would be refused for. They are kept all the same: that of a file which cannot be run is no reason to lose it. */
export function unusableNotes(
  scenarios: readonly FileScenario[],
  problemsOf: (scenario: FileScenario) => readonly FieldError[],
): UnusableNote[] {
  return scenarios.flatMap((scenario, index) => {
    const problems = problemsOf(scenario);
    const more = problems.length > mostPerScenario ? ` (and ${problems.length - mostPerScenario} more)` : "";
    return problems.slice(0, mostPerScenario).map(({ pointer, message }, at, { length }) => ({
      kind: "unusable" as const,
      pointer: `/scenarios/${index}${pointer}`,
      message: `${message}${at === length - 1 ? more : ""}; until then no run takes scenario ${JSON.stringify(scenario.id)}`,
    }));
  });
}
