import { BookOpenText } from "lucide-react";
import { useState } from "react";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { getScenarios } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatCount } from "../parts/format.ts";
import { ModalDialog } from "../parts/modal-dialog.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { toggled } from "../parts/toggled.ts";
import { useLibrary } from "../scenarios/use-library.ts";

/** Takes scenarios from the library into the request. */
export function LibraryPicker({ onPicked }: { onPicked: (scenarios: readonly Scenario[]) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <BookOpenText aria-hidden size={14} /> From the library
      </button>
      {open && (
        <ModalDialog title="Scenarios of the library" onClose={() => setOpen(false)}>
          <PickList
            onPicked={(scenarios) => {
              onPicked(scenarios);
              setOpen(false);
            }}
          />
        </ModalDialog>
      )}
    </>
  );
}

function PickList({ onPicked }: { onPicked: (scenarios: readonly Scenario[]) => void }) {
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>(null);
  const library = useLibrary({ search: search || undefined });
  const entries = library.data?.pages.flatMap((page) => page.scenarios) ?? [];
  const toggle = (id: string): void => setChosen((current) => toggled(current, id));
  const take = (): void => {
    const ids = chosen.size > 0 ? [...chosen] : entries.map((entry) => entry.id);
    getScenarios(ids, new AbortController().signal).then(({ scenarios }) => onPicked(scenarios), setError);
  };

  return (
    <div className="grid gap-3">
      <input
        type="search"
        className="field"
        aria-label="Search the library"
        placeholder="id, words or tag"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {library.isPending && <Skeleton rows={4} label="Loading the library" />}
      {library.isError && <FailedNotice error={library.error} onRetry={() => void library.refetch()} />}
      {library.isSuccess && entries.length === 0 && <p className="text-sm text-soft">Nothing found.</p>}
      <ul className="grid max-h-80 gap-0.5 overflow-y-auto">
        {entries.map((entry) => (
          <li key={entry.id}>
            <label className="flex cursor-pointer items-baseline gap-2 rounded-md px-2 py-1 hover:bg-sunken">
              <input type="checkbox" checked={chosen.has(entry.id)} onChange={() => toggle(entry.id)} />
              <span className="verbatim line-clamp-2 font-medium" title={entry.id}>
                {entry.id}
              </span>
              <span className="verbatim line-clamp-1 text-sm text-soft">{entry.description}</span>
            </label>
          </li>
        ))}
      </ul>
      {library.hasNextPage && (
        <button type="button" className="button justify-self-start" onClick={() => void library.fetchNextPage()}>
          More
        </button>
      )}
      {error !== null && <FailedNotice error={error} />}
      <button
        type="button"
        className="button button-primary justify-self-end"
        disabled={entries.length === 0}
        onClick={take}
      >
        Use {chosen.size > 0 ? formatCount(chosen.size, "scenario") : `all ${entries.length} shown`}
      </button>
    </div>
  );
}
