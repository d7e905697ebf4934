import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { Run } from "../../src/contract/run.ts";
import { formatInteger, formatPercent } from "../parts/format.ts";
import { ProgressBar } from "../parts/progress-bar.tsx";
import { RunDuration } from "../parts/run-duration.tsx";
import { isEnded } from "../parts/run-state.ts";
import { ScoreWithInterval } from "../parts/score-with-interval.tsx";
import { Figure } from "./figure.tsx";

/** The run in one line: quality, availability, cost. Failures stand apart from quality. */
export function RunFigures({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const { progress } = run;
  const summary = run.summary ?? results?.summary;
  const usage = run.summary?.usage ?? results?.usage;
  const overall = summary?.score_stats["overall"];
  return (
    <div className="grid gap-3">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
        <Figure label={isEnded(run.state) ? "Overall score" : "Overall so far"} note={scoreNote(overall)}>
          <ScoreWithInterval stats={overall} size="large" />
        </Figure>
        <Figure label="Success" note="replies, mean of scenarios">
          {formatPercent(summary?.average_scores["success"])}
        </Figure>
        <Figure
          label="Failed turns"
          note={`of ${formatInteger(progress.interactions_total)}; not in the score`}
          tone={progress.interactions_failed > 0 ? "bad" : "plain"}
        >
          {progress.interactions_failed > 0 && "! "}
          {formatInteger(progress.interactions_failed)}
        </Figure>
        <Figure label="Attempts" note={`${formatInteger(progress.attempts_done)} done`}>
          {formatInteger(progress.attempts_total)}
        </Figure>
        <Figure label="Tokens" note={usage ? `${formatInteger(usage.output_tokens)} written` : "not known"}>
          {usage ? formatInteger(usage.total_tokens) : "–"}
        </Figure>
        <Figure label="Duration" note={isEnded(run.state) ? "from start to end" : "so far"}>
          <RunDuration run={run} />
        </Figure>
      </dl>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft" aria-live="polite">
        {!isEnded(run.state) && <ProgressBar progress={progress} />}
        {run.message && <span className="verbatim">{run.message}</span>}
        <span className="mono break-all">
          {run.model_id} at {run.endpoint}
        </span>
      </div>
    </div>
  );
}

function scoreNote(stats: { n: number; ci_lower: number | null } | undefined): string {
  if (!stats) return "nothing scored yet";
  return stats.ci_lower === null ? `n = ${stats.n}` : `95 % interval, n = ${stats.n}`;
}
