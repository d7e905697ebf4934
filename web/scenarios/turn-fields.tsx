import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";
import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { leaveRow } from "../parts/leave-row.ts";
import { TextArea } from "../parts/text-area.tsx";
import { TextField } from "../parts/text-field.tsx";
import { CheckFields } from "./check-fields.tsx";
import { LabelFields } from "./label-fields.tsx";
import type { TurnDraft } from "./scenario-draft.ts";

interface TurnFieldsProps {
  readonly turn: TurnDraft;
  readonly index: number;
  readonly count: number;
  /** Those of this turn, with pointers from the turn on. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (changes: Partial<TurnDraft>) => void;
  readonly onMove: (step: 1 | -1) => void;
  readonly onRemove: () => void;
}

/** One turn as a card: what the user says, what is expected, its labels and its checks. */
export function TurnFields({ turn, index, count, problems, onChange, onMove, onRemove }: TurnFieldsProps) {
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
          disabled={count === 1}
          onClick={(event) => {
            leaveRow(event.currentTarget);
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
        placeholder="What a good reply says. Empty: the reply is not compared."
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
