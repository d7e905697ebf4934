import type { FieldProblem } from "../parts/field-problems.ts";
import { TextField, type TextFieldProps } from "../parts/text-field.tsx";
import { problemsOf } from "./field-places.ts";
import type { RunDraft } from "./run-draft.ts";

/** The form: what was typed, how to change it, and what the service said about it. */
export interface DraftForm {
  readonly draft: RunDraft;
  readonly onChange: (changes: Partial<RunDraft>) => void;
  readonly problems: readonly FieldProblem[];
}

interface DraftFieldProps extends Omit<TextFieldProps, "value" | "problems" | "onText" | "name" | "form"> {
  readonly form: DraftForm;
  readonly name: keyof RunDraft;
}

/** One line of the draft. */
export function DraftField({ form: { draft, onChange, problems }, name, ...field }: DraftFieldProps) {
  return (
    <TextField
      {...field}
      value={draft[name]}
      problems={problemsOf(problems, name)}
      onText={(text) => onChange({ [name]: text })}
    />
  );
}
