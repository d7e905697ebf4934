import { useState } from "react";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatInteger } from "../parts/format.ts";
import { Skeleton } from "../parts/skeleton.tsx";
import { useKeys } from "../parts/use-keys.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import type { AuditQuestion } from "./audit-questions.ts";
import { AskTheJudge } from "./ask-the-judge.tsx";
import { ChoiceButtons } from "./choice-buttons.tsx";
import { ReplyCard } from "./reply-card.tsx";
import type { SampledReply } from "./reply-sample.ts";
import { useChoices, type Choices } from "./use-choices.ts";
import { useReplySample } from "./use-reply-sample.ts";

interface AuditSessionProps {
  readonly runId: string;
  readonly question: AuditQuestion;
}

/** One reply after the other for one question, and then the judge. */
export function AuditSession({ runId, question }: AuditSessionProps) {
  const sample = useReplySample(runId, question);
  if (sample.isError) return <FailedNotice error={sample.error} onRetry={() => void sample.refetch()} />;
  if (!sample.data) return <Skeleton rows={6} label="Choosing replies" />;
  if (sample.data.length === 0)
    return <p className="panel p-4">This run has no reply that the judge could be asked about.</p>;
  return <JudgedReplies runId={runId} question={question} replies={sample.data} />;
}

function JudgedReplies({
  runId,
  question,
  replies,
}: AuditSessionProps & { readonly replies: readonly SampledReply[] }) {
  const [choices, choose] = useChoices(`${runId} ${question.name}`);
  const [index, setIndex] = useState(() => firstOpen(replies, choices) ?? 0);
  const move = (step: number): void => setIndex(Math.min(replies.length - 1, Math.max(0, index + step)));
  useKeys({ j: () => move(1), k: () => move(-1) });
  const reply = replies[index] as SampledReply;
  const done = replies.filter(({ key }) => choices[key] !== undefined);
  const decide = (choice: string): void => {
    choose(reply.key, choice);
    setIndex(firstOpen(replies, { ...choices, [reply.key]: choice }, index) ?? index);
  };
  return (
    <>
      <details className="panel p-4 text-sm" open>
        <summary className="font-semibold">What the judge is asked</summary>
        <div className="mt-2">
          <VerbatimText text={question.text} />
        </div>
      </details>
      <section aria-label="Reply to judge" className="panel grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2 className="text-sm font-semibold tabular-nums">
            Reply {formatInteger(index + 1)} of {formatInteger(replies.length)}
          </h2>
          <p role="status" className="text-sm text-soft tabular-nums">
            {formatInteger(done.length)} judged
          </p>
          <span className="flex gap-2 sm:ml-auto">
            <button type="button" className="button" disabled={index === 0} onClick={() => move(-1)}>
              Back
            </button>
            <button type="button" className="button" disabled={index === replies.length - 1} onClick={() => move(1)}>
              Next
            </button>
          </span>
        </header>
        <ReplyCard reply={reply} />
        <ChoiceButtons choices={question.choices} chosen={choices[reply.key]} onChoose={decide} />
      </section>
      <AskTheJudge
        runId={runId}
        question={question}
        items={done.map(({ key, ...item }) => ({ ...item, human: choices[key] as string }))}
      />
    </>
  );
}

/** The next reply that nobody judged, from a place on and then from the beginning; undefined where there is none. */
function firstOpen(replies: readonly SampledReply[], choices: Choices, from = 0): number | undefined {
  const order = [...replies.keys()].map((step) => (from + step) % replies.length);
  return order.find((index) => choices[replies[index]?.key ?? ""] === undefined);
}
