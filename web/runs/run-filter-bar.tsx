import type { RunFilters } from "../api.ts";
import { runStates } from "../parts/run-state.ts";
import { changeSearch } from "../parts/use-search-state.ts";
import { FilterInput } from "../parts/filter-input.tsx";

export function RunFilterBar({ filters }: { filters: RunFilters }) {
  return (
    <search className="flex flex-wrap items-end gap-2">
      <FilterInput label="Test name" name="name" value={filters.test_name ?? ""} first />
      <FilterInput label="Model" name="model" value={filters.model_id ?? ""} />
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
