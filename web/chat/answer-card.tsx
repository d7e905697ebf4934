import { RotateCw } from "lucide-react";
import { useRef } from "react";
import type { Decisions } from "../agent-api.ts";
import { ApiKeyForm } from "../parts/api-key-form.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { ReplyText } from "../parts/reply-text.tsx";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import { AnswerFacts } from "./answer-facts.tsx";
import { ApprovalList } from "./approval-list.tsx";
import { openCalls, type Answer, type DoneAnswer, type PlainFailure } from "./conversation.ts";
import { GrowingText } from "./growing-text.tsx";
import { InvalidCalls } from "./invalid-calls.tsx";
import { PlainFailureText } from "./plain-failure-text.tsx";
import { ThoughtText } from "./thought-text.tsx";
import { ToolUseList } from "./tool-use-list.tsx";

interface AnswerCardProps {
  readonly answer: Answer;
  readonly name: string;
  readonly onRetry: () => void;
  readonly onDecide: (decisions: Decisions) => void;
}

export function AnswerCard({ answer, name, onRetry, onDecide }: AnswerCardProps) {
  const card = useRef<HTMLElement>(null);
  /** The pressed button goes away: the keyboard goes on from the answer. */
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
    <section
      ref={card}
      tabIndex={-1}
      aria-label={`Answer of ${name}`}
      className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-2 p-3"
    >
      <header className="flex flex-wrap items-center gap-2">
        <span className="verbatim text-xs font-semibold text-soft">{name}</span>
        {demo && <DemoBadge />}
        {answer.state === "done" && answer.reply.content !== "" && (
          <span className="ml-auto">
            <CopyButton text={answer.reply.content} />
          </span>
        )}
      </header>
      <ThoughtText text={answer.thoughts} live={answer.state === "waiting"} />
      <ToolUseList tools={answer.tools} live={answer.state === "waiting"} />
      {answer.state === "done" ? (
        <FinishedAnswer answer={answer} onDecide={decide} />
      ) : (
        <PartialAnswer answer={answer} onRetry={retry} />
      )}
    </section>
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
        // New calls, or a refusal, begin with nothing decided.
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
        (answer.state === "waiting" ? <GrowingText text={answer.text} /> : <VerbatimText text={answer.text} />)}
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

function AnswerFailure({ failure, onRetry }: { failure: PlainFailure; onRetry: () => void }) {
  return (
    <div role="alert" className="grid gap-1 text-sm">
      <PlainFailureText failure={failure} />
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
