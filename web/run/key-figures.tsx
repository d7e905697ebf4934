import { ShieldAlert, ShieldCheck } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { roundApartFrom } from "../../src/base/numbers.ts";
import type { GateResult } from "../../src/contract/schemas/budget.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { howToJudge, judgedScenarios, passRate } from "../../src/contract/schemas/outcome.ts";
import type { RunScenarioList } from "../../src/contract/schemas/run-scenarios.ts";
import type { Run, RunSummary } from "../../src/contract/schemas/run.ts";
import type { ScoreStats } from "../../src/contract/schemas/scores/score.ts";
import { BaselineChange } from "../parts/runs/baselines.tsx";
import { failedTurns, isEnded, repliedShare } from "../parts/runs/run-facts.ts";
import {
  formatCost,
  formatCount,
  formatEstimate,
  formatInteger,
  formatNoInterval,
  formatPercent,
  formatRate,
  formatSample,
} from "../parts/text/format.ts";
import { scoreLabel } from "../parts/runs/scores.ts";
import { SimulatedUsersNote } from "../parts/runs/simulated-users.tsx";
import { ProgressBar, RunDuration, ScoreWithInterval } from "../parts/runs/run-status.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { useNow } from "../parts/text/time.tsx";
import { timeLeft } from "./run-progress.ts";
import { countVerdicts, passHatK } from "./grid/scenario-rows.ts";
import { isLarge, useScoreSoFar } from "./use-run.ts";

/** The scores of a large run are only loaded when it has ended; until then only its turns are counted. */
export const hasDeferredScores = (run: Run): boolean => isLarge(run) && !isEnded(run.state);

/** The result of a run in one line, then its other figures. Failed requests are shown apart from quality. */
export function KeyFigures({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const { progress } = run;
  const nameOf = useModelName();
  const summary = run.summary ?? results?.summary;
  const usage = run.summary?.usage ?? results?.usage;
  const cost = summary?.cost;
  const turns = failedTurns(run);
  const deferred = hasDeferredScores(run);
  const soFar = useScoreSoFar(run.run_id, { enabled: deferred }).data;
  const overall = summary?.score_stats["overall"] ?? soFar?.overall;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Headline run={run} overall={overall} verdicts={useVerdicts({ summary, results, soFar })} />
      <ActingFigures summary={summary} results={results} />
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-4">
        <Figure label="Replies" note={repliesNote(turns)} tone={turns.failed > 0 ? "infra" : "plain"}>
          {formatPercent(repliedShare({ interactions: turns.of, failed: turns.failed }))}
        </Figure>
        <Figure label="Attempts" note={attemptsNote(run)}>
          {formatInteger(isEnded(run.state) ? progress.attempts_total : progress.attempts_done)}
        </Figure>
        {cost ? (
          <Figure label="Cost" note={costNote(cost, usage)}>
            {formatCost(cost)}
          </Figure>
        ) : (
          <Figure label="Tokens" note={usage ? outputNote(usage) : deferred ? whenFinished : "unknown"}>
            {usage ? formatInteger(usage.total_tokens) : "–"}
          </Figure>
        )}
        <Figure label="Duration" note={isEnded(run.state) ? "start to finish" : "so far"}>
          <RunDuration run={run} />
        </Figure>
      </dl>
      {summary?.simulated_users && <SimulatedUsersNote users={summary.simulated_users} />}
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm text-soft">
        {!isEnded(run.state) && <ProgressBar progress={progress} />}
        <PaceNote run={run} />
        {/* The figures that change every second stay outside, so that screen readers do not announce them. */}
        <div className="contents" aria-live="polite">
          {summary?.gate && <GateBadge gate={summary.gate} />}
          {(summary?.conflicts ?? 0) > 0 && (
            <span className="text-warn">
              {formatCount(summary?.conflicts ?? 0, "reply", "replies")} may contradict the reference
            </span>
          )}
          {figureMessage(run) !== "" && <span className="verbatim">{figureMessage(run)}</span>}
        </div>
        <span className="mono break-all">
          {nameOf(run.model_id)} at {run.endpoint}
        </span>
      </div>
    </div>
  );
}

function repliesNote({ failed, of }: ReturnType<typeof failedTurns>): string {
  if (failed > 0) return `${formatInteger(failed)} of ${formatInteger(of)} requests failed; excluded from the score`;
  return of === 0 ? "none yet" : `share of ${formatInteger(of)} turns answered`;
}

const outputNote = ({ total_tokens, output_tokens }: NonNullable<EvaluationResponse["usage"]>): string =>
  total_tokens === 0 ? "none yet" : `${formatInteger(output_tokens)} of them output`;

/** True when a run has outcomes or compared tool calls. */
export const hasActed = (summary: Pick<RunSummary, "score_stats"> | null | undefined): boolean =>
  ["outcome", "outcome.replies", "tool_match"].some((name) => summary?.score_stats[name] !== undefined);

interface ActingFiguresProps {
  readonly summary: Pick<RunSummary, "score_stats" | "pass_hat_k"> | undefined;
  readonly results: EvaluationResponse | undefined;
}

/** Figures of a run with tools: attempts with the expected outcome, how reliably, and turns with the right tool calls. */
function ActingFigures({ summary, results }: ActingFiguresProps) {
  const counted = useMemo(() => (results ? passHatK(results) : null), [results]);
  if (!summary || !hasActed(summary)) return null;
  // The turns of a large run are not loaded. While a run is under way, the summary is that of the loaded turns.
  const reliability = summary.pass_hat_k ?? counted;
  const { outcome, tool_match, tool_name_f1, tool_arguments } = summary.score_stats;
  return (
    <dl aria-label="What the agent did" className="grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-4">
      {outcome && (
        <Figure label="Outcomes met" note={intervalNote(outcome)}>
          {formatPercent(outcome.mean)}
        </Figure>
      )}
      {outcome && reliability && (
        <Figure
          label={`pass^${reliability.k}`}
          note={`chance that all of ${formatCount(reliability.k, "attempt")} pass`}
        >
          {formatPercent(reliability.mean)}
        </Figure>
      )}
      {tool_match && (
        <Figure label="Tool calls right" note={intervalNote(tool_match)}>
          {formatPercent(tool_match.mean)}
        </Figure>
      )}
      {tool_match && tool_name_f1 && (
        <Figure
          label="Right tools"
          note={tool_arguments ? `right arguments ${formatPercent(tool_arguments.mean)}` : "by name"}
        >
          {formatPercent(tool_name_f1.mean)}
        </Figure>
      )}
    </dl>
  );
}

/** The values of a mean are those of its scenarios. */
function intervalNote({ ci_lower, ci_upper, n }: ScoreStats): string {
  const of = `over ${formatCount(n, "scenario")}`;
  if (ci_lower === null || ci_upper === null) return of;
  return `${of}, 95 %: ${formatPercent(ci_lower)} to ${formatPercent(ci_upper)}`.replaceAll(" %", "\u00A0%");
}

/**
 * The message of a run, without what the headline and the state say already. While a run is going on, its message is an outdated
 * count; the progress bar is current.
 */
function figureMessage({ state, interrupted, message }: Run): string {
  if (!isEnded(state)) return state === "queued" || interrupted ? message : "";
  return message.replace(/^Evaluation (?:completed:|cancelled:|stopped by budget,) [^;]*(?:; )?/, "");
}

type Verdicts = Pick<RunSummary, "scenarios" | "always_failing"> & Partial<Pick<RunSummary, "average_scores">>;

interface VerdictSources {
  readonly summary: Verdicts | undefined;
  readonly results: EvaluationResponse | undefined;
  readonly soFar: RunScenarioList | undefined;
}

/** Verdicts by scenario: from the summary, from the loaded turns, or from the list of a large run under way. */
function useVerdicts({ summary, results, soFar }: VerdictSources): Verdicts {
  const counted = useMemo(
    () => (results && !summary?.scenarios ? countVerdicts(results) : undefined),
    [results, summary],
  );
  if (summary?.scenarios) return summary;
  if (counted || !soFar) return counted ?? {};
  const total = Object.values(soFar.counts).reduce((sum, count) => sum + count, 0);
  return { scenarios: { total, no_reply: 0, ...soFar.counts } };
}

interface HeadlineProps {
  readonly run: Run;
  readonly overall: ScoreStats | undefined;
  readonly verdicts: Verdicts;
}

/** "7 of 8 scenarios pass · 0.87 ± 0.08 · +0.04 vs. baseline", and how sure that is. */
function Headline({ run, overall, verdicts }: HeadlineProps) {
  const counted = passRate(verdicts);
  const scored = overall !== undefined && overall.mean !== null;
  const soFar = isEnded(run.state) ? "" : " so far";
  const isUnjudged = verdicts.scenarios !== undefined && judgedScenarios(verdicts.scenarios) === 0;
  const rate = isUnjudged && !scored ? null : counted;
  const notes = [...(rate?.notes ?? []), ...(rate && isUnjudged ? [howToJudge] : [])];
  return (
    <div role="group" aria-label="Result" className="grid gap-0.5">
      <p className="text-xl font-semibold tabular-nums sm:text-2xl">
        {rate ? `${rate.headline}${soFar}` : scored ? "" : missingScoreText(run)}
        {scored && (
          <>
            {rate && <Dot />}
            <ScoreWithInterval stats={overall} size="large" />
          </>
        )}
        <BaselineChange run={run} overall={overall?.mean ?? null} before={<Dot />} />
      </p>
      <p className="text-sm text-soft">
        {notes.length > 0 && <span className="text-warn">{notes.join(", ")}</span>}
        {notes.length > 0 && scored && " · "}
        {scored && `overall score${soFar}: ${scoreNote(overall)}`}
      </p>
    </div>
  );
}

const Dot = () => <span className="font-normal text-faint"> · </span>;

function missingScoreText(run: Run): string {
  if (hasDeferredScores(run)) return `Scores: ${whenFinished}`;
  if (!isEnded(run.state)) return "No scores yet";
  return repliedShare(run.summary) === 0 ? "No scores: no turn got a reply" : "No scores available, see Scores";
}

const whenFinished = "available when the run finishes";

/** Attempts skipped by a spent budget count as done, so the note counts turns instead. A simulated user needs no more turns than it likes. */
function attemptsNote({ state, progress, summary }: Run): string {
  const { attempts_done, attempts_total, interactions_done, interactions_total } = progress;
  if (!isEnded(state)) return `of ${formatInteger(attempts_total)} done`;
  if (attempts_done < attempts_total) return `planned; ${formatInteger(attempts_done)} done`;
  if (interactions_done === interactions_total || summary?.simulated_users) return "all done";
  return `planned; ${formatInteger(interactions_done)} of ${formatInteger(interactions_total)} turns run`;
}

/** Replies without a price are not in the sum. */
function costNote({ unpriced }: { unpriced: number }, usage: { total_tokens: number } | undefined): string {
  if (unpriced > 0) return `excludes ${formatCount(unpriced, "reply", "replies")} of unknown price`;
  return usage ? `${formatInteger(usage.total_tokens)} tokens` : "so far";
}

const scoreNote = (stats: ScoreStats): string =>
  stats.ci_lower === null
    ? `no interval, ${formatNoInterval(stats.method)}`
    : `95 % interval, ${formatSample(stats.n)}`;

interface FigureProps {
  readonly label: string;
  readonly note: string;
  readonly tone?: "plain" | "infra";
  readonly children: ReactNode;
}

function Figure({ label, note, tone = "plain", children }: FigureProps) {
  return (
    <div>
      <dt className="text-xs text-soft">{label}</dt>
      <dd className="text-sm">
        <span className={`font-semibold tabular-nums ${tone === "infra" ? "text-infra" : ""}`}>{children}</span>{" "}
        <span className="text-xs text-soft max-sm:sr-only">{note}</span>
      </dd>
    </div>
  );
}

type Check = GateResult["checks"][number];

/** Checks whose required value is a maximum. */
const upperLimits: ReadonlySet<string> = new Set(["failure_rate", "unscored_rate", "simulator_failure_rate"]);

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
  return `${what} ${actual === null ? "is unknown" : roundApartFrom(actual, required)}, must be ${limit}`;
}

/** The pace so far, and the time left at that pace. */
function PaceNote({ run }: { run: Run }) {
  const live = !isEnded(run.state) && !run.interrupted;
  const now = useNow(live ? 1000 : 0);
  const left = live ? timeLeft(run, now) : null;
  if (left === null || !run.started_at) return null;
  const rate = formatRate(run.progress.interactions_done, now - Date.parse(run.started_at));
  return (
    <span className="tabular-nums">
      {rate}, {formatEstimate(left)} left
    </span>
  );
}
