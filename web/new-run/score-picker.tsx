import { namedScoreFacts } from "../../src/contract/schemas/scores/scores.data.ts";
import { TextField } from "../parts/forms/fields.tsx";
import type { FieldProblem } from "../parts/forms/field-problems.ts";

const builtIn: ReadonlySet<string> = new Set(namedScoreFacts.map(({ name }) => name));

interface ScorePickerProps {
  /** Names separated by commas; empty for the default set. */
  readonly value: string;
  readonly problems: readonly FieldProblem[];
  readonly onText: (text: string) => void;
}

/** Chooses the scores of a run. Those that the operator added to the service are typed. */
export function ScorePicker({ value, problems, onText }: ScorePickerProps) {
  const names = value.split(",").map((name) => name.trim());
  const chosen = names.filter((name) => builtIn.has(name));
  const others = value
    .split(",")
    .filter((name) => !builtIn.has(name.trim()))
    .join(",")
    .trimStart();
  const write = (known: readonly string[], rest: string): void =>
    onText([...known, ...(rest === "" ? [] : [rest])].join(", "));
  return (
    <fieldset className="grid gap-2 sm:col-span-2">
      <legend className="mb-1 text-sm font-medium">
        Scores <span className="font-normal text-soft">none chosen: the default set</span>
      </legend>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {namedScoreFacts.map(({ name, label, help }) => (
          <label key={name} className="flex items-baseline gap-2 text-sm">
            <input
              type="checkbox"
              className="self-center"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                write(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name), others)
              }
            />
            <span>
              {label} <span className="text-soft">{help}</span>
            </span>
          </label>
        ))}
      </div>
      <TextField
        label="Your own scores (comma separated)"
        placeholder="names of scorers added to the service"
        value={others}
        problems={problems}
        onText={(text) => write(chosen, text)}
      />
    </fieldset>
  );
}
