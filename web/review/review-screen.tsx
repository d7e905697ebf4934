import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Link } from "wouter";
import type { ReviewQuery, ReviewQueue } from "../../src/contract/schemas/judging/human-verdict.ts";
import { toApiError } from "../api/api-error.ts";
import { fetchReview, keepRater, readRater } from "../api/review.ts";
import { mainArea } from "../parts/browser/focus.ts";
import { runPath } from "../parts/address/paths.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { scoreLabel } from "../parts/runs/scores.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { NotFoundScreen, Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatCount, formatInteger } from "../parts/text/format.ts";
import { AgreementPanel } from "./agreement-panel.tsx";
import { AskTheJudge } from "./ask-the-judge.tsx";
import { ReviewSession } from "./review-session.tsx";

type ReviewOrder = ReviewQuery["order"];
const orders: readonly { value: ReviewOrder; label: string }[] = [
  { value: "random", label: "Random" },
  { value: "stratified", label: "Balanced by judge score" },
  { value: "disagreement", label: "Disagreements first" },
];

/** `?run=` names the run; `?question=`, `?order=`, `?raters=`, `?against=` and `?view=` what is judged, and how. */
export default function ReviewScreen() {
  const [params] = useSearchState();
  const runId = params.get("run");
  return runId ? <RunReview key={runId} runId={runId} params={params} /> : <NotFoundScreen />;
}

function RunReview({ runId, params }: { readonly runId: string; readonly params: URLSearchParams }) {
  const [rater, setRater] = useState(readRater);
  const [skipped, setSkipped] = useState<readonly string[]>([]);
  const order = orders.find(({ value }) => value === params.get("order"))?.value ?? "random";
  const question = params.get("question") ?? "";
  const against = params.get("against") ?? "";
  const raters = Math.min(20, Math.max(1, Number(params.get("raters") ?? 2) || 2));
  const view = params.get("view") === "agreement" ? "agreement" : "review";
  const scope = { question, against, order, raters };
  const queue = useQuery({
    queryKey: ["review", runId, scope, rater, skipped.length],
    // One reply more than is shown, so that a skipped one is followed at once.
    queryFn: ({ signal }) => fetchReview(runId, { ...scope, rater, limit: Math.min(20, skipped.length + 2) }, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  const needsName = queue.isError && toApiError(queue.error).fields.some(({ pointer }) => pointer === "/rater");
  const rename = (name: string): void => {
    keepRater(name);
    setRater(name);
    // The form is removed with its focused field.
    mainArea()?.focus({ preventScroll: true });
  };
  return (
    <Screen
      title="Review replies"
      actions={
        <Link href={runPath(runId)} className="button">
          Back to the run
        </Link>
      }
    >
      <p className="max-w-prose text-sm text-soft">
        Judge replies yourself; scores and the verdicts of others stay hidden. From 20 replies in random order on, your
        verdicts correct the judge's scores on the run and in comparisons. A skipped reply widens the corrected
        interval: if you are not sure, judge as well as you can.
      </p>
      {needsName && <NameForm onName={rename} />}
      {queue.isError && !needsName && <FailedNotice error={queue.error} onRetry={() => void queue.refetch()} />}
      {queue.isPending && <Skeleton rows={6} label="Loading replies" />}
      {queue.data && !needsName && (
        <>
          <ReviewControls queue={queue.data} order={order} raters={raters} view={view} />
          <ProgressBar queue={queue.data} raters={raters} onRename={rename} />
          {view === "agreement" ? (
            <AgreementPanel
              runId={runId}
              question={queue.data.question}
              against={against}
              rater={queue.data.rater}
              onDecided={() => void queue.refetch()}
            />
          ) : (
            <ReviewSession
              key={`${queue.data.question.name} ${queue.data.rater}`}
              runId={runId}
              queue={queue.data}
              against={against}
              order={order}
              skipped={skipped}
              isLoading={queue.isPlaceholderData}
              onSkip={(key) => setSkipped([...skipped, key])}
              onUnskip={() => setSkipped([])}
              onStored={async () => void (await queue.refetch())}
            />
          )}
          {queue.data.question.judged && !queue.data.question.varies && queue.data.question.scope === "turn" && (
            <AskTheJudge key={queue.data.question.name} runId={runId} queue={queue.data} />
          )}
        </>
      )}
    </Screen>
  );
}

/** Asked once per browser: verdicts carry a name, so that several people can judge the same replies. */
function NameForm({ onName, current = "" }: { readonly onName: (name: string) => void; readonly current?: string }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    if (name !== "") onName(name);
  };
  return (
    <form onSubmit={submit} className="panel flex flex-wrap items-end gap-3 p-4 text-sm">
      <label className="grid gap-1">
        Your name
        <input name="name" className="field" required maxLength={100} autoComplete="name" defaultValue={current} />
      </label>
      <button type="submit" className="button button-primary">
        Start reviewing
      </button>
      <p className="basis-full text-soft">Your verdicts are stored under this name.</p>
    </form>
  );
}

interface ReviewControlsProps {
  readonly queue: ReviewQueue;
  readonly order: ReviewOrder;
  readonly raters: number;
  readonly view: "review" | "agreement";
}

function ReviewControls({ queue: { question, questions }, order, raters, view }: ReviewControlsProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <SegmentedControl
        legend="View"
        segments={[
          { value: "review", label: "Review" },
          { value: "agreement", label: "Agreement and conflicts" },
        ]}
        value={view}
        onChange={(value) => changeSearch({ view: value === "review" ? null : value })}
      />
      {questions.length > 1 && (
        <SegmentedControl
          legend="Question"
          segments={questions.map(({ name }) => ({ value: name, label: scoreLabel(name) }))}
          value={question.name}
          onChange={(name) => changeSearch({ question: name })}
        />
      )}
      {view === "review" && (
        <>
          <SegmentedControl
            legend="Order"
            segments={orders}
            value={order}
            onChange={(value) => changeSearch({ order: value === "random" ? null : value })}
          />
          <label className="flex items-center gap-2 text-soft">
            People per reply
            <select
              className="field w-auto"
              value={raters}
              onChange={({ target }) => changeSearch({ raters: target.value === "2" ? null : target.value })}
            >
              {[1, 2, 3, 4, 5].map((count) => (
                <option key={count}>{count}</option>
              ))}
            </select>
          </label>
        </>
      )}
    </div>
  );
}

interface ProgressBarProps {
  readonly queue: ReviewQueue;
  /** People who should judge each reply. */
  readonly raters: number;
  readonly onRename: (name: string) => void;
}

function ProgressBar({ queue, raters, onRename }: ProgressBarProps) {
  const [naming, setNaming] = useState(false);
  const { progress, rater } = queue;
  if (naming) {
    return (
      <NameForm
        current={rater}
        onName={(name) => {
          setNaming(false);
          onRename(name);
        }}
      />
    );
  }
  return (
    <section aria-label="Progress" className="panel grid gap-2 p-4 text-sm">
      <p role="status" className="tabular-nums">
        <span className="font-semibold">You {formatInteger(progress.mine)}</span> · anyone{" "}
        {formatInteger(progress.judged)} of {formatInteger(progress.replies)} · finished{" "}
        {formatInteger(progress.complete)} ({raters === 1 ? "one person" : `${formatInteger(raters)} people`} each)
        {(progress.skipped ?? 0) > 0 && ` · ${formatInteger(progress.skipped ?? 0)} skipped and not judged`}
        {progress.conflicts > 0 && (
          <>
            {" "}
            ·{" "}
            <button type="button" className="link" onClick={() => changeSearch({ view: "agreement" })}>
              {formatCount(progress.conflicts, "conflict")}
            </button>
          </>
        )}
      </p>
      <div
        role="progressbar"
        aria-label="Replies judged"
        aria-valuemin={0}
        aria-valuemax={Math.max(1, progress.replies)}
        aria-valuenow={progress.judged}
        className="h-1.5 overflow-hidden rounded-full bg-sunken ring-1 ring-line ring-inset"
      >
        <div
          className="h-full bg-accent"
          style={{ width: `${(100 * progress.judged) / Math.max(1, progress.replies)}%` }}
        />
      </div>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-soft">
        <span>
          You are <span className="verbatim font-medium text-ink">{rater}</span>{" "}
          {!queue.rater_fixed && (
            <button type="button" className="link" onClick={() => setNaming(true)}>
              change
            </button>
          )}
        </span>
        {progress.raters
          .filter((other) => other.rater !== rater)
          .map((other) => (
            <span key={other.rater} className="tabular-nums">
              <span className="verbatim">{other.rater}</span> {formatInteger(other.verdicts)}
            </span>
          ))}
      </p>
    </section>
  );
}
