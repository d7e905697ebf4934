import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, CircleHelp, Scale } from "lucide-react";
import { Link } from "wouter";
import type { JudgeAudit } from "../../src/contract/schemas/judge-audit.ts";
import { auditRule } from "../../src/evaluation/judges/judge-question.ts";
import type { ReviewQueue } from "../../src/contract/schemas/judging/human-verdict.ts";
import { requestAudit } from "../api/review.ts";
import { requestRescore } from "../api/runs.ts";
import { runPath } from "../parts/address/paths.ts";
import { ConfusionMatrix } from "../parts/runs/confusion-matrix.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatCount, formatInteger, formatKappa, formatPercent } from "../parts/text/format.ts";

/** Each reply is judged twice, and compared with its reference in both orders. */
const mostCallsEach = 4;

/** Asks the judge about the replies that people judged, and shows how far it agrees. */
export function AskTheJudge({ runId, queue }: { readonly runId: string; readonly queue: ReviewQueue }) {
  const { question, progress } = queue;
  const audit = useMutation({ mutationFn: () => requestAudit(runId, question.name) });
  const missing = auditRule.items - progress.judged;
  return (
    <section aria-label="The judge" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <button
          type="button"
          className="button button-primary"
          disabled={missing > 0}
          aria-disabled={audit.isPending}
          onClick={() => audit.isPending || audit.mutate()}
        >
          <Scale aria-hidden size={14} /> {audit.isPending ? "Asking …" : "Ask the judge"}
        </button>
        <p className="min-w-0 flex-1 basis-60 text-soft">
          {missing > 0
            ? `To check the judge, judge at least ${formatCount(missing, "more reply", "more replies")}.`
            : `${formatCount(progress.judged, "reply", "replies")}, at most ${formatInteger(mostCallsEach * progress.judged)} calls.`}
        </p>
      </div>
      {audit.error && <FailedNotice error={audit.error} />}
      {audit.data && <AuditResult runId={runId} audit={audit.data} />}
    </section>
  );
}

function AuditResult({ runId, audit }: { runId: string; audit: JudgeAudit }) {
  return (
    <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className={`flex items-center gap-2 font-semibold ${audit.passed ? "text-good" : "text-warn"}`}>
        {audit.passed ? <Check aria-hidden size={16} /> : <CircleHelp aria-hidden size={16} />}
        {audit.passed
          ? "The judge agrees with people. Its scores count as verified."
          : "The judge doesn't agree with people often enough. Its scores stay unverified."}
      </p>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {judgeFacts(audit).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <ConfusionMatrix name="choices" confusion={audit.confusion} sides={{ down: "people", across: "judge" }} />
      {audit.notes.map((note) => (
        <p key={note} className="text-soft">
          {note}
        </p>
      ))}
      {audit.passed && <MarkScores runId={runId} />}
    </div>
  );
}

function judgeFacts(audit: JudgeAudit): readonly (readonly [string, string])[] {
  const { kappa, ci_lower, ci_upper, agreement, base_rate, self_consistency, position_flip_rate } = audit;
  const interval =
    ci_lower === null || ci_upper === null
      ? ""
      : ` (95 % interval ${formatKappa(ci_lower)} to ${formatKappa(ci_upper)})`;
  const known: readonly (readonly [string, string | null])[] = [
    ["Kappa (agreement beyond chance)", kappa === null ? null : formatKappa(kappa) + interval],
    [
      "Same choice as people",
      share(agreement, `${formatPercent(base_rate)} by always making the most frequent choice`),
    ],
    ["Same choice when asked again", share(self_consistency)],
    ["Verdict flips when the order is swapped", share(position_flip_rate)],
  ];
  return known.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

const share = (value: number | null, beside?: string): string | null =>
  value === null ? null : formatPercent(value) + (beside === undefined ? "" : ` (${beside})`);

/** Scores the run again from stored verdicts, which marks them as verified without calling the judge. */
function MarkScores({ runId }: { runId: string }) {
  const client = useQueryClient();
  const mark = useMutation({
    mutationFn: () => requestRescore(runId, {}),
    onSuccess: () => void client.invalidateQueries(),
  });
  if (mark.isSuccess)
    return (
      <p>
        Marked as verified.{" "}
        <Link href={runPath(runId)} className="link">
          Back to the run
        </Link>
      </p>
    );
  return (
    <>
      {mark.error && <FailedNotice error={mark.error} />}
      <button
        type="button"
        className="button justify-self-start"
        aria-disabled={mark.isPending}
        onClick={() => mark.isPending || mark.mutate()}
      >
        {mark.isPending ? "Marking …" : "Mark this run's scores as verified"}
      </button>
    </>
  );
}
