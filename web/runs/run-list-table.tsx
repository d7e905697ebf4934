import { createColumnHelper, useTable } from "@tanstack/react-table";
import { memo, useMemo } from "react";
import { Link } from "wouter";
import type { Run, RunSummary } from "../../src/contract/schemas/run.ts";
import { judgedScenarios, passRateText } from "../../src/contract/schemas/outcome.ts";
import { BaselineChange, PinButton, useBaselines } from "../parts/runs/baselines.tsx";
import { DemoBadge, ProgressBar, RunDuration, RunStateBadge, ScoreWithInterval } from "../parts/runs/run-status.tsx";
import { isEnded, repliedShare, replyHealth, runName, runTitle } from "../parts/runs/run-facts.ts";
import {
  formatCost,
  formatCount,
  formatEstimate,
  formatInteger,
  formatPercent,
  formatScore,
} from "../parts/text/format.ts";
import { historyPath, runPath } from "../parts/address/paths.ts";
import { SortHeader, sortingFeatures, useSortingState } from "../parts/lists/sorting.tsx";
import { TimeAgo, useNow } from "../parts/text/time.tsx";
import { timeLeft } from "../run/run-progress.ts";
import { useModelName } from "../parts/runs/model-names.ts";

interface RunListTableProps {
  readonly runs: readonly Run[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

/** Newest first unless sorted. On narrow screens each row becomes a card. */
export function RunListTable({ runs, chosen, onToggle }: RunListTableProps) {
  const trends = useMemo(() => scoreTrends(runs), [runs]);
  const priced = runs.some((run) => run.summary?.cost);
  const table = useTable({
    features: sortingFeatures,
    columns: runColumns,
    data: runs,
    getRowId: (run) => run.run_id,
    ...useSortingState(),
  });
  return (
    <table className="run-table many-columns">
      <caption className="sr-only">Runs</caption>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers
              .filter(({ id }) => priced || id !== "cost")
              .map((header) => (
                <SortHeader key={header.id} header={header} {...(columnHeaders[header.id] ?? { label: header.id })} />
              ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map(({ original: run }) => (
          <RunRow
            key={run.run_id}
            run={run}
            trend={trends.get(run.run_id) ?? noTrend}
            chosen={chosen.has(run.run_id)}
            onToggle={onToggle}
            priced={priced}
          />
        ))}
      </tbody>
    </table>
  );
}

const noTrend: readonly number[] = [];

const column = createColumnHelper<typeof sortingFeatures, Run>();
const last = { sortUndefined: "last" as const };

interface ColumnHeader {
  readonly label: string;
  readonly number?: true;
  readonly title?: string;
}

const columnHeaders: Readonly<Record<string, ColumnHeader>> = {
  name: { label: "Test" },
  model: { label: "Model" },
  passing: { label: "Passing", number: true, title: "Scenarios of which every attempt passed" },
  overall: { label: "Overall [95 %]" },
  baseline: { label: "Baseline", title: "Difference from the pinned run of the same test" },
  replies: { label: "Replies", number: true, title: "Share of turns answered" },
  flaky: { label: "Flaky", number: true, title: "Scenarios whose attempts differ" },
  cost: { label: "Cost", number: true },
  duration: { label: "Duration", number: true },
  when: { label: "When", number: true },
};

/** Sortable columns. */
const runColumns = column.columns([
  column.accessor("test_name", { id: "name", sortFn: "text" }),
  column.accessor("model_id", { id: "model", sortFn: "text" }),
  column.accessor((run) => passingShare(run.summary), { id: "passing", ...last }),
  column.accessor((run) => run.summary?.average_scores["overall"], { id: "overall", ...last }),
  column.display({ id: "baseline" }),
  column.accessor((run) => repliedShare(run.summary) ?? undefined, { id: "replies", ...last }),
  column.accessor((run) => flakyCount(run.summary), { id: "flaky" }),
  column.accessor((run) => run.summary?.cost?.total, { id: "cost", ...last }),
  column.accessor(durationOf, { id: "duration", ...last }),
  column.accessor((run) => Date.parse(run.created_at), { id: "when" }),
]);

/** Undefined without a verdict. */
function passingShare(summary: RunSummary | null): number | undefined {
  const scenarios = summary?.scenarios;
  const judged = scenarios ? judgedScenarios(scenarios) : 0;
  return scenarios && judged > 0 ? scenarios.passing / judged : undefined;
}

function durationOf({ started_at, finished_at }: Run): number | undefined {
  return started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : undefined;
}

const maxTrendRuns = 20;

/** For each run, the overall scores of its test up to that run, oldest first. `runs` are newest first. */
function scoreTrends(runs: readonly Run[]): Map<string, readonly number[]> {
  const trends = new Map<string, readonly number[]>();
  const soFar = new Map<string, readonly number[]>();
  for (const run of runs.toReversed()) {
    const overall = run.summary?.average_scores["overall"];
    if (overall === undefined) continue;
    const values = [...(soFar.get(run.test_name) ?? []), overall].slice(-maxTrendRuns);
    soFar.set(run.test_name, values);
    trends.set(run.run_id, values);
  }
  return trends;
}

interface RunRowProps {
  readonly run: Run;
  readonly trend: readonly number[];
  readonly chosen: boolean;
  readonly onToggle: (id: string) => void;
  /** True if any listed run has a cost. */
  readonly priced: boolean;
}

const RunRow = memo(function RunRow({ run, trend, chosen, onToggle, priced }: RunRowProps) {
  const { progress, summary } = run;
  const nameOf = useModelName();
  return (
    <tr>
      <td data-cell="title">
        <span className="flex items-start gap-2">
          <input
            type="checkbox"
            className="row-check mt-0.5"
            aria-label={`Select ${runTitle(run, nameOf(run.model_id))}`}
            checked={chosen}
            onChange={() => onToggle(run.run_id)}
          />
          <span className="grid gap-0.5 min-[75rem]:min-w-38">
            <span className="flex flex-wrap items-center gap-x-2">
              <Link href={runPath(run.run_id)} className="row-link" title={runName(run)} data-row="">
                {runName(run)}
              </Link>
              {run.demo && <DemoBadge short />}
            </span>
            <span className="flex flex-wrap items-center gap-x-2 text-xs text-soft">
              <RunStateBadge run={run} />
              {formatCount(progress.attempts_total, "attempt")}
              {run.tags?.map((tag) => (
                <Link key={tag} href={`/runs?${new URLSearchParams({ tag }).toString()}`} className="tag">
                  {tag}
                </Link>
              ))}
            </span>
          </span>
        </span>
      </td>
      <td data-label="Model" className="mono break-all min-[75rem]:max-w-48 min-[75rem]:min-w-32" title={run.model_id}>
        <span className="clipped">{nameOf(run.model_id)}</span>
      </td>
      <td data-label="Passing" className="number whitespace-nowrap">
        <Passing summary={summary} />
      </td>
      <td data-label="Overall" className="whitespace-nowrap">
        {isEnded(run.state) ? (
          <span className="inline-flex items-center gap-2 max-[75rem]:flex-wrap">
            <ScoreWithInterval stats={summary?.score_stats["overall"]} />
            {trend.length > 1 && (
              <Link href={historyPath(run.test_name)} className="relative z-1" aria-label="Score history">
                <SparkLine values={trend} />
              </Link>
            )}
          </span>
        ) : (
          <span className="inline-grid gap-0.5">
            <ProgressBar progress={progress} />
            <TimeLeft run={run} />
          </span>
        )}
      </td>
      <td data-label="Baseline">
        <BaselineCell run={run} />
      </td>
      <td data-label="Replies" className={`number ${replyHealth(run) === "bad" ? "font-semibold text-infra" : ""}`}>
        {formatPercent(repliedShare(summary))}
      </td>
      <td data-label="Flaky" className="number" title={summary?.flakiness?.sentence}>
        <Flaky count={flakyCount(summary)} />
      </td>
      {priced && (
        <td data-label="Cost" className="number">
          {summary?.cost ? formatCost(summary.cost) : "–"}
        </td>
      )}
      <td data-label="Duration" className="number">
        <RunDuration run={run} />
      </td>
      <td data-label="When" className="number text-soft">
        <TimeAgo iso={run.created_at} />
      </td>
    </tr>
  );
});

function Flaky({ count }: { count: number }) {
  if (count === 0) return <span className="text-faint">0</span>;
  return <span className="whitespace-nowrap text-warn">{formatInteger(count)}</span>;
}

/** "7 of 8": green when all pass, red when none does; below it, how many pass although a turn always fails. */
function Passing({ summary }: { summary: RunSummary | null }) {
  const judged = summary?.scenarios ? judgedScenarios(summary.scenarios) : 0;
  if (!summary?.scenarios || judged === 0) return <span className="text-faint">–</span>;
  if (summary.scenarios.no_reply === judged) return <span className="text-infra">no reply</span>;
  const { passing } = summary.scenarios;
  const marked = (summary.always_failing ?? []).length;
  return (
    <span title={passRateText(summary) ?? ""}>
      <span className={`font-semibold ${passing === judged ? "text-good" : passing === 0 ? "text-bad" : ""}`}>
        {formatInteger(passing)}
      </span>
      <span className="text-soft"> of {formatInteger(judged)}</span>
      {marked > 0 && (
        <span className="ml-auto block max-w-24 text-xs whitespace-normal text-warn">
          {formatInteger(marked)} with a turn that always fails
        </span>
      )}
    </span>
  );
}

function TimeLeft({ run }: { run: Run }) {
  const now = useNow(run.interrupted ? 0 : 1000);
  const left = run.interrupted ? null : timeLeft(run, now);
  return left === null ? null : <span className="text-xs text-soft tabular-nums">{formatEstimate(left)} left</span>;
}

function BaselineCell({ run }: { run: Run }) {
  const baseline = useBaselines()[run.test_name];
  if (!isEnded(run.state)) return null;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {baseline?.runId === run.run_id && <span className="text-xs font-medium text-accent">baseline</span>}
      <BaselineChange run={run} overall={run.summary?.average_scores["overall"] ?? null} short />
      <PinButton run={run} />
    </span>
  );
}

const sparkWidth = 64;
const sparkHeight = 20;
const sparkMargin = 3;

/** Overall scores of a test, oldest first; the dot is this run. Plain SVG, because a chart library would double the first view. */
function SparkLine({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const x = (index: number): number => sparkMargin + (index * (sparkWidth - 2 * sparkMargin)) / (values.length - 1);
  const y = (value: number): number => sparkHeight - sparkMargin - value * (sparkHeight - 2 * sparkMargin);
  const points = values.map((value, index) => `${x(index)},${y(value)}`).join(" ");
  return (
    <svg
      role="img"
      aria-label={`Runs of this test up to this one: ${values.map(formatScore).join(", ")}`}
      width={sparkWidth}
      height={sparkHeight}
      className="inline-block align-middle"
    >
      <polyline points={points} strokeWidth={1.5} className="fill-none stroke-line-strong" />
      <circle cx={x(values.length - 1)} cy={y(values.at(-1) ?? 0)} r={2.5} className="fill-accent" />
    </svg>
  );
}

/** Scenarios of which some attempts passed and others failed. Older runs only list those whose attempts differ at all. */
const flakyCount = (summary: RunSummary | null): number => summary?.flaky ?? summary?.flakiness?.scenarios.length ?? 0;
