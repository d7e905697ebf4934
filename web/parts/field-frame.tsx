import { useId, type ReactNode } from "react";
import type { FieldProblem } from "./field-problems.ts";
import { problemWords } from "./problem-words.ts";

/** What ties an input to its label and note. */
interface FieldTies {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

interface FieldFrameProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
  readonly className?: string;
  readonly children: (ties: FieldTies) => ReactNode;
}

/** A label above an input, and below it a hint or what the service said about it. */
export function FieldFrame({ label, hint, problems = [], className = "", children }: FieldFrameProps) {
  const id = useId();
  const wrong = problems.length > 0;
  const note = wrong ? [...new Set(problems.map(problemWords))].join("; ") : hint;
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] content-start gap-1 ${className}`}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-invalid": wrong, "aria-describedby": note ? `${id}-note` : undefined })}
      {note && (
        <p id={`${id}-note`} className={`text-xs ${wrong ? "font-medium text-bad" : "text-soft"}`}>
          {wrong && "✕ "}
          {note}
        </p>
      )}
    </div>
  );
}
