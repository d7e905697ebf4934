import { ChevronDown, ChevronRight, CircleAlert, TriangleAlert } from "lucide-react";
import { memo } from "react";
import type { ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { Conflict, InteractionError, InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { similarityOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { errorText } from "../api/api-error.ts";
import {
  formatCount,
  formatDuration,
  formatEffect,
  formatInteger,
  formatMoney,
  formatScore,
} from "../parts/text/format.ts";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { countWrongCalls } from "../parts/runs/tool-calls.ts";
import { changeSearch } from "../parts/address/search-state.ts";
import { headText } from "../parts/text/long-text.ts";
import { JudgeReply } from "../review/judge-reply.tsx";
import { AcrossRuns } from "./across-runs.tsx";
import { ContextList } from "./context-list.tsx";
import { outcomeInAttempt, whyFailed } from "./failures.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { ReplyComparison } from "./reply-comparison.tsx";
import { marksOf } from "./reply-marks.ts";
import { CallLines, ToolCalls } from "./tool-calls.tsx";
import type { HistoryMode, ViewMode } from "./transcript-modes.ts";
import { TurnTimeline } from "./turn-timeline.tsx";
import { UserTurnNote } from "./simulated-user.tsx";
import { JudgementList, LabelList, ScoreList } from "./turn-scores.tsx";

interface TurnCardProps {
  readonly run: Run;
  readonly turn: InteractionResult;
  readonly scenario: ScenarioResult;
  readonly attempt: number;
  readonly mode: ViewMode;
  readonly current: boolean;
  readonly across: boolean;
  /** Shows the replies of other runs to this turn. */
  readonly beside: boolean;
  /** The same turn with the other history, if there is one. */
  readonly other: InteractionResult | null;
  readonly history: HistoryMode;
  readonly folded: boolean;
  /** Folds or unfolds the turn; null for a turn that is always open. */
  readonly onFold: ((turnIndex: number, folded: boolean) => void) | null;
}

/** One turn: message, tool calls, reply beside the reference, labels, scores and judgements. Folded, it is one line. */
export const TurnCard = memo(function TurnCard({
  run,
  turn,
  scenario,
  attempt,
  mode,
  current,
  across,
  beside,
  other,
  history,
  folded,
  onFold,
}: TurnCardProps) {
  const number = turn.turn_index + 1;
  const { threshold } = scenario;
  const attemptOf = scenario.attempts.find((each) => each.attempt === attempt);
  const outcome = outcomeInAttempt(turn, { attempt: attemptOf, threshold });
  const isDecidedElsewhere = outcome !== turnOutcome(turn, threshold);
  return (
    <article
      aria-label={`Turn ${number}`}
      aria-current={current ? "step" : undefined}
      className={`panel grid grid-cols-[minmax(0,1fr)] gap-3 ${folded ? "px-4 py-2" : "p-4"} aria-[current=step]:border-accent aria-[current=step]:ring-1 aria-[current=step]:ring-accent`}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {onFold && (
          <button
            type="button"
            className="-m-1 -ml-2 cursor-pointer p-1 text-soft hover:text-ink"
            aria-expanded={!folded}
            aria-label={folded ? `Show turn ${number}` : `Fold turn ${number}`}
            onClick={() => onFold(turn.turn_index, !folded)}
          >
            {folded ? <ChevronRight aria-hidden size={16} /> : <ChevronDown aria-hidden size={16} />}
          </button>
        )}
        <h2 className="text-sm font-semibold">
          <button type="button" className="cursor-pointer" onClick={() => changeSearch({ turn: String(number) })}>
            Turn {number}
          </button>
        </h2>
        {isDecidedElsewhere ? (
          <span className="text-xs text-soft">{whyFailed(turn, threshold)}; the outcome of the attempt decides</span>
        ) : (
          <OutcomeBadge outcome={outcome} />
        )}
        {outcome === "failed" && <span className="text-xs text-bad">{whyFailed(turn, threshold)}</span>}
        {outcome === "unscored" && !isDecidedElsewhere && <SimilarityNote turn={turn} />}
        {folded ? (
          <FoldedLine turn={turn} />
        ) : (
          <>
            <span className="verbatim text-xs text-soft">
              {turn.id} · {turn.interaction_type}
            </span>
            <span className="ml-auto flex gap-2">
              <JudgeReply scenarioId={scenario.scenario_id} attempt={attempt} turn={turn} />
              {!turn.error && <CopyButton text={turn.agent_reply} label="Copy reply" />}
            </span>
          </>
        )}
      </header>
      {!folded && (
        <TurnBody
          run={run}
          turn={turn}
          scenario={scenario}
          attempt={attempt}
          mode={mode}
          across={across}
          beside={beside}
          other={other}
          history={history}
        />
      )}
    </article>
  );
});

/** Says how close a reply is that nothing decides about. */
function SimilarityNote({ turn }: { turn: InteractionResult }) {
  const similarity = similarityOf(turn.scores);
  return similarity === undefined ? null : <span className="text-xs text-soft">similar {formatScore(similarity)}</span>;
}

/** The gist of a passed turn in one line. */
function FoldedLine({ turn }: { turn: InteractionResult }) {
  const wrong = countWrongCalls(turn);
  return (
    <>
      <span className="min-w-0 flex-1 basis-60 truncate text-sm" dir="auto">
        {headText(turn.prompt ?? turn.user_message, 200)}
        <span className="text-soft"> → {headText(turn.agent_reply, 200) || "(empty)"}</span>
      </span>
      <span className="ml-auto flex gap-x-3 text-xs text-soft tabular-nums">
        {turn.tool_calls.length > 0 && <span>{formatCount(turn.tool_calls.length, "call")}</span>}
        {wrong > 0 && <span className="font-semibold text-bad">{formatInteger(wrong)} wrong</span>}
        {(turn.conflicts ?? []).length > 0 && <span className="text-warn">⚠ may contradict</span>}
        <span>{formatScore(turn.scores["overall"])}</span>
      </span>
    </>
  );
}

type TurnBodyProps = Omit<TurnCardProps, "current" | "folded" | "onFold">;

function TurnBody({ run, turn, scenario, attempt, mode, across, beside, other, history }: TurnBodyProps) {
  const { threshold } = scenario;
  return (
    <>
      <UserMessage turn={turn} />
      <ToolCalls turn={turn} />
      <TurnTimeline turn={turn} />
      <ContextList context={turn.context} />
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
        <ReplyComparison reference={turn.reference_reply} reply={turn.agent_reply} mode={mode} marks={marksOf(turn)} />
      )}
      <MarkList turn={turn} />
      <ConflictList conflicts={turn.conflicts ?? []} />
      <OtherReferences references={turn.references ?? []} />
      <TurnFacts turn={turn} />
      <LabelList turn={turn} />
      <ScoreList turn={turn} threshold={threshold} />
      <JudgementList title="Judge" judgements={turn.judgements ?? {}} />
      {other && <OtherHistory turn={other} history={history} threshold={threshold} overall={turn.scores["overall"]} />}
      <SameTurn scenario={scenario} index={turn.turn_index} attempt={attempt} open={across} />
      <AcrossRuns run={run} scenarioId={scenario.scenario_id} turn={turn} attempt={attempt} open={beside} />
    </>
  );
}

/** The message that the agent answered. Marks of a simulated user belong beside the heading. */
function UserMessage({ turn }: { turn: InteractionResult }) {
  return (
    <div className="grid gap-1 rounded-md bg-accent-ground p-3">
      {turn.greeting !== undefined && (
        <>
          <h3 className="text-xs font-semibold text-soft">Greeting of the agent</h3>
          <VerbatimText text={turn.greeting} />
        </>
      )}
      <h3 className="text-xs font-semibold text-soft">User</h3>
      <VerbatimText text={turn.prompt ?? turn.user_message} />
      <UserTurnNote turn={turn} />
    </div>
  );
}

/** The cause of a missing reply, with the next step. */
function TurnError({ error, reply }: { error: InteractionError; reply: string }) {
  const { title, hint } = errorText(error.code);
  return (
    <div className="grid gap-1 rounded-md border border-dashed border-infra bg-infra-ground p-3">
      <p className="flex items-center gap-1.5 font-semibold text-infra">
        <CircleAlert aria-hidden size={15} className="shrink-0" />
        <span className="verbatim">
          {reply}: {title}
        </span>
      </p>
      <p className="verbatim text-sm">{error.detail}</p>
      {error.upstream_message !== undefined && (
        <div className="grid gap-1 text-sm">
          <p className="font-semibold">The endpoint said:</p>
          <pre className="verbatim mono max-h-60 overflow-auto whitespace-pre-wrap">{error.upstream_message}</pre>
        </div>
      )}
      <p className="text-sm">
        <span className="font-semibold">Next: </span>
        {hint}
      </p>
      <p className="flex flex-wrap items-baseline gap-x-4 text-xs text-soft">
        <span className="mono">{error.code}</span>
        {error.upstream_status !== null && <span>HTTP {error.upstream_status}</span>}
        <span>{formatCount(error.tries, "try", "tries")}</span>
        <span>{error.retryable ? "Retrying may help" : "Retrying won't help"}</span>
      </p>
    </div>
  );
}

/** What is marked in the reply, and why: a fact without a source, an action that was not done. */
function MarkList({ turn }: { turn: InteractionResult }) {
  const marks = marksOf(turn);
  if (marks.length === 0 || turn.error) return null;
  return (
    <ul aria-label="Marked in the reply" className="grid gap-1 rounded-md bg-warn-ground p-3 text-sm text-warn">
      {marks.map(({ start, end, reason }) => (
        <li key={start} className="flex items-start gap-2">
          <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
          <span className="verbatim">
            <span className="font-semibold">{headText(turn.agent_reply.slice(start, end), 120)}</span> {reason}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Possible contradictions between reply and reference. Similar words can say the opposite, which scores may miss. */
function ConflictList({ conflicts }: { conflicts: readonly Conflict[] }) {
  if (conflicts.length === 0) return null;
  return (
    <ul className="grid gap-1 rounded-md bg-warn-ground p-3 text-sm text-warn">
      {conflicts.map((conflict, index) => (
        <li key={index} className="flex items-start gap-2">
          <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
          <span className="verbatim">
            <span className="font-semibold">{conflict.kind}</span>: {conflict.message}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** More acceptable replies; the score uses the best match. */
function OtherReferences({ references }: { references: readonly string[] }) {
  if (references.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-soft">
        {formatCount(references.length, "more acceptable reply", "more acceptable replies")}
      </summary>
      <ul className="mt-1 grid gap-1 pl-4">
        {references.map((reference, index) => (
          <li key={index} className="verbatim list-disc">
            {reference}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Latency, tokens, cost, finish reason and model of a reply. */
function TurnFacts({ turn }: { turn: InteractionResult }) {
  const nameOf = useModelName();
  const facts = [
    formatDuration(turn.latency_ms),
    turn.first_token_ms !== null && `first token after ${formatDuration(turn.first_token_ms)}`,
    turn.usage && `${formatInteger(turn.usage.input_tokens)} + ${formatInteger(turn.usage.output_tokens)} tokens`,
    typeof turn.cost === "number" && formatMoney(turn.cost),
    turn.finish_reason && `finish: ${turn.finish_reason}`,
    turn.model && nameOf(turn.model),
  ].filter((fact): fact is string => Boolean(fact));
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-soft">
      {facts.map((fact) => (
        <span key={fact} className="break-all">
          {fact}
        </span>
      ))}
    </p>
  );
}

const otherHistoryTitles: Record<HistoryMode, string> = {
  own: "Same turn after the reference replies",
  reference: "Same turn after the model's own replies",
};

interface OtherHistoryProps {
  readonly turn: InteractionResult;
  /** The history of the turn above. */
  readonly history: HistoryMode;
  readonly threshold: number | undefined;
  /** Overall score of the turn above. */
  readonly overall: number | undefined;
}

/** The turn with the other history: shows if earlier replies caused the failure. */
function OtherHistory({ turn, history, threshold, overall }: OtherHistoryProps) {
  const score = turn.scores["overall"];
  return (
    <details>
      <summary className="text-sm text-soft">
        {otherHistoryTitles[history]}: overall {formatScore(score)}
        {score !== undefined && overall !== undefined && ` (${formatEffect(score - overall)})`}
      </summary>
      <div className="mt-2 grid gap-1 rounded-md border border-line p-2 text-sm">
        <OutcomeBadge outcome={turnOutcome(turn, threshold)} />
        <VerbatimText text={turn.agent_reply} />
      </div>
    </details>
  );
}

interface SameTurnProps {
  readonly scenario: ScenarioResult;
  readonly index: number;
  readonly attempt: number;
  readonly open: boolean;
}

/** The replies of all attempts to this turn. */
function SameTurn({ scenario, index, attempt, open }: SameTurnProps) {
  const { threshold } = scenario;
  const replies = scenario.attempts.flatMap((other) => {
    const turn = other.interactions.find((entry) => entry.turn_index === index);
    return turn
      ? [{ attempt: other.attempt, turn, outcome: outcomeInAttempt(turn, { attempt: other, threshold }) }]
      : [];
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
        <ol className="mt-2 grid grid-cols-[repeat(auto-fit,minmax(min(17rem,100%),1fr))] gap-2">
          {replies.map((reply) => (
            <li
              key={reply.attempt}
              className={`grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1 rounded-md border p-2 text-sm ${reply.attempt === attempt ? "border-accent" : "border-line"}`}
            >
              <span className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
                <span className="font-medium text-ink">
                  Attempt {reply.attempt}
                  {reply.attempt === attempt && " (this one)"}
                </span>
                <OutcomeBadge outcome={reply.outcome} />
                <span className="tabular-nums">overall {formatScore(reply.turn.scores["overall"])}</span>
              </span>
              <CallLines turn={reply.turn} />
              <VerbatimText text={reply.turn.agent_reply} />
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
