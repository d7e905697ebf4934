import { ArrowDown, ArrowUp, Plus, Trash2, X } from "lucide-react";
import { FieldFrame } from "../parts/forms/fields.tsx";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { formatValue } from "../parts/text/format.ts";
import { focusAddButton } from "../parts/browser/focus.ts";
import { TextArea } from "../parts/forms/fields.tsx";
import { TextField } from "../parts/forms/fields.tsx";
import { parseLabel, type EditedCheck, type EditedLabel, type EditedTurn } from "./edited-scenario.ts";

interface TurnFieldsProps {
  readonly turn: EditedTurn;
  readonly index: number;
  readonly count: number;
  /** False for the only turn of a scenario without a simulated user. */
  readonly removable: boolean;
  /** Pointers are relative to the turn. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (changes: Partial<EditedTurn>) => void;
  readonly onMove: (step: 1 | -1) => void;
  readonly onRemove: () => void;
}

/** One turn as a card: message, reference, labels and checks. */
export function TurnFields({ turn, index, count, removable, problems, onChange, onMove, onRemove }: TurnFieldsProps) {
  const number = index + 1;
  return (
    <fieldset className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <legend className="sr-only">Turn {number}</legend>
      <div className="flex items-center gap-1">
        <span aria-hidden className="mr-auto text-sm font-semibold">
          Turn {number}
        </span>
        <button
          type="button"
          className="button button-quiet"
          aria-label={`Move turn ${number} up`}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        >
          <ArrowUp aria-hidden size={14} />
        </button>
        <button
          type="button"
          className="button button-quiet"
          aria-label={`Move turn ${number} down`}
          disabled={number === count}
          onClick={() => onMove(1)}
        >
          <ArrowDown aria-hidden size={14} />
        </button>
        <button
          type="button"
          className="button button-quiet"
          aria-label={`Remove turn ${number}`}
          disabled={!removable}
          onClick={(event) => {
            focusAddButton(event.currentTarget);
            onRemove();
          }}
        >
          <Trash2 aria-hidden size={14} />
        </button>
      </div>
      <TextArea
        label="User message"
        value={turn.user_message}
        problems={problemsAt(problems, "/user_message")}
        onText={(user_message) => onChange({ user_message })}
      />
      <TextArea
        label="Reference reply"
        placeholder="What a good reply says. Leave blank to skip the comparison."
        value={turn.reference_reply}
        problems={problemsAt(problems, "/reference_reply")}
        onText={(reference_reply) => onChange({ reference_reply })}
      />
      {turn.references.map((reference, place) => (
        <TextArea
          key={place}
          label={`Also acceptable ${place + 1}`}
          value={reference}
          problems={problemsAt(problems, `/references/${place}`)}
          onText={(text) =>
            onChange({
              references: text === "" ? turn.references.toSpliced(place, 1) : turn.references.with(place, text),
            })
          }
        />
      ))}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <TextField
          label="Turn id"
          value={turn.id}
          problems={problemsAt(problems, "/id")}
          onText={(id) => onChange({ id })}
        />
        <TextField
          label="Type (optional)"
          placeholder={index === 0 ? "opening" : "follow_up"}
          value={turn.interaction_type}
          problems={problemsAt(problems, "/interaction_type")}
          onText={(interaction_type) => onChange({ interaction_type })}
        />
      </div>
      <LabelFields labels={turn.labels} onChange={(labels) => onChange({ labels })} />
      <CheckFields checks={turn.checks} problems={problems} onChange={(checks) => onChange({ checks })} />
    </fieldset>
  );
}

interface CheckFieldsProps {
  readonly checks: readonly EditedCheck[];
  /** Pointers are relative to the turn. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (checks: readonly EditedCheck[]) => void;
}

/** The checks of a turn. Common kinds have a field; others are read-only here and edited in the JSON. */
function CheckFields({ checks, problems, onChange }: CheckFieldsProps) {
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
  readonly check: EditedCheck;
  readonly number: number;
  readonly problems: readonly FieldProblem[];
  readonly onText: (text: string) => void;
}

function CheckField({ check, number, problems, onText }: CheckFieldProps) {
  const label = labelOf(check);
  if (label === null) {
    return (
      <FieldFrame label={`Check ${number}, edited in the JSON`} problems={problems} className="min-w-0 grow">
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

/** The label of a check's text field; null for a check that has more than a text. */
function labelOf({ type, text, choices, mode = "all" }: EditedCheck): string | null {
  if (typeof text !== "string" || choices !== undefined) return null;
  if (type === "rubric") return "the judge is asked";
  if (type !== "contains") return null;
  return mode === "none" ? "the reply does not contain" : "the reply contains";
}

interface LabelFieldsProps {
  readonly labels: readonly EditedLabel[];
  readonly onChange: (labels: readonly EditedLabel[]) => void;
}

/** Expected labels, such as intent and sentiment. */
function LabelFields({ labels, onChange }: LabelFieldsProps) {
  const change = (index: number, changes: Partial<EditedLabel>): void =>
    onChange(labels.map((label, other) => (other === index ? { ...label, ...changes } : label)));
  return (
    <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <span className="text-sm font-medium">Labels</span>
      {labels.map((label, index) => (
        <div key={index} className="flex items-center gap-1">
          <input
            className="field max-w-40"
            aria-label={`Label ${index + 1}, name`}
            placeholder="intent"
            value={label.key}
            onChange={(event) => change(index, { key: event.target.value })}
          />
          <input
            className="field"
            aria-label={`Label ${index + 1}, value`}
            placeholder="refund"
            value={formatValue(label.value)}
            onChange={(event) => change(index, { value: parseLabel(event.target.value, label.value) })}
          />
          <RemoveRow
            label={`Remove label ${label.key || index + 1}`}
            last={index === labels.length - 1}
            onRemove={() => onChange(labels.toSpliced(index, 1))}
          />
        </div>
      ))}
      <button
        type="button"
        data-add=""
        className="button button-quiet justify-self-start"
        onClick={() => onChange([...labels, { key: "", value: "" }])}
      >
        <Plus aria-hidden size={14} /> Label
      </button>
    </div>
  );
}

interface RemoveRowProps {
  readonly label: string;
  /** Another row moves up and keeps the focus, unless this is the last one. */
  readonly last: boolean;
  readonly onRemove: () => void;
}

function RemoveRow({ label, last, onRemove }: RemoveRowProps) {
  return (
    <button
      type="button"
      className="button button-quiet"
      aria-label={label}
      onClick={(event) => {
        if (last) focusAddButton(event.currentTarget);
        onRemove();
      }}
    >
      <X aria-hidden size={14} />
    </button>
  );
}
