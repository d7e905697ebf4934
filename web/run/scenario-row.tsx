import { CircleCheck, CircleX, Hourglass, Shuffle, type LucideIcon } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import { formatCount, formatScore } from "../parts/format.ts";
import { transcriptPath } from "../parts/paths.ts";
import { AttemptSquare } from "./attempt-square.tsx";
import type { ScenarioRow as Row, ScenarioStatus } from "./scenario-rows.ts";

const looks: Record<ScenarioStatus, { icon: LucideIcon; className: string }> = {
  failing: { icon: CircleX, className: "text-bad" },
  flaky: { icon: Shuffle, className: "text-warn" },
  passing: { icon: CircleCheck, className: "text-good" },
  waiting: { icon: Hourglass, className: "text-soft" },
};

export const ScenarioRow = memo(function ScenarioRow({ row, runId }: { row: Row; runId: string }) {
  const { scenario, cells, status } = row;
  const { icon: Icon, className } = looks[status];
  const stats = scenario.score_stats["overall"];
  const first = cells.find((cell) => cell.outcome === "failed" || cell.outcome === "errored") ?? cells[0];

  return (
    <>
      <div role="cell" className="min-w-0">
        {first ? (
          <Link
            href={transcriptPath({ runId, scenarioId: scenario.scenario_id, ...first })}
            className="link verbatim line-clamp-2 font-medium"
            data-row=""
          >
            {scenario.scenario_id}
          </Link>
        ) : (
          <span className="verbatim line-clamp-2 font-medium">{scenario.scenario_id}</span>
        )}
        {row.conflicts > 0 && (
          <p className="text-xs text-warn">
            ⚠ {formatCount(row.conflicts, "reply contradicts", "replies contradict")} the reference
          </p>
        )}
        {scenario.description && <p className="verbatim line-clamp-1 text-xs text-soft">{scenario.description}</p>}
      </div>
      <div role="cell" className={`flex items-center gap-1 text-sm whitespace-nowrap ${className}`}>
        <Icon aria-hidden size={14} />
        {status}
      </div>
      <div role="cell" className="flex min-w-0 flex-wrap gap-1 max-md:col-span-2">
        {cells.map((cell) => (
          <AttemptSquare key={cell.attempt} runId={runId} scenarioId={scenario.scenario_id} cell={cell} />
        ))}
      </div>
      <div role="cell" className="text-sm whitespace-nowrap tabular-nums md:text-right">
        <span className="text-xs text-soft md:hidden">passed </span>
        {row.passed} of {cells.length}
      </div>
      <div role="cell" className="text-right text-sm whitespace-nowrap tabular-nums">
        <span className="font-semibold">{formatScore(scenario.average_scores["overall"])}</span>
        {stats?.sd !== null && stats?.sd !== undefined && (
          <span className="text-soft" title="standard deviation over attempts">
            {" "}
            ± {formatScore(stats.sd)}
          </span>
        )}
      </div>
    </>
  );
});
