import { CircleCheck, CircleMinus, CircleX, Hourglass, Shuffle, type LucideIcon } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import { formatCount, formatScore } from "../parts/format.ts";
import { isFailure } from "../../src/contract/schemas/outcome.ts";
import { transcriptPath } from "../parts/paths.ts";
import { AttemptSquare } from "./attempt-square.tsx";
import { statusWords, type ScenarioStatus } from "./run-scenario-list.ts";
import type { ScenarioRow as Row } from "./scenario-rows.ts";

const looks: Record<ScenarioStatus, { icon: LucideIcon; className: string }> = {
  failing: { icon: CircleX, className: "text-bad" },
  flaky: { icon: Shuffle, className: "text-warn" },
  passing: { icon: CircleCheck, className: "text-good" },
  waiting: { icon: Hourglass, className: "text-soft" },
  unscored: { icon: CircleMinus, className: "text-soft" },
};

interface ScenarioRowProps {
  readonly row: Row | undefined;
  readonly runId: string;
  /** What has not begun still may. */
  readonly live: boolean;
}

/** The cells of a row; grey bars while it is on its way. */
export const ScenarioRow = memo(function ScenarioRow({ row, runId, live }: ScenarioRowProps) {
  if (!row) return <WaitingRow />;
  const { scenarioId, cells, ended, judged, status } = row;
  const { icon: Icon, className } = looks[status];
  return (
    <>
      <div role="cell" className="min-w-0">
        <ScenarioName row={row} runId={runId} />
      </div>
      <div role="cell" className={`flex items-center gap-1 text-sm whitespace-nowrap ${className}`}>
        <Icon aria-hidden size={14} />
        {status === "waiting" && !live ? stoppedWords(row) : statusWords(status)}
      </div>
      <div role="cell" className="flex min-w-0 flex-wrap gap-1 max-md:col-span-2">
        {cells.map((cell) => (
          <AttemptSquare key={cell.attempt} runId={runId} scenarioId={scenarioId} cell={cell} />
        ))}
      </div>
      <div role="cell" className="text-sm whitespace-nowrap tabular-nums md:text-right">
        {judged > 0 && (
          <>
            <span className="text-xs text-soft md:hidden">passed </span>
            {row.passed} of {judged}
          </>
        )}
        {judged === 0 && ended === cells.length && "–"}
        {ended < cells.length && (
          <span className="block text-xs text-soft">
            {ended} of {cells.length} run
          </span>
        )}
      </div>
      <div role="cell" className="text-right text-sm whitespace-nowrap tabular-nums">
        <span className="font-semibold">{formatScore(row.overall)}</span>
        {row.sd !== null && (
          <span className="text-soft" title="standard deviation over attempts">
            {" "}
            ± {formatScore(row.sd)}
          </span>
        )}
      </div>
    </>
  );
});

/** Of a scenario none of whose attempts came to its end before the run did. */
const stoppedWords = ({ cells }: Row): string =>
  cells.some(({ outcome }) => outcome === "unfinished") ? "not finished" : "not run";

function ScenarioName({ row, runId }: { row: Row; runId: string }) {
  const first = row.cells.find((cell) => isFailure(cell.outcome)) ?? row.cells[0];
  return (
    <>
      {first ? (
        <Link
          href={transcriptPath({ runId, scenarioId: row.scenarioId, attempt: first.attempt })}
          className="link verbatim line-clamp-2 font-medium"
          data-row=""
        >
          {row.scenarioId}
        </Link>
      ) : (
        <span className="verbatim line-clamp-2 font-medium">{row.scenarioId}</span>
      )}
      {row.conflicts > 0 && (
        <p className="text-xs text-warn">
          ⚠ {formatCount(row.conflicts, "reply contradicts", "replies contradict")} the reference
        </p>
      )}
      {row.description && <p className="verbatim line-clamp-1 text-xs text-soft">{row.description}</p>}
    </>
  );
}

function WaitingRow() {
  return (
    <div role="cell" className="col-span-full grid h-10 content-center">
      <span className="sr-only">Loading</span>
      <span aria-hidden className="h-4 animate-pulse rounded bg-sunken" />
    </div>
  );
}
