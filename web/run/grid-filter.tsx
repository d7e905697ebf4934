import { FilterInput } from "../parts/filter-input.tsx";
import { formatInteger } from "../parts/format.ts";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { changeSearch } from "../parts/use-search-state.ts";
import type { RowFilter } from "./row-filter.ts";
import type { RowSource } from "./row-source.ts";
import { scenarioStatuses, statusWords, type ScenarioStatus } from "./run-scenario-list.ts";

/** Most runs have none of these: then they are no choice. */
const seldom: ReadonlySet<ScenarioStatus> = new Set(["waiting", "unscored"]);

interface GridFilterProps {
  readonly counts: RowSource["counts"];
  readonly filter: RowFilter;
  /** What has not begun still may. */
  readonly live: boolean;
}

/** Which scenarios are listed; kept in the address. */
export function GridFilter({ counts, filter, live }: GridFilterProps) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const offered = scenarioStatuses.filter(
    (status) => !seldom.has(status) || counts[status] > 0 || filter.status === status,
  );
  const label = (status: ScenarioStatus): string =>
    `${status === "waiting" && !live ? "not finished" : statusWords(status)} ${formatInteger(counts[status])}`;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedChoice
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
