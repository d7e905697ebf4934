import { useMemo } from "react";
import type { Run } from "../../src/contract/run.ts";
import { RunRow } from "./run-row.tsx";
import { scoreTrends } from "./score-trends.ts";

const columns: readonly { readonly label: string; readonly number?: true; readonly title?: string }[] = [
  { label: "Test" },
  { label: "Model" },
  { label: "Overall [95 %]" },
  { label: "Baseline", title: "Difference to the pinned run of the same test" },
  { label: "Success", number: true },
  { label: "Varying", number: true, title: "Scenarios whose attempts differ most" },
  { label: "Failed", number: true, title: "Turns without a reply" },
  { label: "Cost", number: true },
  { label: "Duration", number: true },
  { label: "When", number: true },
];

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

/** A table; where its columns do not fit, each row becomes a card. */
export function RunTable({ runs, chosen, onToggle }: RunTableProps) {
  const trends = useMemo(() => scoreTrends(runs), [runs]);
  const priced = runs.some((run) => run.summary?.cost);
  return (
    <table className="run-table">
      <caption className="sr-only">Runs, newest first</caption>
      <thead>
        <tr>
          {columns
            .filter((column) => priced || column.label !== "Cost")
            .map((column) => (
              <th key={column.label} scope="col" title={column.title} className={column.number ? "number" : ""}>
                {column.label}
              </th>
            ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
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
