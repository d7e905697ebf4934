import { useMemo, useRef } from "react";
import { useLocation } from "wouter";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import { isFailure } from "../../../src/contract/schemas/outcome.ts";
import type { ScenarioStatus } from "../../../src/contract/schemas/run-scenarios.ts";
import { FilterInput } from "../../parts/forms/filter-input.tsx";
import { formatInteger } from "../../parts/text/format.ts";
import { transcriptPath } from "../../parts/address/paths.ts";
import { SegmentedControl } from "../../parts/forms/segmented-control.tsx";
import { stickyGap, useStickyHeaderHeight } from "../../parts/browser/layout.ts";
import { useKeys, useRowKeys } from "../../parts/browser/events.ts";
import { changeSearch } from "../../parts/address/search-state.ts";
import { AttemptLegend } from "./attempt-square.tsx";
import { GridRows } from "./grid-rows.tsx";
import { RunShownAgain } from "./run-shown-again.tsx";
import { allRows, isFiltered, scenarioStatuses, statusLabel, type RowFilter, type RowSource } from "./scenario-rows.ts";

interface WholeGridProps {
  readonly results: EvaluationResponse;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** The grid of a run whose results are all loaded. */
export function WholeGrid({ results, filter: { status, text, sort }, live }: WholeGridProps) {
  const source = useMemo(() => allRows(results, { status, text, sort }), [results, status, text, sort]);
  return <AttemptGrid runId={results.run_id} source={source} filter={{ status, text, sort }} live={live} />;
}

interface AttemptGridProps {
  readonly runId: string;
  readonly source: RowSource;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** Scenarios by attempts, failures first. */
export function AttemptGrid({ runId, source, filter, live }: AttemptGridProps) {
  const [, navigate] = useLocation();
  const { counts } = source;
  const bar = useRef<HTMLDivElement>(null);
  const covered = useStickyHeaderHeight(bar);
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
      <div
        ref={bar}
        className="-mx-1 flex flex-wrap items-center gap-2 bg-canvas px-1 py-2 md:sticky md:top-0 md:z-10 print:static"
      >
        <GridFilter source={source} filter={filter} live={live} />
        {!live && isFiltered(filter) && source.total > 0 && (
          <RunShownAgain runId={runId} filter={filter} count={source.total} />
        )}
      </div>
      <AttemptLegend />
      {source.total === 0 ? (
        <p className="panel p-4 text-soft">{emptyText({ any, live })}</p>
      ) : (
        <GridRows
          key={`${filter.status} ${filter.text} ${filter.sort}`}
          source={source}
          runId={runId}
          live={live}
          covered={Math.max(0, covered - stickyGap)}
        />
      )}
    </section>
  );
}

function emptyText({ any, live }: { any: boolean; live: boolean }): string {
  if (any) return "No scenarios match.";
  return live ? "No results yet. The first turns are running." : "This run has no results.";
}

/** Scenarios without a reply are listed with the failing ones, but are not called so. */
const failingLabel = (failing: number, noReply: number): string =>
  [
    ...(failing > 0 ? [`failing ${formatInteger(failing)}`] : []),
    ...(noReply > 0 ? [`no reply ${formatInteger(noReply)}`] : []),
  ].join(", ");

/** Statuses most runs have none of: offered as a choice only when they occur. */
const rareStatuses: ReadonlySet<ScenarioStatus> = new Set(["waiting", "unscored"]);

interface GridFilterProps {
  readonly source: RowSource;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** Which scenarios are listed; kept in the address. */
function GridFilter({ source: { counts, noReply = 0 }, filter, live }: GridFilterProps) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const offered = scenarioStatuses.filter(
    (status) => !rareStatuses.has(status) || counts[status] > 0 || filter.status === status,
  );
  const label = (status: ScenarioStatus): string => {
    if (status === "failing" && noReply > 0) return failingLabel(counts.failing - noReply, noReply);
    return `${status === "waiting" && !live ? "not finished" : statusLabel(status)} ${formatInteger(counts[status])}`;
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedControl
        legend="Scenarios to show"
        segments={[
          { value: "all" as const, label: `all ${formatInteger(all)}` },
          ...offered.map((status) => ({ value: status, label: label(status) })),
        ]}
        value={filter.status ?? "all"}
        onChange={(value) => changeSearch({ show: value === "all" ? null : value })}
      />
      <FilterInput label="Find a scenario" name="q" value={filter.text} placeholder="find a scenario  /" first quiet />
    </div>
  );
}
