import type { ComponentProps } from "react";
import { FieldFrame } from "./field-frame.tsx";
import type { FieldProblem } from "./field-problems.ts";

export interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange"> {
  readonly label: string;
  readonly hint?: string;
  readonly problems?: readonly FieldProblem[];
  readonly onText: (text: string) => void;
}

/** A field for one line. */
export function TextField({ label, hint, problems, onText, ...input }: TextFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} problems={problems}>
      {(ties) => (
        <input dir="auto" {...input} {...ties} className="field" onChange={(event) => onText(event.target.value)} />
      )}
    </FieldFrame>
  );
}
