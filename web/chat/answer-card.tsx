import { CircleAlert, RotateCw } from "lucide-react";
import { CopyButton } from "../parts/copy-button.tsx";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { ReplyText } from "../parts/reply-text.tsx";
import { AnswerFacts } from "./answer-facts.tsx";
import type { Answer, PlainFailure } from "./conversation.ts";
import { OpenToolCalls } from "./open-tool-calls.tsx";
import { ToolUseList } from "./tool-use-list.tsx";

interface AnswerCardProps {
  readonly answer: Answer;
  readonly name: string;
  readonly onRetry: () => void;
}

export function AnswerCard({ answer, name, onRetry }: AnswerCardProps) {
  const demo = answer.state === "done" && /\bdemo\b/i.test(answer.reply.response_metadata.system_fingerprint ?? "");
  return (
    <section aria-label={`Answer of ${name}`} className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-2 p-3">
      <header className="flex flex-wrap items-center gap-2">
        <span className="verbatim text-xs font-semibold text-soft">{name}</span>
        {demo && <DemoBadge />}
        {answer.state === "done" && (
          <span className="ml-auto">
            <CopyButton text={answer.reply.content} />
          </span>
        )}
      </header>
      <AnswerBody answer={answer} onRetry={onRetry} />
    </section>
  );
}

function AnswerBody({ answer, onRetry }: Omit<AnswerCardProps, "name">) {
  return (
    <>
      <ToolUseList tools={answer.tools} live={answer.state === "waiting"} />
      <AnswerText answer={answer} />
      {answer.state === "stopped" && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          Stopped. <RetryButton onRetry={onRetry} />
        </p>
      )}
      {answer.state === "failed" && <AnswerFailure failure={answer.failure} onRetry={onRetry} />}
      {answer.state === "done" && (
        <>
          <OpenToolCalls answer={answer} />
          <AnswerFacts answer={answer} />
        </>
      )}
    </>
  );
}

function AnswerText({ answer }: { answer: Answer }) {
  if (answer.state !== "done") {
    if (answer.text !== "") return <p className="verbatim">{answer.text}</p>;
    if (answer.state !== "waiting") return null;
    return (
      <p role="status" className="animate-pulse text-soft">
        Thinking …
      </p>
    );
  }
  const { content } = answer.reply;
  return content === "" ? <p className="text-soft italic">(empty reply)</p> : <ReplyText text={content} />;
}

function AnswerFailure({ failure, onRetry }: { failure: PlainFailure; onRetry: () => void }) {
  return (
    <div role="alert" className="grid gap-1 text-sm">
      <p className="flex items-center gap-1.5 font-semibold text-bad">
        <CircleAlert aria-hidden size={15} className="shrink-0" />
        {failure.message}
      </p>
      {failure.detail && <p className="verbatim">{failure.detail}</p>}
      {failure.hint && (
        <p>
          <span className="font-semibold">Next: </span>
          {failure.hint}
        </p>
      )}
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
