import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { exportLines, fetchRunRequest } from "../api/runs.ts";
import { runPath } from "../parts/address/paths.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { useKeys } from "../parts/browser/events.ts";
import { tabStorage } from "../parts/browser/storage.ts";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { scoreLabel } from "../parts/runs/scores.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { NotFoundScreen, Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatInteger } from "../parts/text/format.ts";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";
import { AskTheJudge } from "./ask-the-judge.tsx";
import { auditQuestions, type AuditQuestion } from "./audit-questions.ts";
import { createReplySample, type ExportedTurn, type SampledReply } from "./reply-sample.ts";

/** `?run=` names the run whose judge is audited, `?question=` one of its questions. */
export default function AuditScreen() {
  const [params] = useSearchState();
  const runId = params.get("run");
  return runId ? <RunAudit runId={runId} asked={params.get("question")} /> : <NotFoundScreen />;
}

function RunAudit({ runId, asked }: { readonly runId: string; readonly asked: string | null }) {
  const questions = useQuery({
    queryKey: ["audit-questions", runId],
    queryFn: async ({ signal }) => auditQuestions(await fetchRunRequest(runId, signal)),
    staleTime: Infinity,
  });
  return (
    <Screen
      title="Check the judge"
      actions={
        <Link href={runPath(runId)} className="button">
          Back to the run
        </Link>
      }
    >
      <p className="max-w-prose text-sm text-soft">
        Grade each reply yourself first; the judge's verdict stays hidden. If you agree often enough, this judge is
        marked verified for this question everywhere.
      </p>
      {questions.isError && <FailedNotice error={questions.error} onRetry={() => void questions.refetch()} />}
      {questions.isPending && <Skeleton rows={6} label="Loading the judge" />}
      {questions.data && <Questions runId={runId} questions={questions.data} asked={asked} />}
    </Screen>
  );
}

interface QuestionsProps {
  readonly runId: string;
  readonly questions: readonly AuditQuestion[];
  readonly asked: string | null;
}

function Questions({ runId, questions, asked }: QuestionsProps) {
  const question = questions.find(({ name }) => name === asked) ?? questions[0];
  if (!question) {
    return (
      <p className="panel p-4">
        This run's replies weren't scored by a judge. Add one with “Score again” on{" "}
        <Link href={runPath(runId)} className="link">
          the run
        </Link>
        .
      </p>
    );
  }
  return (
    <>
      {questions.length > 1 && (
        <SegmentedControl
          legend="Question"
          segments={questions.map(({ name }) => ({ value: name, label: scoreLabel(name) }))}
          value={question.name}
          onChange={(name) => changeSearch({ question: name })}
        />
      )}
      <AuditSession key={question.name} runId={runId} question={question} />
    </>
  );
}

interface AuditSessionProps {
  readonly runId: string;
  readonly question: AuditQuestion;
}

function AuditSession({ runId, question }: AuditSessionProps) {
  const sample = useReplySample(runId, question);
  if (sample.isError) return <FailedNotice error={sample.error} onRetry={() => void sample.refetch()} />;
  if (!sample.data) return <Skeleton rows={6} label="Loading replies" />;
  if (sample.data.length === 0) return <p className="panel p-4">This run has no replies that the judge could grade.</p>;
  return <JudgedReplies runId={runId} question={question} replies={sample.data} />;
}

function JudgedReplies({
  runId,
  question,
  replies,
}: AuditSessionProps & { readonly replies: readonly SampledReply[] }) {
  const [choices, choose] = useChoices(`${runId} ${question.name}`);
  const [index, setIndex] = useState(() => nextUngraded(replies, choices) ?? 0);
  const move = (step: number): void => setIndex(Math.min(replies.length - 1, Math.max(0, index + step)));
  useKeys({ j: () => move(1), k: () => move(-1) });
  const reply = replies[index] as SampledReply;
  const done = replies.filter(({ key }) => choices[key] !== undefined);
  const decide = (choice: string): void => {
    choose(reply.key, choice);
    setIndex(nextUngraded(replies, { ...choices, [reply.key]: choice }, index) ?? index);
  };
  return (
    <>
      <details className="panel p-4 text-sm" open>
        <summary className="font-semibold">Question to the judge</summary>
        <div className="mt-2">
          <VerbatimText text={question.text} />
        </div>
      </details>
      <section aria-label="Reply to grade" className="panel grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2 className="text-sm font-semibold tabular-nums">
            Reply {formatInteger(index + 1)} of {formatInteger(replies.length)}
          </h2>
          <p role="status" className="text-sm text-soft tabular-nums">
            {formatInteger(done.length)} graded
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

/** The next reply without a grade, searching from `from` and wrapping around. */
function nextUngraded(replies: readonly SampledReply[], choices: Choices, from = 0): number | undefined {
  const order = [...replies.keys()].map((step) => (from + step) % replies.length);
  return order.find((index) => choices[replies[index]?.key ?? ""] === undefined);
}

/** A reply as the judge sees it. Verdicts and scores are hidden, because they would bias the person. */
function ReplyCard({ reply }: { reply: SampledReply }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {reply.conversation_before.length > 0 && (
        <details className="grid gap-2 text-sm" open>
          <summary className="text-xs font-semibold text-soft">Conversation so far</summary>
          {reply.conversation_before.map((turn, index) => (
            <div key={index} className="mt-2 grid gap-1 border-l-2 border-line pl-3">
              <VerbatimText text={turn.user_message} />
              <div className="text-soft">
                <VerbatimText text={turn.reply} />
              </div>
            </div>
          ))}
        </details>
      )}
      <div className="grid gap-1 rounded-md bg-accent-ground p-3">
        <h3 className="text-xs font-semibold text-soft">User</h3>
        <VerbatimText text={reply.user_message} />
      </div>
      <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${reply.reference_reply === "" ? "" : "lg:grid-cols-2"}`}>
        {reply.reference_reply !== "" && (
          <TextPane title="Reference">
            <VerbatimText text={reply.reference_reply} />
          </TextPane>
        )}
        <TextPane title="Reply">
          <VerbatimText text={reply.reply} />
        </TextPane>
      </div>
    </div>
  );
}

interface ChoiceButtonsProps {
  readonly choices: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (choice: string) => void;
}

/** One button per choice of the judge, also reachable by its digit. */
function ChoiceButtons({ choices, chosen, onChoose }: ChoiceButtonsProps) {
  useKeys(Object.fromEntries(choices.slice(0, 9).map((choice, index) => [String(index + 1), () => onChoose(choice)])));
  return (
    <div role="group" aria-label="Your grade" className="flex flex-wrap gap-2">
      {choices.map((choice, index) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === chosen}
          className="button verbatim aria-pressed:border-accent aria-pressed:bg-accent-ground aria-pressed:font-semibold"
          onClick={() => onChoose(choice)}
        >
          {index < 9 && (
            <kbd aria-hidden className="mono rounded border border-line bg-sunken px-1.5">
              {index + 1}
            </kbd>
          )}{" "}
          {choice}
        </button>
      ))}
    </div>
  );
}

/** The person's choices by reply. */
type Choices = Readonly<Record<string, string>>;

/** Choices by run and question. */
const storedChoices = tabStorage<Readonly<Record<string, Choices>>>("rehearsal.audit-choices", {});

/** The choices so far. They survive a change of screen and a reload. */
function useChoices(place: string): readonly [Choices, (key: string, choice: string) => void] {
  const [choices, setChoices] = useState(() => storedChoices.read()[place] ?? {});
  const choose = (key: string, choice: string): void => {
    const next = { ...choices, [key]: choice };
    storedChoices.keep({ ...storedChoices.read(), [place]: next });
    setChoices(next);
  };
  return [choices, choose];
}

/** About an hour of reading. */
const most = 100;

/** A random sample of replies. The run is streamed, so its size does not matter. */
const useReplySample = (runId: string, { needsReference, hasReferenceHistory }: AuditQuestion) =>
  useQuery({
    queryKey: ["audit-sample", runId, needsReference],
    queryFn: async ({ signal }) => {
      const sample = createReplySample({ runId, most, needsReference, hasReferenceHistory });
      for await (const line of exportLines(runId, signal)) sample.add(JSON.parse(line) as ExportedTurn);
      return sample.replies();
    },
    staleTime: Infinity,
  });
