import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { useLocation } from "wouter";
import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import { isFailure } from "../parts/judge-turn.ts";
import { transcriptPath } from "../parts/paths.ts";
import { useKeys } from "../parts/use-keys.ts";
import { useListOffset } from "../parts/use-list-offset.ts";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { GridFilter, readShow, type Show } from "./grid-filter.tsx";
import { GridLegend } from "./grid-legend.tsx";
import { ScenarioRow } from "./scenario-row.tsx";
import { toScenarioRows, type ScenarioRow as Row } from "./scenario-rows.ts";

const columns =
  "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-3 py-2 md:grid-cols-[minmax(0,16rem)_5.5rem_minmax(0,1fr)_5rem_7rem]";

/** Scenario by attempt. Only the rows on screen are in the page, however many there are. */
export function AttemptGrid({ results, live }: { results: EvaluationResponse; live: boolean }) {
  const [params] = useSearchState();
  const show = readShow(params.get("show"));
  const text = params.get("q") ?? "";
  const rows = useMemo(() => toScenarioRows(results), [results]);
  const [, navigate] = useLocation();
  useRowKeys();
  useKeys({
    n: () => {
      const row = rows.find(({ status }) => status === "failing" || status === "flaky");
      const cell = row?.cells.find(({ outcome }) => isFailure(outcome));
      if (row && cell) {
        navigate(transcriptPath({ runId: results.run_id, scenarioId: row.scenario.scenario_id, ...cell }));
      }
    },
  });
  const shown = useMemo(() => rows.filter((row) => matches(row, { show, text })), [rows, show, text]);

  return (
    <section aria-label="Scenarios" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <GridFilter rows={rows} show={show} text={text} />
      <GridLegend />
      {shown.length === 0 ? (
        <p className="panel p-4 text-soft">{emptyWords({ rows: rows.length, live })}</p>
      ) : (
        <VirtualRows rows={shown} runId={results.run_id} />
      )}
    </section>
  );
}

function emptyWords({ rows, live }: { rows: number; live: boolean }): string {
  if (rows > 0) return "No scenario matches.";
  return live ? "Nothing stored yet; the first turns are on their way." : "This run has no results.";
}

function matches({ scenario, status }: Row, { show, text }: { show: Show; text: string }): boolean {
  if (show !== "all" && status !== show) return false;
  const searched = `${scenario.scenario_id} ${scenario.description}`.toLowerCase();
  return searched.includes(text.toLowerCase());
}

function VirtualRows({ rows, runId }: { rows: readonly Row[]; runId: string }) {
  const list = useRef<HTMLDivElement>(null);
  const offset = useListOffset(list);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 57,
    overscan: 8,
    scrollMargin: offset,
    getItemKey: (index) => rows[index]?.scenario.scenario_id ?? index,
  });

  return (
    <div
      role="table"
      aria-label="Attempts by scenario"
      aria-rowcount={rows.length + 1}
      className="panel overflow-hidden"
    >
      <div role="rowgroup" className="max-md:sr-only">
        <div
          role="row"
          aria-rowindex={1}
          className={`${columns} border-b border-line bg-sunken text-xs font-semibold text-soft`}
        >
          <span role="columnheader">Scenario</span>
          <span role="columnheader">Verdict</span>
          <span role="columnheader">Attempts</span>
          <span role="columnheader" className="md:text-right">
            Passed
          </span>
          <span role="columnheader" className="text-right">
            Overall ± sd
          </span>
        </div>
      </div>
      <div ref={list} role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              className={`${columns} absolute inset-x-0 top-0 border-b border-line`}
              style={{ transform: `translateY(${item.start - offset}px)` }}
            >
              <ScenarioRow row={row} runId={runId} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
