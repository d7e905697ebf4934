import type { Run } from "../../src/contract/run.ts";
import { RunRow } from "./run-row.tsx";

const columns = [
  { label: "Test" },
  { label: "Model" },
  { label: "State" },
  { label: "Overall score [95 %]" },
  { label: "Success", number: true },
  { label: "Attempts", number: true },
  { label: "Failed turns", number: true },
  { label: "Duration", number: true },
  { label: "When", number: true },
] as const;

/** A table; under 900 px each row becomes a card. */
export function RunTable({ runs }: { runs: readonly Run[] }) {
  return (
    <table className="run-table">
      <caption className="sr-only">Runs, newest first</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" className={"number" in column ? "number" : ""}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.run_id} run={run} />
        ))}
      </tbody>
    </table>
  );
}
