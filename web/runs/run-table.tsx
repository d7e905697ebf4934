import { useTable } from "@tanstack/react-table";
import { useMemo } from "react";
import type { Run } from "../../src/contract/schemas/run.ts";
import { SortHeader } from "../parts/sort-header.tsx";
import { sortingFeatures, useSortingState } from "../parts/sorting.ts";
import { runColumnLooks, runColumns } from "./run-columns.ts";
import { RunRow } from "./run-row.tsx";
import { scoreTrends } from "./score-trends.ts";

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

/** A table, newest first unless sorted; where its columns do not fit, each row becomes a card. */
export function RunTable({ runs, chosen, onToggle }: RunTableProps) {
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
                <SortHeader key={header.id} header={header} {...(runColumnLooks[header.id] ?? { label: header.id })} />
              ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map(({ original: run }) => (
          <RunRow
            key={run.run_id}
            run={run}
            trend={trends.get(run.run_id) ?? none}
            chosen={chosen.has(run.run_id)}
            onToggle={onToggle}
            priced={priced}
          />
        ))}
      </tbody>
    </table>
  );
}

const none: readonly number[] = [];
