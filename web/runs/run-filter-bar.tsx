import { FilterInput } from "../parts/filter-input.tsx";
import { runStates } from "../parts/run-state.ts";
import { changeSearch } from "../parts/use-search-state.ts";
import type { TypedFilters } from "./use-run-filters.ts";

interface RunFilterBarProps {
  readonly filters: TypedFilters;
  /** Models to choose from. */
  readonly models: readonly string[];
}

export function RunFilterBar({ filters, models }: RunFilterBarProps) {
  return (
    <search className="flex flex-wrap items-end gap-2">
      <FilterInput label="Search" name="search" value={filters.search} placeholder="test name or model  /" first />
      <FilterInput label="Model" name="model" value={filters.model} suggestions={models} />
      <label className="grid gap-1 text-xs font-medium text-soft max-sm:flex-1">
        State
        <select
          className="field min-h-8.5 w-full min-w-24 sm:w-36"
          value={filters.state ?? ""}
          onChange={(event) => changeSearch({ state: event.target.value })}
        >
          <option value="">any</option>
          {runStates.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      </label>
    </search>
  );
}
