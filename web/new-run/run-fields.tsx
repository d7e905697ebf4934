import { formatCount } from "../parts/format.ts";
import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { countTurns, parseScenarios } from "./parse-scenarios.ts";
import type { RunDraft } from "./run-draft.ts";
import { TextField } from "../parts/text-field.tsx";

interface RunFieldsProps {
  readonly draft: RunDraft;
  readonly onChange: (changes: Partial<RunDraft>) => void;
  readonly problems: readonly FieldProblem[];
}

/** How the run is called and how often each scenario is played. */
export function RunFields({ draft, onChange, problems }: RunFieldsProps) {
  return (
    <fieldset className="panel grid gap-3 p-4 sm:grid-cols-2">
      <legend className="sr-only">Run</legend>
      <TextField
        label="Test name (optional)"
        placeholder="the scenario's id"
        value={draft.name}
        problems={problemsAt(problems, "/test_name")}
        onText={(name) => onChange({ name })}
      />
      <TextField
        label="Attempts"
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        value={draft.attempts}
        hint={callCount(draft)}
        problems={problemsAt(problems, "/attempts")}
        onText={(attempts) => onChange({ attempts })}
      />
    </fieldset>
  );
}

/** What the run will cost in model calls, before the first one is made. */
function callCount({ scenarios: text, attempts }: RunDraft): string {
  const parsed = parseScenarios(text);
  const times = Number(attempts);
  const repeat = "One attempt shows a reply; five or more show whether it is stable.";
  if (parsed.kind !== "parsed" || !Number.isInteger(times) || times < 1) return repeat;
  const { scenarios, turns } = countTurns(parsed.batch);
  return `${formatCount(scenarios, "scenario")}, ${formatCount(turns, "turn")} × ${times} = ${formatCount(turns * times, "model call")}. ${repeat}`;
}
