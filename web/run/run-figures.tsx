import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { ScoreStats } from "../../src/contract/schemas/score.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { failedTurns } from "../parts/failed-turns.ts";
import {
  formatCost,
  formatCount,
  formatInteger,
  formatNoInterval,
  formatPercent,
  formatSample,
} from "../parts/format.ts";
import { ProgressBar } from "../parts/progress-bar.tsx";
import { repliedShare } from "../parts/replied-share.ts";
import { RunDuration } from "../parts/run-duration.tsx";
import { isEnded } from "../parts/run-state.ts";
import { ScoreWithInterval } from "../parts/score-with-interval.tsx";
import { useModelName } from "../parts/use-model-name.ts";
import { Figure } from "./figure.tsx";
import { GateBadge } from "./gate-badge.tsx";
import { onlyCounted } from "./only-counted.ts";
import { TimeLeftNote } from "./time-left-note.tsx";

/** The run in one line: quality, availability, cost. Failures stand apart from quality. */
export function RunFigures({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const { progress } = run;
  const nameOf = useModelName();
  const summary = run.summary ?? results?.summary;
  const usage = run.summary?.usage ?? results?.usage;
  const cost = summary?.cost;
  const overall = summary?.score_stats["overall"];
  const turns = failedTurns(run);
  const counted = onlyCounted(run);
  return (
    <div className="grid gap-3">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
        <Figure
          label={isEnded(run.state) || counted ? "Overall score" : "Overall so far"}
          note={scoreNote(overall, run)}
        >
          <ScoreWithInterval stats={overall} size="large" />
        </Figure>
        <Figure label="Success" note="turns with a reply">
          {formatPercent(repliedShare({ interactions: turns.of, failed: turns.failed }))}
        </Figure>
        <Figure
          label="Failed requests"
          note={`of ${formatInteger(turns.of)}; not in the score`}
          tone={turns.failed > 0 ? "bad" : "plain"}
        >
          {turns.failed > 0 && "! "}
          {formatInteger(turns.failed)}
        </Figure>
        <Figure label="Attempts" note={attemptsNote(run)}>
          {formatInteger(progress.attempts_total)}
        </Figure>
        {cost ? (
          <Figure label="Cost" note={costNote(cost, usage)}>
            {formatCost(cost)}
          </Figure>
        ) : (
          <Figure
            label="Tokens"
            note={usage ? `${formatInteger(usage.output_tokens)} written` : counted ? atTheEnd : "not known"}
          >
            {usage ? formatInteger(usage.total_tokens) : "–"}
          </Figure>
        )}
        <Figure label="Duration" note={isEnded(run.state) ? "from start to end" : "so far"}>
          <RunDuration run={run} />
        </Figure>
      </dl>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm text-soft">
        {!isEnded(run.state) && <ProgressBar progress={progress} />}
        <TimeLeftNote run={run} />
        {/* What changes every second is not read out. */}
        <div className="contents" aria-live="polite">
          {summary?.gate && <GateBadge gate={summary.gate} />}
          {summary?.stopped_by === "budget" && <span className="text-warn">stopped by its budget</span>}
          {(summary?.conflicts ?? 0) > 0 && (
            <span className="text-warn">
              ⚠ {formatCount(summary?.conflicts ?? 0, "reply contradicts", "replies contradict")} the reference on some
              point
            </span>
          )}
          {/* While a run goes on, its message is a count from when it was last read: the bar knows better. */}
          {(isEnded(run.state) || run.state === "queued" || run.interrupted) && run.message && (
            <span className="verbatim">{run.message}</span>
          )}
        </div>
        <span className="mono break-all">
          {nameOf(run.model_id)} at {run.endpoint}
        </span>
      </div>
    </div>
  );
}

const atTheEnd = "known when it has ended";

/** Attempts that a spent budget left out count as done: the turns tell how much was run. */
function attemptsNote({ state, progress }: Run): string {
  const { attempts_done, attempts_total, interactions_done, interactions_total } = progress;
  const skipped = isEnded(state) && attempts_done === attempts_total && interactions_done < interactions_total;
  if (!skipped) return `${formatInteger(attempts_done)} done`;
  return `planned; ${formatInteger(interactions_done)} of ${formatInteger(interactions_total)} turns run`;
}

/** What has no price is not in the sum. */
function costNote({ unpriced }: { unpriced: number }, usage: { total_tokens: number } | undefined): string {
  if (unpriced > 0) return `without ${formatCount(unpriced, "reply", "replies")} of unknown price`;
  return usage ? `${formatInteger(usage.total_tokens)} tokens` : "so far";
}

function scoreNote(stats: Pick<ScoreStats, "n" | "ci_lower" | "method"> | undefined, run: Run): string {
  if (!stats && onlyCounted(run)) return atTheEnd;
  if (!stats && !isEnded(run.state)) return "nothing scored yet";
  if (!stats) return repliedShare(run.summary) === 0 ? "no turn got a reply" : "nothing could be scored: see Scores";
  return stats.ci_lower === null ? formatNoInterval(stats.method) : `95 % interval, ${formatSample(stats.n)}`;
}
