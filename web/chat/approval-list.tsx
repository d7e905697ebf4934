import { ShieldQuestion } from "lucide-react";
import { useState } from "react";
import type { Decisions } from "../agent-api.ts";
import { formatCount } from "../parts/format.ts";
import { ApprovalItem } from "./approval-item.tsx";
import type { OpenCall, PlainFailure } from "./conversation.ts";
import { PlainFailureText } from "./plain-failure-text.tsx";

interface ApprovalListProps {
  readonly calls: readonly OpenCall[];
  /** A name of these calls that no others have: a run may number those of each step anew. */
  readonly place: string;
  readonly refusal: PlainFailure | undefined;
  readonly onDecide: (decisions: Decisions) => void;
}

/** Tool calls that wait for a person. The run goes on as soon as all of them are decided about. */
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
          <PlainFailureText failure={refusal} />
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
