import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import type { RunSequence } from "../../src/contract/schemas/sequence.ts";
import { fetchSequence } from "../api/runs.ts";
import { runPath } from "../parts/address/paths.ts";
import { isEnded } from "../parts/runs/run-facts.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatEffect, formatSentence } from "../parts/text/format.ts";

/** How often a comparison in progress is read again. */
const liveMs = 2_000;

/** The comparison of a run that stops when it is decided: its sentence, and the interval drawn as it narrows. */
export default function SequencePanel({ run }: { run: Run }) {
  const live = !isEnded(run.state);
  const { data, error, isError, refetch } = useQuery({
    queryKey: ["sequence", run.run_id, live],
    queryFn: ({ signal }) => fetchSequence(run.run_id, signal),
    refetchInterval: live ? liveMs : false,
  });
  if (isError) return <FailedNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const other = run.run_id === data.candidate ? data.baseline : data.candidate;
  return (
    <section aria-label="Until decided" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
      <p role="status" className={`verbatim font-semibold ${verdictColours[data.verdict]}`}>
        {formatSentence(data.sentence)}
      </p>
      {data.points.length > 1 && <SequenceChart sequence={data} />}
      <p className="text-sm text-soft">
        {data.estimand} The interval is right at every moment, so stopping at a verdict does not distort it.{" "}
        {other !== null && (
          <Link href={runPath(other)} className="link">
            {other === data.baseline ? "The baseline" : "The candidate"}
          </Link>
        )}
      </p>
    </section>
  );
}

const verdictColours: Record<RunSequence["verdict"], string> = {
  better: "text-good",
  not_worse: "text-good",
  worse: "text-bad",
  closer: "",
  less_close: "",
  undecided: "",
};

/** Labels closer than this would overlap. */
const labelHeight = 14;

const size = { width: 640, height: 200, left: 60, right: 12, top: 10, bottom: 26 };

/** The mean difference and its interval by scenario. The dashed lines are the boundaries that decide it. */
function SequenceChart({ sequence }: { sequence: RunSequence }) {
  const { points, planned, margin, score } = sequence;
  // The first intervals span the whole scale and would flatten the rest.
  const late = points.slice(Math.floor(points.length / 4));
  const reach = Math.max(0.02, ...late.flatMap(({ lower, upper }) => [Math.abs(lower), Math.abs(upper)]), margin ?? 0);
  const x = (scenarios: number): number =>
    size.left + ((size.width - size.left - size.right) * scenarios) / Math.max(1, planned);
  const y = (value: number): number => {
    const inside = Math.max(-reach, Math.min(reach, value));
    return size.top + ((size.height - size.top - size.bottom) * (reach - inside)) / (2 * reach);
  };
  const line = (pick: (point: RunSequence["points"][number]) => number): string =>
    points.map((point) => `${x(point.scenarios).toFixed(1)},${y(pick(point)).toFixed(1)}`).join(" ");
  const band = `${line(({ upper }) => upper)} ${line(({ lower }) => lower)
    .split(" ")
    .toReversed()
    .join(" ")}`;
  const last = points.at(-1);
  const boundaries = [0, ...(margin === null ? [] : [-margin])];
  return (
    <svg
      role="img"
      aria-label={`Difference of ${score} after each scenario, with its 95 % interval and the boundary that decides it`}
      viewBox={`0 0 ${size.width} ${size.height}`}
      className="h-auto w-full max-w-3xl text-xs tabular-nums"
    >
      <polygon points={band} className="fill-accent-ground" />
      {boundaries.map((value) => (
        <g key={value}>
          <line
            x1={size.left}
            x2={size.width - size.right}
            y1={y(value)}
            y2={y(value)}
            className={value === 0 ? "stroke-line-strong" : "stroke-warn"}
            strokeDasharray="5 4"
          />
          <text
            x={size.left - 6}
            y={(value === 0 ? y(0) : Math.max(y(value), y(0) + labelHeight)) + 4}
            textAnchor="end"
            className="fill-soft"
          >
            {value === 0 ? "0" : formatEffect(value)}
          </text>
        </g>
      ))}
      {[reach, -reach].map((value) => (
        <text key={value} x={size.left - 6} y={y(value) + 4} textAnchor="end" className="fill-soft">
          {formatEffect(value)}
        </text>
      ))}
      <polyline points={line(({ effect }) => effect)} fill="none" className="stroke-accent" strokeWidth={2} />
      {last && <circle cx={x(last.scenarios)} cy={y(last.effect)} r={3.5} className="fill-accent" />}
      <text x={size.left} y={size.height - 6} className="fill-soft">
        0
      </text>
      <text x={size.width - size.right} y={size.height - 6} textAnchor="end" className="fill-soft">
        {planned} scenarios
      </text>
    </svg>
  );
}
