import { memo } from "react";
import type { ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { thresholdOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { TextPane } from "../parts/text-pane.tsx";
import { changeSearch } from "../parts/use-search-state.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import { belowWords } from "./below-words.ts";
import { ConflictList } from "./conflict-list.tsx";
import type { HistoryMode } from "./history-mode.ts";
import { JudgementList } from "./judgement-list.tsx";
import { LabelList } from "./label-list.tsx";
import { OtherHistory } from "./other-history.tsx";
import { OtherReferences } from "./other-references.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { ReplyComparison } from "./reply-comparison.tsx";
import { SameTurn } from "./same-turn.tsx";
import { ScoreList } from "./score-list.tsx";
import { TurnError } from "./turn-error.tsx";
import { TurnFacts } from "./turn-facts.tsx";
import type { ViewMode } from "./view-mode.ts";

interface TurnCardProps {
  readonly turn: InteractionResult;
  readonly scenario: ScenarioResult;
  readonly attempt: number;
  readonly mode: ViewMode;
  readonly current: boolean;
  readonly across: boolean;
  /** The same turn with the other history, where it was tried. */
  readonly other: InteractionResult | null;
  readonly history: HistoryMode;
}

/** One turn: what the user said, what was expected, what came, and what it is worth. */
export const TurnCard = memo(function TurnCard({
  turn,
  scenario,
  attempt,
  mode,
  current,
  across,
  other,
  history,
}: TurnCardProps) {
  const number = turn.turn_index + 1;
  const threshold = thresholdOf(scenario);
  const outcome = turnOutcome(turn, threshold);
  return (
    <article
      aria-label={`Turn ${number}`}
      aria-current={current ? "step" : undefined}
      className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 aria-[current=step]:border-accent aria-[current=step]:ring-1 aria-[current=step]:ring-accent"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-sm font-semibold">
          <button type="button" className="cursor-pointer" onClick={() => changeSearch({ turn: String(number) })}>
            Turn {number}
          </button>
        </h2>
        <OutcomeBadge outcome={outcome} />
        {outcome === "failed" && (
          <span className="text-xs text-bad">{belowWords(turn.scores["overall"] ?? 0, threshold)}</span>
        )}
        <span className="verbatim text-xs text-soft">
          {turn.id} · {turn.interaction_type}
        </span>
        <span className="ml-auto">{!turn.error && <CopyButton text={turn.agent_reply} label="Copy reply" />}</span>
      </header>
      <div className="grid gap-1 rounded-md bg-accent-ground p-3">
        <h3 className="text-xs font-semibold text-soft">User</h3>
        <VerbatimText text={turn.user_message} />
      </div>
      {turn.error ? (
        <>
          <TurnError error={turn.error} reply={turn.agent_reply} />
          {turn.reference_reply !== "" && (
            <TextPane title="Reference">
              <VerbatimText text={turn.reference_reply} />
            </TextPane>
          )}
        </>
      ) : (
        <ReplyComparison reference={turn.reference_reply} reply={turn.agent_reply} mode={mode} />
      )}
      <ConflictList conflicts={turn.conflicts ?? []} />
      <OtherReferences references={turn.references ?? []} />
      <TurnFacts turn={turn} />
      <LabelList turn={turn} />
      <ScoreList turn={turn} />
      <JudgementList title="Judge" judgements={turn.judgements ?? {}} />
      {other && <OtherHistory turn={other} history={history} threshold={threshold} overall={turn.scores["overall"]} />}
      <SameTurn scenario={scenario} index={turn.turn_index} attempt={attempt} open={across} />
    </article>
  );
});
