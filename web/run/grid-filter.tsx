import { formatInteger } from "../parts/format.ts";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { changeSearch } from "../parts/use-search-state.ts";
import type { ScenarioRow, ScenarioStatus } from "./scenario-rows.ts";

const choices = ["all", "failing", "flaky", "passing"] as const;
export type Show = (typeof choices)[number];

export const readShow = (value: string | null): Show => choices.find((choice) => choice === value) ?? "all";

interface GridFilterProps {
  readonly rows: readonly ScenarioRow[];
  readonly show: Show;
  readonly text: string;
}

/** Which scenarios are listed; kept in the address. */
export function GridFilter({ rows, show, text }: GridFilterProps) {
  const count = (status: ScenarioStatus): number => rows.filter((row) => row.status === status).length;
  const label = (choice: Show): string =>
    choice === "all" ? `all ${formatInteger(rows.length)}` : `${choice} ${formatInteger(count(choice))}`;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedChoice
        legend="Scenarios to show"
        segments={choices.map((choice) => ({ value: choice, label: label(choice) }))}
        value={show}
        onChange={(value) => changeSearch({ show: value === "all" ? null : value })}
      />
      <input
        type="search"
        className="field sm:w-56"
        aria-label="Find a scenario"
        placeholder="find a scenario  /"
        data-filter=""
        value={text}
        onChange={(event) => changeSearch({ q: event.target.value })}
      />
    </div>
  );
}
