import { Check, Pencil, X } from "lucide-react";
import { useId, useRef } from "react";
import type { Decisions } from "../agent-api.ts";
import { isRecord } from "../../src/base/json.ts";
import type { OpenCall } from "./conversation.ts";
import { useEditedText } from "./use-edited-text.ts";

type Decision = Decisions[string];

interface ApprovalItemProps {
  readonly call: OpenCall;
  /** A name of the call that no other has. */
  readonly place: string;
  readonly decided: Decision | undefined;
  /** With null it is not decided any more. */
  readonly onDecide: (decision: Decision | null) => void;
}

/** One call: what it would do, and whether it may, as it is or with other arguments. */
export function ApprovalItem({ call, place, decided, onDecide }: ApprovalItemProps) {
  const [draft, setDraft] = useEditedText(place);
  /** Set when editing begins here: what was being edited before the screen was left takes nobody's focus. */
  const beginning = useRef(false);
  const changed = draft === null ? null : readArguments(draft);
  const id = useId();
  const written = JSON.stringify(call.args, null, 2);
  /** What was decided about other arguments does not hold for these. */
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
            {decided === "deny" ? "✕ refused" : "✓ approved"}, sent when all are decided
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
              ✕ must be a JSON object
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
          <Check aria-hidden size={14} /> Approve{draft !== null && " with these"}
        </button>
        <button
          type="button"
          className="button button-danger"
          aria-pressed={decided === "deny"}
          onClick={() => onDecide("deny")}
        >
          <X aria-hidden size={14} /> Refuse
        </button>
        <button
          type="button"
          className="button button-quiet"
          onClick={() => {
            beginning.current = true;
            change(draft === null ? written : null);
          }}
        >
          <Pencil aria-hidden size={14} /> {draft === null ? "Change arguments" : "Undo changes"}
        </button>
      </span>
    </li>
  );
}

function readArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
