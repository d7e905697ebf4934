import { useState, type ReactNode } from "react";
import { previewJson } from "../runs/tool-calls.ts";
import { formatInteger } from "../text/format.ts";
import { FieldFrame } from "./fields.tsx";
import type { FieldProblem } from "./field-problems.ts";

interface JsonFieldProps {
  readonly label: string;
  /** Undefined: the field is empty. */
  readonly value: unknown;
  readonly problems?: readonly FieldProblem[];
  readonly placeholder?: string;
  readonly hint?: string;
  /** The field must not be empty. */
  readonly required?: boolean;
  /** Undefined when the field is emptied. */
  readonly onValue: (value: unknown) => void;
}

/** Longer JSON is not editable in a form: typing in it would be slow. */
const longestJson = 200_000;

/** A field for any JSON. Text that is not JSON yet stays in the field, marked, and keeps the form from being saved. */
export function JsonField({
  label,
  value,
  problems = [],
  placeholder,
  hint,
  required = false,
  onValue,
}: JsonFieldProps) {
  const written = value === undefined ? "" : indented(value);
  /** The text last typed here, and the JSON of the value at that time. */
  const [typed, setTyped] = useState({ text: written, basis: written });
  const parse = (text: string) => parseFieldText(text, required);
  const parsed = parse(typed.text);
  // The typed text stays as the user formatted it until the value changes elsewhere.
  const shown = (parsed.ok ? indented(parsed.value) : typed.basis) === written ? typed.text : written;
  const isUnparsed = !parse(shown).ok;
  const [first] = problems;
  const problem = { pointer: "", code: "invalid_json", message: "Not valid JSON yet" } as FieldProblem;

  if (written.length > longestJson) {
    return (
      <LargeValue label={label}>{`${formatInteger(written.length)} characters: too long to edit here.`}</LargeValue>
    );
  }
  return (
    <FieldFrame label={label} hint={hint} problems={isUnparsed ? [problem] : first ? problems : []}>
      {(attributes) => (
        <textarea
          {...attributes}
          data-unparsed={isUnparsed ? "" : undefined}
          className="field mono field-sizing-content max-h-80 min-h-8.5"
          spellCheck={false}
          rows={1}
          value={shown}
          placeholder={placeholder}
          onChange={(event) => {
            const { value: text } = event.target;
            const next = parse(text);
            setTyped({ text, basis: written });
            if (next.ok) onValue(next.value);
          }}
        />
      )}
    </FieldFrame>
  );
}

function LargeValue({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-1 text-sm">
      <span className="font-medium">{label}</span>
      <p className="text-soft">{children}</p>
    </div>
  );
}

/** Fields with text that is not JSON yet: the form must not be saved without them. */
export function findUnparsed(form: HTMLElement): HTMLElement | null {
  const field = form.querySelector<HTMLElement>("[data-unparsed]");
  for (let fold = field?.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
  return field;
}

/** Short values take one line. */
function indented(value: unknown): string {
  if (value === undefined) return "";
  const line = previewJson(value, 60);
  return line.endsWith("…") ? JSON.stringify(value, null, 2) : line;
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

function parseFieldText(text: string, required: boolean): Parsed {
  if (text.trim() === "") return required ? { ok: false } : { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
}
