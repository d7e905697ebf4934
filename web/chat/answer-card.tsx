import { BookmarkPlus, RotateCw } from "lucide-react";
import { useRef } from "react";
import { Link } from "wouter";
import type { Decisions } from "../api/agent.ts";
import { ReplyText, StreamingReplyText } from "../markdown/reply-text.tsx";
import { ApiKeyForm } from "../parts/forms/api-key-form.tsx";
import { agentRunPath } from "../parts/address/paths.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { DemoBadge } from "../parts/runs/run-status.tsx";
import { FailureText } from "../parts/screen/notices.tsx";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { formatDuration, formatInteger, formatMoney } from "../parts/text/format.ts";
import { tailText, isLong } from "../parts/text/long-text.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import { ApprovalList } from "./approvals.tsx";
import { openCalls, type Answer, type DoneAnswer, type AnswerFailureDetails } from "./conversation.ts";
import { InvalidCalls, ToolUseList } from "./tool-calls.tsx";

interface AnswerCardProps {
  readonly answer: Answer;
  readonly name: string;
  /** Opens a scenario of the conversation up to this answer. */
  readonly scenarioPath: string;
  readonly onRetry: () => void;
  readonly onDecide: (decisions: Decisions) => void;
}

export function AnswerCard({ answer, name, scenarioPath, onRetry, onDecide }: AnswerCardProps) {
  const card = useRef<HTMLDivElement>(null);
  /** The pressed button disappears, so the card takes the focus. */
  const decide = (decisions: Decisions): void => {
    card.current?.focus();
    onDecide(decisions);
  };
  const retry = (): void => {
    card.current?.focus();
    onRetry();
  };
  const demo = answer.state === "done" && /\bdemo\b/i.test(answer.reply.response_metadata.system_fingerprint ?? "");
  return (
    <div
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={`Answer of ${name}`}
      className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-2 p-3"
    >
      <header className="flex flex-wrap items-center gap-2">
        <span className="verbatim text-xs font-semibold text-soft">{name}</span>
        {demo && <DemoBadge short />}
        {answer.state === "done" && openCalls(answer).length === 0 && (
          <span className="no-print ml-auto flex flex-wrap items-center">
            <button type="button" className="button button-quiet" onClick={retry}>
              <RotateCw aria-hidden size={14} /> Regenerate
            </button>
            <Link href={scenarioPath} className="button button-quiet" title="A scenario of the conversation up to here">
              <BookmarkPlus aria-hidden size={14} /> Save as scenario
            </Link>
            {answer.reply.content !== "" && <CopyButton text={answer.reply.content} />}
          </span>
        )}
      </header>
      <ReasoningText text={answer.thoughts} live={answer.state === "waiting"} />
      <ToolUseList tools={answer.tools} live={answer.state === "waiting"} />
      {answer.state === "done" ? (
        <FinishedAnswer answer={answer} onDecide={decide} />
      ) : (
        <PartialAnswer answer={answer} onRetry={retry} />
      )}
    </div>
  );
}

function FinishedAnswer({ answer, onDecide }: { answer: DoneAnswer; onDecide: (decisions: Decisions) => void }) {
  const { reply, refusal } = answer;
  const calls = openCalls(answer);
  const place = `${answer.runId} ${answer.milliseconds} ${calls.map(({ id }) => id).join(" ")}`;
  return (
    <>
      {reply.content !== "" && <ReplyText text={reply.content} />}
      {reply.content === "" && calls.length === 0 && <p className="text-soft italic">(empty reply)</p>}
      {calls.length > 0 && (
        // The key resets the decisions for new calls and after a rejected decision.
        <ApprovalList
          key={`${place} ${refusal?.detail ?? ""}`}
          calls={calls}
          place={place}
          refusal={refusal}
          onDecide={onDecide}
        />
      )}
      <InvalidCalls answer={answer} />
      <AnswerFacts answer={answer} />
    </>
  );
}

function PartialAnswer({ answer, onRetry }: { answer: Exclude<Answer, DoneAnswer>; onRetry: () => void }) {
  return (
    <>
      {answer.text !== "" &&
        (answer.state === "waiting" ? <StreamingText text={answer.text} /> : <ReplyText text={answer.text} />)}
      {answer.text === "" && answer.state === "waiting" && (
        <p role="status" className="animate-pulse text-soft">
          Thinking …
        </p>
      )}
      {answer.state === "stopped" && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          Stopped. <RetryButton onRetry={onRetry} />
        </p>
      )}
      {answer.state === "failed" && <AnswerFailure failure={answer.failure} onRetry={onRetry} />}
    </>
  );
}

function AnswerFailure({ failure, onRetry }: { failure: AnswerFailureDetails; onRetry: () => void }) {
  return (
    <div role="alert" className="grid gap-1 text-sm">
      <FailureText failure={failure} />
      {failure.code.startsWith("auth_") && <ApiKeyForm onSaved={onRetry} />}
      <p className="flex flex-wrap items-center gap-3 text-xs text-soft">
        <RetryButton onRetry={onRetry} />
        <span className="mono">{failure.code}</span>
      </p>
    </div>
  );
}

function RetryButton({ onRetry }: { onRetry: () => void }) {
  return (
    <button type="button" className="button" onClick={onRetry}>
      <RotateCw aria-hidden size={14} /> Ask again
    </button>
  );
}

/** An answer while it streams in. Rendered many times a second, so of a long one only the end is shown, as plain text. */
function StreamingText({ text, plain = false }: { text: string; plain?: boolean }) {
  if (!isLong(text) && !plain) return <StreamingReplyText text={text} />;
  return (
    <>
      {isLong(text) && <p className="text-sm text-soft">The beginning appears when the answer is complete.</p>}
      <p dir="auto" className="verbatim">
        {tailText(text)}
      </p>
    </>
  );
}

/** The reasoning before the answer; not part of the reply. */
function ReasoningText({ text = "", live }: { text: string | undefined; live: boolean }) {
  if (text === "") return null;
  return (
    <details className="rounded-md border border-line text-sm text-soft">
      <summary className="px-3 py-1.5">Reasoning</summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-3">
        {live ? <StreamingText text={text} plain /> : <VerbatimText text={text} />}
      </div>
    </details>
  );
}

function AnswerFacts({ answer }: { answer: DoneAnswer }) {
  const { reply, milliseconds, cost, total, runId } = answer;
  const nameOf = useModelName();
  const { input_tokens: input, output_tokens: output } = total ?? reply.usage_metadata;
  const finish = reply.response_metadata.finish_reason;
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-soft">
      <span>{formatDuration(milliseconds)}</span>
      {input + output > 0 && (
        <span>
          {formatInteger(input)} + {formatInteger(output)} tokens
          {total && total.model_calls > 1 && ` in ${formatInteger(total.model_calls)} calls`}
        </span>
      )}
      <span className={finish === "length" ? "font-semibold text-warn" : ""}>
        finish: {finish}
        {finish === "length" && " (cut off)"}
      </span>
      {cost !== null && <span>{formatMoney(cost)}</span>}
      {runId !== null && total && total.model_calls > 0 && (
        <Link href={agentRunPath(runId)} className="link">
          Agent run
        </Link>
      )}
      <span className="break-all">{nameOf(reply.response_metadata.model_name)}</span>
      {reply.additional_kwargs.refusal && <span className="text-warn">refused</span>}
    </p>
  );
}
