import { Check, Pencil, ShieldQuestion, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { isRecord } from "../../src/base/json.ts";
import type { Decisions } from "../api/agent.ts";
import { FailureText } from "../parts/screen/notices.tsx";
import { formatCount } from "../parts/text/format.ts";
import type { OpenCall, AnswerFailureDetails } from "./conversation.ts";
import { useEditedText } from "./drafts.ts";

interface ApprovalListProps {
  readonly calls: readonly OpenCall[];
  /** Identifies this set of calls: some providers reuse call ids in every step. */
  readonly place: string;
  readonly refusal: AnswerFailureDetails | undefined;
  readonly onDecide: (decisions: Decisions) => void;
}

/** Tool calls that wait for approval. The run resumes when all are decided. */
export function ApprovalList({ calls, place, refusal, onDecide }: ApprovalListProps) {
  const [decisions, setDecisions] = useState<Decisions>({});
  const decide = (id: string, decision: Decisions[string] | null): void => {
    const { [id]: _, ...others } = decisions;
    const next = decision === null ? others : { ...others, [id]: decision };
    setDecisions(next);
    if (calls.every((call) => call.id in next)) onDecide(next);
  };
  const open = calls.filter((call) => !(call.id in decisions)).length;
  return (
    <section
      aria-label="Waiting for approval"
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-md border border-warn bg-warn-ground p-3 text-sm"
    >
      <p role="status" className="flex items-center gap-1.5 font-semibold text-warn">
        <ShieldQuestion aria-hidden size={15} className="shrink-0" />
        {formatCount(open, "tool call waits", "tool calls wait")} for your approval
      </p>
      {refusal && (
        <div role="alert" className="grid gap-1">
          <FailureText failure={refusal} />
        </div>
      )}
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {calls.map((call) => (
          <ApprovalItem
            key={call.id}
            call={call}
            place={`${place} ${call.id}`}
            decided={decisions[call.id]}
            onDecide={(decision) => decide(call.id, decision)}
          />
        ))}
      </ul>
    </section>
  );
}

type DecisionOnCall = Decisions[string];

interface ApprovalItemProps {
  readonly call: OpenCall;
  /** Identifies the call. */
  readonly place: string;
  readonly decided: DecisionOnCall | undefined;
  /** Null withdraws the decision. */
  readonly onDecide: (decision: DecisionOnCall | null) => void;
}

/** One call, to be approved, approved with other arguments, or denied. */
function ApprovalItem({ call, place, decided, onDecide }: ApprovalItemProps) {
  const [draft, setDraft] = useEditedText(place);
  /** Set when editing starts, so that a restored draft does not take the focus. */
  const beginning = useRef(false);
  const changed = draft === null ? null : readEditedArguments(draft);
  const id = useId();
  const written = JSON.stringify(call.args, null, 2);
  /** A decision does not apply to changed arguments. */
  const change = (text: string | null): void => {
    setDraft(text);
    if (decided !== undefined) onDecide(null);
  };
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md border border-line bg-surface p-3">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="verbatim font-medium">{call.name}</span>
        {decided !== undefined && (
          <span className="text-xs text-soft">
            {decided === "deny" ? "✕ denied" : "✓ approved"}, sent when all are decided
          </span>
        )}
      </span>
      {draft === null ? (
        <pre className="mono verbatim rounded bg-sunken p-2">{written}</pre>
      ) : (
        <>
          <textarea
            autoFocus={beginning.current}
            aria-label={`Arguments of ${call.name}`}
            aria-invalid={changed === null}
            aria-describedby={changed === null ? id : undefined}
            className="field mono field-sizing-content"
            value={draft}
            onChange={(event) => change(event.target.value)}
          />
          {changed === null && (
            <p id={id} className="text-xs font-medium text-bad">
              ✕ Must be a JSON object
            </p>
          )}
        </>
      )}
      <span className="flex flex-wrap gap-2">
        <button
          type="button"
          className="button button-primary"
          aria-pressed={decided !== undefined && decided !== "deny"}
          disabled={draft !== null && changed === null}
          onClick={() => onDecide(changed ? { args: changed } : "approve")}
        >
          <Check aria-hidden size={14} /> Approve{draft !== null && " with changes"}
        </button>
        <button
          type="button"
          className="button button-danger"
          aria-pressed={decided === "deny"}
          onClick={() => onDecide("deny")}
        >
          <X aria-hidden size={14} /> Deny
        </button>
        <button
          type="button"
          className="button button-quiet"
          onClick={() => {
            beginning.current = true;
            change(draft === null ? written : null);
          }}
        >
          <Pencil aria-hidden size={14} /> {draft === null ? "Edit arguments" : "Undo changes"}
        </button>
      </span>
    </li>
  );
}

function readEditedArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
