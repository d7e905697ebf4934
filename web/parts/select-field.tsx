import { FieldFrame } from "./field-frame.tsx";
import type { FieldProblem } from "./field-problems.ts";

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly problems?: readonly FieldProblem[];
  readonly onChoice: (id: string) => void;
}

/** A field with a few fixed answers. */
export function SelectField({ label, value, options, problems, onChoice }: SelectFieldProps) {
  return (
    <FieldFrame label={label} problems={problems}>
      {(ties) => (
        <select {...ties} className="field min-h-8.5" value={value} onChange={(event) => onChoice(event.target.value)}>
          {options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
