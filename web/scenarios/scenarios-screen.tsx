import { FileUp, Play, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { newRunWith } from "../parts/chosen-scenarios.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { FilterInput } from "../parts/filter-input.tsx";
import { formatCount } from "../parts/format.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { SortedPartNote } from "../parts/sorted-part-note.tsx";
import { toggled } from "../parts/toggled.ts";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { ExportMenu } from "./export-menu.tsx";
import { RemoveDemoButton } from "./remove-demo-button.tsx";
import { ScenarioTable } from "./scenario-table.tsx";
import { useLibrary } from "./use-library.ts";

/** The library; `?search=` and `?tag=` narrow it. */
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

  const run = (): void => navigate(newRunWith(picked));

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
        No scenario matches.{" "}
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
        file of another tool, or save a chat as a scenario.
      </p>
    </div>
  );
}
