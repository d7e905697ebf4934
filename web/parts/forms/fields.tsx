import { useId, type ComponentProps, type ReactNode } from "react";
import { directionClass } from "../text/long-text.ts";
import { fieldProblemText, type FieldProblem } from "./field-problems.ts";

interface FieldAttributes {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

interface FieldFrameProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
  readonly className?: string;
  readonly children: (attributes: FieldAttributes) => ReactNode;
}

/** An input with a label above and a hint or error below. */
export function FieldFrame({ label, hint, problems = [], className = "", children }: FieldFrameProps) {
  const id = useId();
  const wrong = problems.length > 0;
  const note = wrong ? [...new Set(problems.map(fieldProblemText))].join("; ") : hint;
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

export interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange"> {
  readonly label: string;
  readonly hint?: string;
  readonly problems?: readonly FieldProblem[];
  readonly onText: (text: string) => void;
}

export function TextField({ label, hint, problems, onText, ...input }: TextFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} problems={problems}>
      {(attributes) => (
        <input
          dir="auto"
          {...input}
          {...attributes}
          className="field"
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </FieldFrame>
  );
}

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly problems?: readonly FieldProblem[];
  readonly placeholder?: string;
  readonly className?: string;
  readonly onText: (text: string) => void;
}

/** A text field that grows with its content. */
export function TextArea({ label, value, problems, placeholder, className = "", onText }: TextAreaProps) {
  return (
    <FieldFrame label={label} problems={problems} className={className}>
      {(attributes) => (
        <textarea
          {...attributes}
          className={`field field-sizing-content max-h-[60vh] min-h-10 ${directionClass(value)}`}
          dir="auto"
          rows={1}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </FieldFrame>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly problems?: readonly FieldProblem[];
  readonly onChoice: (id: string) => void;
}

export function SelectField({ label, value, options, problems, onChoice }: SelectFieldProps) {
  return (
    <FieldFrame label={label} problems={problems}>
      {(attributes) => (
        <select
          {...attributes}
          className="field min-h-8.5"
          value={value}
          onChange={(event) => onChoice(event.target.value)}
        >
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
