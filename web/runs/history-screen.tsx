import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { fetchRuns } from "../api/runs.ts";
import { runPath } from "../parts/address/paths.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { ScoreWithInterval } from "../parts/runs/run-status.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatCount, formatDate, formatMargin, formatMoment, formatScore, formatValue } from "../parts/text/format.ts";
import { scoresOf, toHistory, valueScale, type HistoryPoint } from "./score-history.ts";

const mostRuns = 500;

/** One score of all runs of a test over time. `?test=` names the test, `?score=` the score. */
export default function HistoryScreen() {
  const [params] = useSearchState();
  const test = params.get("test") ?? "";
  const runs = useQuery({
    queryKey: ["runs", "history", test],
    queryFn: ({ signal }) => fetchTestRuns(test, signal),
    enabled: test !== "",
  });
  const names = scoresOf(runs.data ?? []);
  const score = params.get("score") ?? names[0] ?? "overall";
  const points = toHistory(runs.data ?? [], score);
  return (
    <Screen
      title={`Score history · ${test}`}
      heading={
        <>
          {test === "" ? "Choose a test" : "Score history of "}
          <span className="verbatim">{test}</span>
        </>
      }
      actions={
        names.length > 1 && (
          <label className="flex items-center gap-2 text-sm text-soft">
            Score
            <select
              className="field min-h-8.5 w-52"
              value={score}
              onChange={(event) => changeSearch({ score: event.target.value })}
            >
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )
      }
    >
      {runs.isPending && test !== "" && <Skeleton rows={6} label="Loading the runs" />}
      {runs.isError && <FailedNotice error={runs.error} onRetry={() => void runs.refetch()} />}
      {(test === "" || (runs.isSuccess && points.length === 0)) && (
        <p className="panel p-6 text-soft">
          {test === ""
            ? "The score history of a test opens from its runs."
            : `No finished run with the score “${score}” yet.`}{" "}
          <Link href="/runs" className="link">
            Go to Runs
          </Link>
        </p>
      )}
      {points.length > 0 && (
        <>
          <HistoryChart points={points} score={score} />
          <HistoryTable points={points} />
        </>
      )}
    </Screen>
  );
}

/** The newest runs of a test. */
async function fetchTestRuns(test_name: string, signal: AbortSignal): Promise<Run[]> {
  const runs: Run[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchRuns({ test_name, cursor, limit: "200" }, signal);
    runs.push(...page.runs);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && runs.length < mostRuns);
  return runs;
}

const height = 300;
const margin = { left: 52, right: 16, top: 12, bottom: 34 };

/** Means with their 95 % intervals, evenly spaced in the order of time: runs come in bursts. One line per model. */
function HistoryChart({ points, score }: { points: readonly HistoryPoint[]; score: string }) {
  const [shown, setShown] = useState<number | null>(null);
  const nameOf = useModelName();
  const scale = valueScale(points);
  const area = useRef<HTMLDivElement>(null);
  const width = useWidth(area);
  const x = (index: number): number =>
    points.length === 1
      ? width / 2
      : margin.left + 10 + (index * (width - margin.left - margin.right - 20)) / (points.length - 1);
  const y = (value: number): number =>
    margin.top + ((scale.to - value) * (height - margin.top - margin.bottom)) / (scale.to - scale.from);
  const models = [...new Set(points.map(({ run }) => run.model_id))];
  const focus = shown === null ? undefined : points[shown];
  return (
    <figure className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
      <div ref={area}>
        <svg
          width={width}
          height={height}
          className="block max-w-full"
          role="img"
          aria-label={`${score} of ${formatCount(points.length, "run")}, oldest first: ${points.map(({ mean }) => formatScore(mean)).join(", ")}`}
          onMouseLeave={() => setShown(null)}
        >
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
              <text x={margin.left - 8} y={y(tick) + 4} textAnchor="end" className="fill-soft text-xs tabular-nums">
                {formatTick(tick)}
              </text>
            </g>
          ))}
          {dateTicks(points, Math.max(2, Math.min(6, Math.floor(width / 90)))).map(({ index, text }) => (
            <text key={index} x={x(index)} y={height - 10} textAnchor="middle" className="fill-soft text-xs">
              {text}
            </text>
          ))}
          {models.map((model, at) => (
            <polyline
              key={model}
              points={points
                .flatMap(({ run, mean }, index) => (run.model_id === model ? `${x(index)},${y(mean)}` : []))
                .join(" ")}
              className={`fill-none ${strokes[at % strokes.length]}`}
              strokeWidth={1.5}
              strokeDasharray={dashes[Math.floor(at / strokes.length) % dashes.length]}
            />
          ))}
          {points.map(({ run, mean, lower, upper }, index) => (
            <g key={run.run_id} onMouseEnter={() => setShown(index)}>
              {/* A wide area to hover. */}
              <rect
                x={x(index) - 8}
                y={margin.top}
                width={16}
                height={height - margin.top - margin.bottom}
                fill="transparent"
              />
              {lower !== null && upper !== null && (
                <line
                  x1={x(index)}
                  x2={x(index)}
                  y1={y(lower)}
                  y2={y(upper)}
                  strokeWidth={3}
                  className="stroke-line-strong opacity-50"
                />
              )}
              <circle
                cx={x(index)}
                cy={y(mean)}
                r={index === shown ? 5 : 3.5}
                className={fills[models.indexOf(run.model_id) % fills.length]}
              />
            </g>
          ))}
        </svg>
      </div>
      <figcaption className="flex min-h-5 flex-wrap items-center gap-x-4 text-sm text-soft tabular-nums">
        {focus ? (
          <span className="text-ink">
            {formatDate(focus.run.created_at)} · {nameOf(focus.run.model_id)} · {marginText(focus)}
          </span>
        ) : (
          <>
            {models.map((model, at) => (
              <span key={model} className="inline-flex items-center gap-1.5">
                <svg width={18} height={8} aria-hidden>
                  <line
                    x1={0}
                    x2={18}
                    y1={4}
                    y2={4}
                    strokeWidth={2}
                    className={strokes[at % strokes.length]}
                    strokeDasharray={dashes[Math.floor(at / strokes.length) % dashes.length]}
                  />
                </svg>
                <span className="mono">{nameOf(model)}</span>
              </span>
            ))}
            <span>Bars: 95 % interval.</span>
          </>
        )}
      </figcaption>
    </figure>
  );
}

const strokes = ["stroke-accent", "stroke-warn", "stroke-good", "stroke-soft"];
const fills = ["fill-accent", "fill-warn", "fill-good", "fill-soft"];
const dashes = ["none", "6 3", "2 3"];

const formatTick = (value: number): string => String(Number(value.toFixed(4))).replace("-", "−");

function marginText({ mean, lower, upper }: HistoryPoint): string {
  const margin = formatMargin({ mean, ci_lower: lower, ci_upper: upper });
  return margin.interval === null ? margin.mean : `${margin.mean} ${margin.interval}`;
}

/** The width of an element. The chart is drawn at it, so its text has the size of the page's text. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(960);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth));
    observer.observe(measured);
    setWidth(measured.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** Dates, evenly spread, without repeated days. */
function dateTicks(points: readonly HistoryPoint[], most: number): { index: number; text: string }[] {
  const count = Math.min(most, points.length);
  const indexes = Array.from({ length: count }, (_, tick) =>
    Math.round((tick * (points.length - 1)) / Math.max(1, count - 1)),
  );
  const labelled = indexes.map((index) => ({ index, text: dayOf(points[index]?.at ?? 0) }));
  return labelled.filter(({ text }, at) => at === 0 || text !== labelled[at - 1]?.text);
}

const days = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const dayOf = (at: number): string => days.format(at);

/** The same points as a table, newest first: for the keyboard and for screen readers. */
function HistoryTable({ points }: { points: readonly HistoryPoint[] }) {
  const nameOf = useModelName();
  const now = Date.now();
  return (
    <table className="run-table">
      <caption className="sr-only">Runs of this test</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Model</th>
          <th scope="col">Score [95 %]</th>
          <th scope="col">Labels</th>
        </tr>
      </thead>
      <tbody>
        {points.toReversed().map(({ run, stats }) => (
          <tr key={run.run_id}>
            <td data-cell="title">
              <Link href={runPath(run.run_id)} className="row-link tabular-nums" data-row="">
                {formatMoment(run.created_at, now)}
              </Link>
            </td>
            <td data-label="Model" className="mono break-all">
              {nameOf(run.model_id)}
            </td>
            <td data-label="Score">
              <ScoreWithInterval stats={stats} />
            </td>
            <td data-label="Labels" className="text-sm text-soft">
              <span className="flex flex-wrap gap-1">
                {(run.tags ?? []).map((tag) => (
                  <span key={tag} className="tag">
                    {tag}
                  </span>
                ))}
                {Object.entries(run.metadata ?? {}).map(([key, value]) => (
                  <span key={key} className="tag">
                    {key}={formatValue(value)}
                  </span>
                ))}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
