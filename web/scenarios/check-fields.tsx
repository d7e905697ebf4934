import { Plus } from "lucide-react";
import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { FieldFrame } from "../parts/field-frame.tsx";
import { TextArea } from "../parts/text-area.tsx";
import { RemoveRow } from "./remove-row.tsx";
import type { CheckDraft } from "./scenario-draft.ts";

interface CheckFieldsProps {
  readonly checks: readonly CheckDraft[];
  /** With pointers from the turn on. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (checks: readonly CheckDraft[]) => void;
}

/** What the reply to one turn is checked for. The usual kinds have a field; the others are shown, and changed in the JSON. */
export function CheckFields({ checks, problems, onChange }: CheckFieldsProps) {
  const add = (type: string): void => onChange([...checks, { type, text: "" }]);
  return (
    <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <span className="text-sm font-medium">Checks</span>
      {checks.map((check, index) => (
        <div key={index} className="flex items-end gap-1">
          <CheckField
            check={check}
            number={index + 1}
            problems={problemsAt(problems, `/checks/${index}/text`)}
            onText={(text) => onChange(checks.with(index, { ...check, text }))}
          />
          <RemoveRow
            label={`Remove check ${index + 1}`}
            last={index === checks.length - 1}
            onRemove={() => onChange(checks.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div className="flex flex-wrap gap-1">
        <button type="button" data-add="" className="button button-quiet" onClick={() => add("contains")}>
          <Plus aria-hidden size={14} /> Text it must contain
        </button>
        <button type="button" className="button button-quiet" onClick={() => add("rubric")}>
          <Plus aria-hidden size={14} /> Question for the judge
        </button>
      </div>
    </div>
  );
}

interface CheckFieldProps {
  readonly check: CheckDraft;
  readonly number: number;
  readonly problems: readonly FieldProblem[];
  readonly onText: (text: string) => void;
}

function CheckField({ check, number, problems, onText }: CheckFieldProps) {
  const label = labelOf(check);
  if (label === null) {
    return (
      <FieldFrame label={`Check ${number}, changed in the JSON`} problems={problems} className="min-w-0 grow">
        {(ties) => (
          <textarea
            {...ties}
            className="field verbatim field-sizing-content"
            readOnly
            rows={1}
            value={JSON.stringify(check)}
          />
        )}
      </FieldFrame>
    );
  }
  return (
    <TextArea
      label={`Check ${number}: ${label}`}
      value={String(check["text"])}
      problems={problems}
      className="min-w-0 grow"
      onText={onText}
    />
  );
}

/** What the field for its text is called; null where a text does not say all of it. */
function labelOf({ type, text, choices, mode = "all" }: CheckDraft): string | null {
  if (typeof text !== "string" || choices !== undefined) return null;
  if (type === "rubric") return "the judge is asked";
  if (type !== "contains") return null;
  return mode === "none" ? "the reply does not contain" : "the reply contains";
}
