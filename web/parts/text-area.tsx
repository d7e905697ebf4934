import { FieldFrame } from "./field-frame.tsx";
import type { FieldProblem } from "./field-problems.ts";
import { directionClass } from "./long-text.ts";

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly problems?: readonly FieldProblem[];
  readonly placeholder?: string;
  readonly className?: string;
  readonly onText: (text: string) => void;
}

/** A field for a text of any length, which grows with it. */
export function TextArea({ label, value, problems, placeholder, className = "", onText }: TextAreaProps) {
  return (
    <FieldFrame label={label} problems={problems} className={className}>
      {(ties) => (
        <textarea
          {...ties}
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
