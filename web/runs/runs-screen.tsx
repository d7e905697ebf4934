import { GitCompareArrows, ListFilter, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { useBaselines } from "../parts/runs/baselines.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { FilterInput } from "../parts/forms/filter-input.tsx";
import { mainArea } from "../parts/browser/focus.ts";
import { MoreButton, SortedPartNote, toggled } from "../parts/lists/list-controls.tsx";
import { comparePath, rankPath } from "../parts/address/paths.ts";
import { runStates } from "../parts/runs/run-facts.ts";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { useEvent, useKeys, useRowKeys } from "../parts/browser/events.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { formatValue } from "../parts/text/format.ts";
import { FirstSteps } from "./onboarding.tsx";
import { RunListTable } from "./run-list-table.tsx";
import {
  hasFilters,
  moreFilters,
  useNewRuns,
  useRunFilters,
  useRunList,
  useTypedFilters,
  type TypedFilters,
} from "./use-run-list.ts";

/** The list of runs. The filters and the selected run ids (`?chosen=`) are kept in the address. */
export function RunsScreen() {
  const typed = useTypedFilters();
  const filters = useRunFilters(typed);
  const list = useRunList(filters);
  const [, navigate] = useLocation();
  const chosenParam = useSearchState()[0].get("chosen");
  const chosen = useMemo(() => new Set(chosenParam?.split(",")), [chosenParam]);
  const runs = useMemo(() => list.data?.pages.flatMap((page) => page.runs) ?? [], [list.data]);
  const nameOf = useModelName();
  const models = useMemo(() => [...new Set(runs.map((run) => nameOf(run.model_id)))].toSorted(), [runs, nameOf]);
  const filtered = hasFilters(filters);
  useNewRuns({ listed: runs, filtered });
  const nothingYet = list.isSuccess && runs.length === 0 && !filtered;
  const comparison = selectionPath(chosen, { runs, baselines: useBaselines() });
  const toggle = useEvent((id: string) => changeSearch({ chosen: [...toggled(chosen, id)].join(",") }));
  const clearSelection = (): void => {
    changeSearch({ chosen: null });
    // The focused button disappears.
    mainArea()?.focus();
  };
  useRowKeys();
  useKeys({ c: () => navigate(comparison ?? "/compare"), x: toggleFocused });

  return (
    <Screen
      title="Runs"
      actions={
        <>
          {chosen.size > 0 && (
            <button type="button" className="button button-quiet" onClick={clearSelection}>
              Clear selection
            </button>
          )}
          {runs.length + chosen.size > 1 && (
            <button
              type="button"
              className="button"
              disabled={!comparison}
              title="Select two or more runs, or one whose test has a pinned baseline"
              onClick={() => comparison && navigate(comparison)}
            >
              <GitCompareArrows aria-hidden size={15} /> Compare{chosen.size > 0 && ` ${chosen.size} selected`}
            </button>
          )}
          <Link href="/new" className="button button-primary">
            <Plus aria-hidden size={15} /> New run
          </Link>
        </>
      }
    >
      {!nothingYet && <RunFilterBar filters={typed} models={models} runs={runs} />}
      {list.isSuccess && !filtered && (nothingYet || runs.some((run) => run.demo)) && <FirstSteps runs={runs} />}
      {list.isPending && <Skeleton rows={8} label="Loading runs" />}
      {list.isError && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && runs.length === 0 && filtered && <NoMatch />}
      <SortedPartNote shown={runs.length} more={list.hasNextPage} />
      {runs.length > 0 && <RunListTable runs={runs} chosen={chosen} onToggle={toggle} />}
      <MoreButton list={list}>Older runs</MoreButton>
    </Screen>
  );
}

/** Selects or deselects the row whose link has the focus. */
function toggleFocused(): void {
  document.activeElement?.closest("tr")?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
}

interface SelectionOptions {
  readonly runs: readonly Run[];
  readonly baselines: ReturnType<typeof useBaselines>;
}

/**
 * Compares two selected runs (the older is the baseline), or one with its pinned baseline; ranks three or more. Run ids sort by
 * age, so this also works for selected runs that a filter hides.
 */
function selectionPath(chosen: ReadonlySet<string>, { runs, baselines }: SelectionOptions): string | null {
  const [first, second] = [...chosen].toSorted();
  if (first === undefined) return null;
  if (chosen.size > 2) return rankPath([...chosen]);
  if (second !== undefined) return comparePath({ baseline: first, candidate: second });
  const baseline = baselines[runs.find((run) => run.run_id === first)?.test_name ?? ""]?.runId;
  return baseline !== undefined && baseline !== first ? comparePath({ baseline, candidate: first }) : null;
}

interface RunFilterBarProps {
  readonly filters: TypedFilters;
  /** Suggested model names. */
  readonly models: readonly string[];
  /** The loaded runs, for more suggestions. */
  readonly runs: readonly Run[];
}

function RunFilterBar({ filters, models, runs }: RunFilterBarProps) {
  const [open, setOpen] = useState(() => moreFilters.some((name) => filters[name] !== ""));
  const set = moreFilters.filter((name) => name !== "score" && filters[name] !== "").length;
  return (
    <search className="flex flex-wrap items-end gap-2">
      <FilterInput label="Search" name="search" value={filters.search} placeholder="test name or model  /" first />
      <FilterInput label="Model" name="model" value={filters.model} suggestions={models} />
      <label className="grid gap-1 text-xs font-medium text-soft max-sm:grow max-sm:basis-[40%]">
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
      <button type="button" className="button min-h-8.5" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ListFilter aria-hidden size={14} /> More filters{set > 0 && ` (${set})`}
      </button>
      {open && <MoreFilters filters={filters} runs={runs} />}
    </search>
  );
}

/** Tag, label, score and date. All are part of the address. */
function MoreFilters({ filters, runs }: { filters: TypedFilters; runs: readonly Run[] }) {
  const tags = [...new Set(runs.flatMap((run) => run.tags ?? []))].toSorted();
  const labels = runs.flatMap(({ metadata = {} }) =>
    Object.entries(metadata).map(([key, value]) => `${key}=${formatValue(value)}`),
  );
  const scores = [...new Set(runs.flatMap(({ summary }) => Object.keys(summary?.average_scores ?? {})))].toSorted();
  return (
    <div className="flex basis-full flex-wrap items-end gap-2">
      <FilterInput label="Tag" name="tag" value={filters.tag} placeholder="exact tag" suggestions={tags} />
      <FilterInput
        label="Label"
        name="label"
        value={filters.label}
        placeholder="key=value"
        suggestions={[...new Set(labels)].toSorted().slice(0, 100)}
      />
      <FilterInput label="Score" name="score" value={filters.score} placeholder="overall" suggestions={scores} />
      <FilterInput label="At least" name="min" value={filters.min} placeholder="0.0" short />
      <FilterInput label="At most" name="max" value={filters.max} placeholder="1.0" short />
      <DateInput label="From" name="from" value={filters.from} />
      <DateInput label="To" name="to" value={filters.to} />
    </div>
  );
}

function DateInput({ label, name, value }: { label: string; name: string; value: string }) {
  return (
    <label className="grid gap-1 text-xs font-medium text-soft max-sm:grow max-sm:basis-[40%]">
      {label}
      <input
        type="date"
        className="field min-h-8.5 w-full min-w-32 sm:w-40"
        value={value}
        onChange={(event) => changeSearch({ [name]: event.target.value })}
      />
    </label>
  );
}

function NoMatch() {
  return (
    <div className="panel grid justify-items-start gap-2 p-6">
      <p className="font-medium">No runs match these filters.</p>
      <button
        type="button"
        className="button"
        onClick={() => {
          // The focused button disappears.
          mainArea()?.focus();
          const more = Object.fromEntries(moreFilters.map((name) => [name, null]));
          changeSearch({ state: null, search: null, name: null, model: null, ...more });
        }}
      >
        Clear filters
      </button>
    </div>
  );
}
