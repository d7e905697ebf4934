import { Ban, CircleHelp, Equal, EqualApproximately, TrendingDown, TrendingUp, type LucideIcon } from "lucide-react";
import { Link } from "wouter";
import type { RunComparison, Verdict } from "../../src/contract/schemas/comparison.ts";
import { DemoBadge } from "../parts/runs/run-status.tsx";
import { formatMoment, formatSentence } from "../parts/text/format.ts";
import { verdictInWords } from "../parts/runs/scores.ts";
import { runPath } from "../parts/address/paths.ts";
import { runName } from "../parts/runs/run-facts.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { useRun } from "../run/use-run.ts";
import { ChangesLink } from "./changed-list.tsx";

/** The verdict in one sentence, or the reason why there is none. */
export function VerdictBanner({ comparison }: { comparison: RunComparison }) {
  const look = comparison.verdict && verdictStyles[comparison.verdict];
  const Icon = look?.icon ?? Ban;
  const { name, sentence } = verdictInWords(comparison);
  return (
    <section
      aria-label="Verdict"
      className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 rounded-lg border border-line p-4 ${look?.ground ?? "bg-warn-ground"}`}
    >
      <Icon aria-hidden size={24} className={`mt-0.5 ${look?.className ?? "text-warn"}`} />
      <p className="verbatim text-lg font-semibold">{formatSentence(sentence)}</p>
      {comparison.comparable && !comparison.scores.some(({ name }) => name === "overall") && (
        <p className="col-start-2 text-sm text-warn">
          The overall score could not be compared, so this verdict covers only {name}. Check the other scores before you
          decide.
        </p>
      )}
      <p className="col-start-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <ComparedRun run={comparison.candidate} />
        <span className="text-soft">vs.</span>
        <ComparedRun run={comparison.baseline} />
        {(comparison.baseline.demo || comparison.candidate.demo) && <DemoBadge />}
      </p>
      {comparison.comparable && (
        <p className="col-start-2 text-sm">
          <ChangesLink comparison={comparison} />
        </p>
      )}
    </section>
  );
}

function ComparedRun({ run }: { run: RunComparison["baseline"] }) {
  const name = useComparedName(run);
  return (
    <Link href={runPath(run.run_id)} className="link verbatim line-clamp-2" title={name}>
      {name}
    </Link>
  );
}

/** A compared run by time and name: both runs often share test and model. */
export function useComparedName(run: RunComparison["baseline"] | undefined): string {
  const nameOf = useModelName();
  const { data } = useRun(run?.run_id ?? "", { enabled: run !== undefined });
  if (!run) return "";
  const name = `${runName(run)} (${nameOf(run.model_id)})`;
  return data ? `${formatMoment(data.created_at, Date.now())} ${name}` : name;
}

interface VerdictStyle {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly className: string;
  readonly ground: string;
}

export const verdictStyles: Record<Verdict, VerdictStyle> = {
  better: { icon: TrendingUp, label: "better", className: "text-good", ground: "bg-good-ground" },
  worse: { icon: TrendingDown, label: "worse", className: "text-bad", ground: "bg-bad-ground" },
  closer: { icon: TrendingUp, label: "closer", className: "text-soft", ground: "bg-sunken" },
  less_close: { icon: TrendingDown, label: "less close", className: "text-soft", ground: "bg-sunken" },
  no_difference_seen: { icon: EqualApproximately, label: "may be chance", className: "text-soft", ground: "bg-sunken" },
  same: { icon: Equal, label: "the same", className: "text-soft", ground: "bg-sunken" },
  undecided: { icon: CircleHelp, label: "inconclusive", className: "text-warn", ground: "bg-warn-ground" },
};
