import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { formatEffect } from "../parts/format-effect.ts";
import { formatScore } from "../parts/format.ts";
import { turnOutcome } from "../../src/contract/schemas/outcome.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import type { HistoryMode } from "./history-mode.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";

/** By the history of the turn it is shown under. */
const titles: Record<HistoryMode, string> = {
  own: "Same turn with the reference replies before it",
  reference: "Same turn with the model's own replies before it",
};

interface OtherHistoryProps {
  readonly turn: InteractionResult;
  readonly history: HistoryMode;
  readonly threshold: number;
  /** Overall score of the turn this is shown under. */
  readonly overall: number | undefined;
}

/** Whether a turn went wrong by itself, or because of what the model had said before. */
export function OtherHistory({ turn, history, threshold, overall }: OtherHistoryProps) {
  const score = turn.scores["overall"];
  return (
    <details>
      <summary className="text-sm text-soft">
        {titles[history]}: overall {formatScore(score)}
        {score !== undefined && overall !== undefined && ` (${formatEffect(score - overall)})`}
      </summary>
      <div className="mt-2 grid gap-1 rounded-md border border-line p-2 text-sm">
        <OutcomeBadge outcome={turnOutcome(turn, threshold)} />
        <VerbatimText text={turn.agent_reply} />
      </div>
    </details>
  );
}
