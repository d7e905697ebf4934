import { FilterInput } from "../parts/filter-input.tsx";
import { formatInteger } from "../parts/format.ts";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { changeSearch } from "../parts/use-search-state.ts";
import type { RowFilter, RowSource } from "./row-source.ts";
import { scenarioStatuses } from "./run-scenario-list.ts";

const choices = ["all", "failing", "flaky", "waiting", "passing"] as const;

/** The filter as it stands in the address. */
export const readRowFilter = (params: URLSearchParams): RowFilter => ({
  status: scenarioStatuses.find((status) => status === params.get("show")),
  text: params.get("q") ?? "",
});

interface GridFilterProps {
  readonly counts: RowSource["counts"];
  readonly filter: RowFilter;
  /** What has not begun still may. */
  readonly live: boolean;
}

/** Which scenarios are listed; kept in the address. */
export function GridFilter({ counts, filter, live }: GridFilterProps) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  // Only a run that was stopped or goes on has scenarios that wait.
  const offered = choices.filter((choice) => choice !== "waiting" || counts.waiting > 0 || filter.status === choice);
  const label = (choice: (typeof choices)[number]): string =>
    `${choice === "waiting" && !live ? "not finished" : choice} ${formatInteger(choice === "all" ? all : counts[choice])}`;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedChoice
        legend="Scenarios to show"
        segments={offered.map((choice) => ({ value: choice, label: label(choice) }))}
        value={choices.find((choice) => choice === filter.status) ?? "all"}
        onChange={(value) => changeSearch({ show: value === "all" ? null : value })}
      />
      <FilterInput label="Find a scenario" name="q" value={filter.text} placeholder="find a scenario  /" first quiet />
    </div>
  );
}
