import type { FileScenario, Note } from "../../../formats/scenario-file.ts";
import { scenarioProblems, type ScenarioRules } from "../../../runs/plan/batch-problems.ts";

/** A file of three megabytes may produce a hundred megabytes of notes. */
const mostNotes = 1_000;

/** The first notes on a file, followed by a note with the number left out. */
export function capNotes<Listed extends Note | UnusableNote>(notes: readonly Listed[]): (Listed | Note)[] {
  if (notes.length <= mostNotes) return [...notes];
  const rest: Note = { kind: "changed", message: `and ${notes.length - mostNotes} more notes that are not listed` };
  return [...notes.slice(0, mostNotes), rest];
}

/** A single scenario may have thousands of problems. */
const mostPerScenario = 5;

export interface UnusableNote {
  readonly kind: "unusable";
  readonly pointer: string;
  readonly message: string;
}

/** Notes on imported scenarios that every run would refuse. They are imported anyway, so that nothing is lost. */
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
      message: `${message}${at === length - 1 ? more : ""}; until this is fixed, runs refuse scenario ${JSON.stringify(scenario.id)}`,
    }));
  });
}
