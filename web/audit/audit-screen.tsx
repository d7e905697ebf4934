import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { getRunRequest } from "../api.ts";
import { NotFoundScreen } from "../not-found-screen.tsx";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { scoreLabel } from "../parts/format.ts";
import { runPath } from "../parts/paths.ts";
import { Screen } from "../parts/screen.tsx";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { auditQuestions, type AuditQuestion } from "./audit-questions.ts";
import { AuditSession } from "./audit-session.tsx";

/** `?run=` names the run whose judge is held against a person, `?question=` which of its questions. */
export default function AuditScreen() {
  const [params] = useSearchState();
  const runId = params.get("run");
  return runId ? <RunAudit runId={runId} asked={params.get("question")} /> : <NotFoundScreen />;
}

function RunAudit({ runId, asked }: { readonly runId: string; readonly asked: string | null }) {
  const questions = useQuery({
    queryKey: ["audit-questions", runId],
    queryFn: async ({ signal }) => auditQuestions(await getRunRequest(runId, signal)),
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
        Choose for each reply what you would say, without knowing what the judge said. Then the judge is asked about the
        same replies. A judge that agrees with you counts as checked wherever it is asked the same question.
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
  if (!question) return <p className="panel p-4">This run has no judge of single replies.</p>;
  return (
    <>
      {questions.length > 1 && (
        <SegmentedChoice
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
