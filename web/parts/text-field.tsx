import { useId, type InputHTMLAttributes } from "react";
import type { FieldProblem } from "./field-problems.ts";

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  readonly label: string;
  readonly hint?: string;
  readonly problems?: readonly FieldProblem[];
  readonly onText: (text: string) => void;
}

/** An input with its label, hint and what the service said about it. */
export function TextField({ label, hint, problems = [], onText, ...input }: TextFieldProps) {
  const id = useId();
  const note = problems.length > 0 ? problems.map((problem) => problem.message).join("; ") : hint;
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        className="field"
        aria-invalid={problems.length > 0}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {note && (
        <p id={`${id}-note`} className={`text-xs ${problems.length > 0 ? "font-medium text-bad" : "text-soft"}`}>
          {problems.length > 0 && "✕ "}
          {note}
        </p>
      )}
    </div>
  );
}
