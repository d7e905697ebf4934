import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper, useTable } from "@tanstack/react-table";
import { FileUp, FlaskConicalOff, Play, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type { LibraryEntry } from "../../src/contract/schemas/library.ts";
import { exportFormats } from "../../src/formats/formats.data.ts";
import { exportScenarios, removeDemoScenarios } from "../api/library.ts";
import { newRunPath, scenarioPath } from "../parts/address/paths.ts";
import { DemoBadge } from "../parts/runs/run-status.tsx";
import { DownloadMenu } from "../parts/screen/downloads.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { FilterInput } from "../parts/forms/filter-input.tsx";
import { formatCount, formatInteger } from "../parts/text/format.ts";
import { passFocusToMain } from "../parts/browser/focus.ts";
import { MoreButton, SortedPartNote, toggled } from "../parts/lists/list-controls.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { SortHeader, sortingFeatures, useSortingState } from "../parts/lists/sorting.tsx";
import { TimeAgo } from "../parts/text/time.tsx";
import { useRowKeys } from "../parts/browser/events.ts";
import { useSearchState } from "../parts/address/search-state.ts";
import { useLibrary } from "./use-library.ts";

/** The library, filtered by `?search=` and `?tag=`. */
export default function ScenariosScreen() {
  const [params] = useSearchState();
  const [, navigate] = useLocation();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const search = params.get("search") ?? undefined;
  const tag = params.get("tag") ?? undefined;
  const library = useLibrary({ search, tag });
  useRowKeys();
  const entries = useMemo(() => library.data?.pages.flatMap((page) => page.scenarios) ?? [], [library.data]);
  const filtered = search !== undefined || tag !== undefined;
  const picked = chosen.size > 0 ? [...chosen] : entries.map((entry) => entry.id);

  const run = (): void => navigate(newRunPath(picked));

  return (
    <Screen
      title="Scenarios"
      actions={
        <>
          <Link href="/scenarios/import" className="button">
            <FileUp aria-hidden size={14} /> Import
          </Link>
          {entries.length > 0 && <ExportMenu />}
          {entries.length > 0 && (
            <button type="button" className="button" onClick={run}>
              <Play aria-hidden size={14} /> Run {chosen.size > 0 ? formatCount(chosen.size, "scenario") : "all shown"}
            </button>
          )}
          <Link href="/scenarios/new" className="button button-primary">
            <Plus aria-hidden size={15} /> New scenario
          </Link>
        </>
      }
    >
      {(entries.length > 0 || filtered) && (
        <search className="flex flex-wrap items-end gap-2">
          <FilterInput label="Search" name="search" value={search ?? ""} placeholder="id, words or tag  /" first />
          <FilterInput label="Tag" name="tag" value={tag ?? ""} />
          <span className="pb-1.5 text-sm text-soft">
            {formatCount(entries.length, "scenario")}
            {library.hasNextPage && " and more"}
          </span>
        </search>
      )}
      {entries.some((entry) => entry.demo) && <RemoveDemoButton />}
      {library.isPending && <Skeleton rows={6} label="Loading the library" />}
      {library.isError && <FailedNotice error={library.error} onRetry={() => void library.refetch()} />}
      {library.isSuccess && entries.length === 0 && <EmptyLibrary filtered={filtered} />}
      <SortedPartNote shown={entries.length} more={library.hasNextPage} />
      {entries.length > 0 && (
        <ScenarioTable entries={entries} chosen={chosen} onToggle={(id) => setChosen(toggled(chosen, id))} />
      )}
      <MoreButton list={library}>More scenarios</MoreButton>
    </Screen>
  );
}

function EmptyLibrary({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <p className="panel p-6">
        No scenarios match.{" "}
        <Link href="/scenarios" className="link">
          Show all
        </Link>
      </p>
    );
  }
  return (
    <div className="panel grid gap-2 p-6">
      <p className="font-medium">The library is empty.</p>
      <p className="max-w-prose text-sm text-soft">
        A scenario is a scripted conversation: what the user says, and what a good reply is. Write one here, import a
        file from another tool, or save a chat as a scenario.
      </p>
    </div>
  );
}

/** Downloads the whole library. */
function ExportMenu() {
  return <DownloadMenu name="scenarios" formats={exportFormats} read={exportScenarios} />;
}

function RemoveDemoButton() {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: removeDemoScenarios,
    onSuccess: () => client.invalidateQueries({ queryKey: ["library"] }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
      Scenarios marked “demo” are examples.
      <button
        type="button"
        ref={passFocusToMain}
        className="button"
        aria-disabled={remove.isPending}
        onClick={() => remove.isPending || remove.mutate()}
      >
        <FlaskConicalOff aria-hidden size={14} /> Remove demo scenarios
      </button>
      {remove.error && <FailedNotice error={remove.error} />}
    </div>
  );
}

interface ScenarioTableProps {
  readonly entries: readonly LibraryEntry[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

const column = createColumnHelper<typeof sortingFeatures, LibraryEntry>();

const columns = column.columns([
  column.accessor("id", { sortFn: "text" }),
  column.display({ id: "description" }),
  column.display({ id: "tags" }),
  column.accessor("interactions", {}),
  column.accessor("versions", {}),
  column.accessor((entry) => Date.parse(entry.updated_at), { id: "changed" }),
]);

const columnHeaders: Readonly<Record<string, { readonly label: string; readonly number?: true }>> = {
  id: { label: "Scenario" },
  description: { label: "Description" },
  tags: { label: "Tags" },
  interactions: { label: "Turns", number: true },
  versions: { label: "Versions", number: true },
  changed: { label: "Changed", number: true },
};

/** On narrow screens each row becomes a card. */
function ScenarioTable({ entries, chosen, onToggle }: ScenarioTableProps) {
  const table = useTable({
    features: sortingFeatures,
    columns,
    data: entries,
    getRowId: (entry) => entry.id,
    ...useSortingState(),
  });
  return (
    <table className="run-table many-columns">
      <caption className="sr-only">Scenarios</caption>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <SortHeader key={header.id} header={header} {...(columnHeaders[header.id] ?? { label: header.id })} />
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map(({ original: entry }) => (
          <tr key={entry.id}>
            <td data-cell="title">
              <span className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="row-check"
                  aria-label={`Select ${entry.id}`}
                  checked={chosen.has(entry.id)}
                  onChange={() => onToggle(entry.id)}
                />
                <Link href={scenarioPath(entry.id)} className="row-link" title={entry.id} data-row="">
                  {entry.id}
                </Link>
                {entry.demo && <DemoBadge short />}
              </span>
            </td>
            <td data-cell="text" className="verbatim text-soft min-[75rem]:max-w-80">
              <span className="line-clamp-2">{entry.description}</span>
            </td>
            <td data-cell="text">
              <span className="flex flex-wrap gap-1">
                {entry.tags.map((tag) => (
                  <Link
                    key={tag}
                    href={`/scenarios?tag=${encodeURIComponent(tag.toWellFormed())}`}
                    className="tag line-clamp-2"
                    title={tag}
                  >
                    {tag}
                  </Link>
                ))}
              </span>
            </td>
            <td data-label="Turns" className="number">
              {formatInteger(entry.interactions)}
            </td>
            <td data-label="Versions" className="number">
              {formatInteger(entry.versions)}
            </td>
            <td data-label="Changed" className="number text-soft">
              <TimeAgo iso={entry.updated_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
