import type { ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import { thresholdOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";
import { formatScore } from "../parts/format.ts";
import { changeSearch } from "../parts/use-search-state.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";

interface SameTurnProps {
  readonly scenario: ScenarioResult;
  readonly index: number;
  readonly attempt: number;
  readonly open: boolean;
}

/** The replies of all attempts to this turn, one under the other. */
export function SameTurn({ scenario, index, attempt, open }: SameTurnProps) {
  const threshold = thresholdOf(scenario);
  const replies = scenario.attempts.flatMap((other) => {
    const turn = other.interactions.find((entry) => entry.turn_index === index);
    return turn ? [{ attempt: other.attempt, turn }] : [];
  });
  if (replies.length < 2) return null;
  return (
    <details
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) changeSearch({ across: open ? null : String(index + 1) });
      }}
    >
      <summary className="text-sm text-soft">Same turn in all {replies.length} attempts</summary>
      {open && (
        <ol className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-2">
          {replies.map((reply) => (
            <li key={reply.attempt} className="grid gap-0.5 rounded-md border border-line p-2 text-sm">
              <span className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
                <span className="font-medium text-ink">
                  Attempt {reply.attempt}
                  {reply.attempt === attempt && " (this one)"}
                </span>
                <OutcomeBadge outcome={turnOutcome(reply.turn, threshold)} />
                <span className="tabular-nums">overall {formatScore(reply.turn.scores["overall"])}</span>
              </span>
              <VerbatimText text={reply.turn.agent_reply} />
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
