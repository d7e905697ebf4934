import { useLocation } from "wouter";
import { isFailure } from "../../src/contract/schemas/outcome.ts";
import { transcriptPath } from "../parts/paths.ts";
import { useKeys } from "../parts/use-keys.ts";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { GridFilter } from "./grid-filter.tsx";
import { GridLegend } from "./grid-legend.tsx";
import { isFiltered, type RowFilter } from "./row-filter.ts";
import type { RowSource } from "./row-source.ts";
import { RunShownAgain } from "./run-shown-again.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

interface AttemptGridProps {
  readonly runId: string;
  readonly source: RowSource;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** Scenario by attempt, failures first. */
export function AttemptGrid({ runId, source, filter, live }: AttemptGridProps) {
  const [, navigate] = useLocation();
  const { counts } = source;
  useRowKeys();
  useKeys({
    n: () => {
      const row = source.rowAt(0);
      const cell = row?.cells.find(({ outcome }) => isFailure(outcome));
      if (row && cell) navigate(transcriptPath({ runId, scenarioId: row.scenarioId, attempt: cell.attempt }));
    },
  });
  const any = Object.values(counts).some((count) => count > 0);

  return (
    <section aria-label="Scenarios" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <GridFilter counts={counts} filter={filter} live={live} />
        {!live && isFiltered(filter) && source.total > 0 && (
          <RunShownAgain runId={runId} filter={filter} count={source.total} />
        )}
      </div>
      <GridLegend />
      {source.total === 0 ? (
        <p className="panel p-4 text-soft">{emptyWords({ any, live })}</p>
      ) : (
        <VirtualRows key={`${filter.status} ${filter.text}`} source={source} runId={runId} live={live} />
      )}
    </section>
  );
}

function emptyWords({ any, live }: { any: boolean; live: boolean }): string {
  if (any) return "No scenario matches.";
  return live ? "Nothing stored yet; the first turns are on their way." : "This run has no results.";
}
