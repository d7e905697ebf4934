import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, CircleHelp } from "lucide-react";
import { Link } from "wouter";
import type { JudgeAudit } from "../../src/contract/schemas/judge-audit.ts";
import { rescoreRun } from "../api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatKappa, formatPercent } from "../parts/format.ts";
import { runPath } from "../parts/paths.ts";
import { ConfusionMatrix } from "../parts/confusion-matrix.tsx";

/** How far the judge can be trusted, in words first. */
export function AuditResult({ runId, audit }: { runId: string; audit: JudgeAudit }) {
  return (
    <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className={`flex items-center gap-2 font-semibold ${audit.passed ? "text-good" : "text-warn"}`}>
        {audit.passed ? <Check aria-hidden size={16} /> : <CircleHelp aria-hidden size={16} />}
        {audit.passed
          ? "The judge agrees with you: its scores count as checked against people."
          : "Not shown to agree with you well enough: its scores stay marked as unchecked."}
      </p>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {factsOf(audit).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <ConfusionMatrix name="choices" confusion={audit.confusion} sides={{ down: "you", across: "judge" }} />
      {audit.notes.map((note) => (
        <p key={note} className="text-soft">
          {note}
        </p>
      ))}
      {audit.passed && <MarkScores runId={runId} />}
    </div>
  );
}

function factsOf(audit: JudgeAudit): readonly (readonly [string, string])[] {
  const { kappa, ci_lower, ci_upper, agreement, base_rate, self_consistency, position_flip_rate } = audit;
  const interval =
    ci_lower === null || ci_upper === null
      ? ""
      : ` (95 % interval ${formatKappa(ci_lower)} to ${formatKappa(ci_upper)})`;
  const known: readonly (readonly [string, string | null])[] = [
    ["Kappa, agreement beyond chance", kappa === null ? null : formatKappa(kappa) + interval],
    ["Same choice as you", share(agreement, `always the most frequent choice: ${formatPercent(base_rate)}`)],
    ["Same choice when asked again", share(self_consistency)],
    ["Other winner in the other order", share(position_flip_rate)],
  ];
  return known.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

const share = (value: number | null, beside?: string): string | null =>
  value === null ? null : formatPercent(value) + (beside === undefined ? "" : ` (${beside})`);

/** What a judge said before its audit is marked once the run is scored again; nobody is asked for that. */
function MarkScores({ runId }: { runId: string }) {
  const client = useQueryClient();
  const mark = useMutation({
    mutationFn: () => rescoreRun(runId, {}),
    onSuccess: () => void client.invalidateQueries(),
  });
  if (mark.isSuccess)
    return (
      <p>
        Marked.{" "}
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
        {mark.isPending ? "Marking …" : "Mark the scores of this run as checked"}
      </button>
    </>
  );
}
