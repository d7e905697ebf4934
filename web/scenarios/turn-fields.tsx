import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { formatValue } from "../parts/text/format.ts";
import { focusAddButton } from "../parts/browser/focus.ts";
import { TextArea, TextField } from "../parts/forms/fields.tsx";
import { ReferenceCalls, type KnownTool } from "./call-fields.tsx";
import { CheckFields } from "./check-fields.tsx";
import { parseLabel, type EditedLabel, type EditedTurn } from "./edited-scenario.ts";
import { RemoveButton } from "./value-fields.tsx";

interface TurnFieldsProps {
  readonly turn: EditedTurn;
  readonly index: number;
  readonly count: number;
  /** False for the only turn of a scenario without a simulated user. */
  readonly removable: boolean;
  /** Pointers are relative to the turn. */
  readonly problems: readonly FieldProblem[];
  /** The tools of the scenario's world. */
  readonly tools: readonly KnownTool[];
  readonly onChange: (changes: Partial<EditedTurn>) => void;
  readonly onMove: (step: 1 | -1) => void;
  readonly onRemove: () => void;
}

/** One turn as a card: message, reference, tool calls, labels and checks. */
export function TurnFields({
  turn,
  index,
  count,
  removable,
  problems,
  tools,
  onChange,
  onMove,
  onRemove,
}: TurnFieldsProps) {
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
      <ReferenceCalls
        calls={turn.reference_tool_calls ?? null}
        tools={tools}
        problems={problems}
        onChange={(reference_tool_calls) => onChange({ reference_tool_calls })}
      />
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
          <RemoveButton
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
