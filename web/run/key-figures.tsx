import { ShieldAlert, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { tellApart } from "../../src/base/numbers.ts";
import type { GateResult } from "../../src/contract/schemas/budget.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import type { ScoreStats } from "../../src/contract/schemas/score.ts";
import { failedTurns } from "../parts/runs/run-facts.ts";
import {
  formatCost,
  formatCount,
  formatEstimate,
  formatInteger,
  formatNoInterval,
  formatPercent,
  formatSample,
} from "../parts/text/format.ts";
import { scoreLabel } from "../parts/runs/scores.ts";
import { ProgressBar } from "../parts/runs/run-status.tsx";
import { repliedShare } from "../parts/runs/run-facts.ts";
import { RunDuration } from "../parts/runs/run-status.tsx";
import { isEnded } from "../parts/runs/run-facts.ts";
import { ScoreWithInterval } from "../parts/runs/run-status.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { useNow } from "../parts/text/time.tsx";
import { timeLeft } from "./run-progress.ts";
import { isLarge } from "./use-run.ts";

/** The scores of a large run are only loaded when it has ended; until then only its turns are counted. */
export const hasDeferredScores = (run: Run): boolean => isLarge(run) && !isEnded(run.state);

/** The key figures of a run. Failed requests are shown apart from quality. */
export function KeyFigures({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const { progress } = run;
  const nameOf = useModelName();
  const summary = run.summary ?? results?.summary;
  const usage = run.summary?.usage ?? results?.usage;
  const cost = summary?.cost;
  const overall = summary?.score_stats["overall"];
  const turns = failedTurns(run);
  const deferred = hasDeferredScores(run);
  return (
    <div className="grid gap-3">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
        <Figure
          label={isEnded(run.state) || deferred ? "Overall score" : "Overall so far"}
          note={scoreNote(overall, run)}
        >
          <ScoreWithInterval stats={overall} size="large" />
        </Figure>
        <Figure label="Success" note="turns with a reply">
          {formatPercent(repliedShare({ interactions: turns.of, failed: turns.failed }))}
        </Figure>
        <Figure
          label="Failed requests"
          note={`of ${formatInteger(turns.of)}; excluded from the score`}
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
            note={usage ? `${formatInteger(usage.output_tokens)} output` : deferred ? whenFinished : "unknown"}
          >
            {usage ? formatInteger(usage.total_tokens) : "–"}
          </Figure>
        )}
        <Figure label="Duration" note={isEnded(run.state) ? "start to finish" : "so far"}>
          <RunDuration run={run} />
        </Figure>
      </dl>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm text-soft">
        {!isEnded(run.state) && <ProgressBar progress={progress} />}
        <TimeLeftNote run={run} />
        {/* The figures that change every second stay outside, so that screen readers do not announce them. */}
        <div className="contents" aria-live="polite">
          {summary?.gate && <GateBadge gate={summary.gate} />}
          {summary?.stopped_by === "budget" && <span className="text-warn">stopped by its budget</span>}
          {(summary?.conflicts ?? 0) > 0 && (
            <span className="text-warn">
              ⚠ {formatCount(summary?.conflicts ?? 0, "reply", "replies")} may contradict the reference
            </span>
          )}
          {/* While a run is going on, its message is an outdated count; the progress bar is current. */}
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

const whenFinished = "available when the run finishes";

/** Attempts skipped by a spent budget count as done, so the note counts turns instead. */
function attemptsNote({ state, progress }: Run): string {
  const { attempts_done, attempts_total, interactions_done, interactions_total } = progress;
  const skipped = isEnded(state) && attempts_done === attempts_total && interactions_done < interactions_total;
  if (!skipped) return `${formatInteger(attempts_done)} done`;
  return `planned; ${formatInteger(interactions_done)} of ${formatInteger(interactions_total)} turns run`;
}

/** Replies without a price are not in the sum. */
function costNote({ unpriced }: { unpriced: number }, usage: { total_tokens: number } | undefined): string {
  if (unpriced > 0) return `excludes ${formatCount(unpriced, "reply", "replies")} of unknown price`;
  return usage ? `${formatInteger(usage.total_tokens)} tokens` : "so far";
}

function scoreNote(stats: Pick<ScoreStats, "n" | "ci_lower" | "method"> | undefined, run: Run): string {
  if (!stats && hasDeferredScores(run)) return whenFinished;
  if (!stats && !isEnded(run.state)) return "no scores yet";
  if (!stats) return repliedShare(run.summary) === 0 ? "no turn got a reply" : "no scores available, see Scores";
  return stats.ci_lower === null ? formatNoInterval(stats.method) : `95 % interval, ${formatSample(stats.n)}`;
}

interface FigureProps {
  readonly label: string;
  readonly note: string;
  readonly tone?: "plain" | "bad";
  readonly children: ReactNode;
}

function Figure({ label, note, tone = "plain", children }: FigureProps) {
  return (
    <div className="grid content-start gap-0.5 bg-surface px-3 py-2 sm:px-4 sm:py-3">
      <dt className="text-xs font-medium text-soft">{label}</dt>
      <dd>
        <span className={`text-lg font-semibold tabular-nums sm:text-2xl ${tone === "bad" ? "text-bad" : ""}`}>
          {children}
        </span>
        <span className="block text-xs text-soft max-sm:sr-only">{note}</span>
      </dd>
    </div>
  );
}

type Check = GateResult["checks"][number];

/** Checks whose required value is a maximum. */
const upperLimits: ReadonlySet<string> = new Set(["failure_rate", "unscored_rate"]);

/** The gate's verdict; expands to the failed checks. */
function GateBadge({ gate }: { gate: GateResult }) {
  const missed = gate.checks.filter((check) => !check.passed);
  if (gate.passed) {
    return (
      <span className="inline-flex items-center gap-1 font-medium text-good">
        <ShieldCheck aria-hidden size={14} /> gate passed
      </span>
    );
  }
  return (
    <details>
      <summary className="font-medium text-bad">
        <ShieldAlert aria-hidden size={14} className="mr-1 inline align-text-bottom" />
        gate failed: {formatCount(missed.length, "check")}
      </summary>
      <ul className="grid gap-0.5 pl-5 text-ink">
        {missed.map((check) => (
          <li key={`${check.name} ${check.scenario_id}`} className="verbatim list-disc tabular-nums">
            {describeCheck(check)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function describeCheck({ name, scenario_id, actual, required }: Check): string {
  if (name === "finished_attempts") return `${scenario_id}: no attempt was finished`;
  const what = `${scenario_id === undefined ? "" : `${scenario_id}: `}${scoreLabel(name)}`;
  const limit = `${upperLimits.has(name) ? "at most" : "at least"} ${required}`;
  return `${what} ${actual === null ? "is unknown" : tellApart(actual, required)}, must be ${limit}`;
}

/** The estimated time left, at the pace so far. */
function TimeLeftNote({ run }: { run: Run }) {
  const live = !isEnded(run.state) && !run.interrupted;
  const now = useNow(live ? 1000 : 0);
  const left = live ? timeLeft(run, now) : null;
  if (left === null) return null;
  return <span className="tabular-nums">{formatEstimate(left)} left</span>;
}
