import { useId } from "react";
import type { FieldProblem } from "../parts/field-problems.ts";

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly problems: readonly FieldProblem[];
  readonly placeholder?: string;
  readonly onText: (text: string) => void;
}

/** A field for a text of any length, which grows with it. */
export function TextArea({ label, value, problems, placeholder, onText }: TextAreaProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-1">
      <label htmlFor={id} className="text-xs font-semibold text-soft">
        {label}
      </label>
      <textarea
        id={id}
        className="field field-sizing-content min-h-10"
        rows={2}
        value={value}
        placeholder={placeholder}
        aria-invalid={problems.length > 0}
        aria-describedby={problems.length > 0 ? `${id}-note` : undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {problems.length > 0 && (
        <p id={`${id}-note`} className="text-xs font-medium text-bad">
          ✕ {problems.map((problem) => problem.message).join("; ")}
        </p>
      )}
    </div>
  );
}
