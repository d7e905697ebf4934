import { formatCount } from "../parts/format.ts";
import { DraftField, type DraftForm } from "./draft-field.tsx";
import { countTurns, parseScenarios } from "./parse-scenarios.ts";
import type { RunDraft } from "./run-draft.ts";

/** How the run is called and how often each scenario is played. */
export function RunFields({ form }: { form: DraftForm }) {
  return (
    <fieldset className="panel grid gap-3 p-4 sm:grid-cols-2">
      <legend className="sr-only">Run</legend>
      <DraftField form={form} name="name" label="Test name (optional)" placeholder="the scenario's id" />
      <DraftField
        form={form}
        name="attempts"
        label="Attempts"
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        hint={turnCount(form.draft)}
      />
    </fieldset>
  );
}

/** How many turns the run will have. How many calls they take depends on more than that: the estimate tells. */
function turnCount({ scenarios: text, attempts }: RunDraft): string {
  const parsed = parseScenarios(text);
  const times = Number(attempts);
  const repeat = "One attempt shows a reply; five or more show whether it is stable.";
  if (parsed.kind !== "parsed" || !Number.isInteger(times) || times < 1) return repeat;
  const { scenarios, turns } = countTurns(parsed.batch);
  return `${formatCount(scenarios, "scenario")}, ${formatCount(turns, "turn")} × ${times} = ${formatCount(turns * times, "turn")}. ${repeat}`;
}
