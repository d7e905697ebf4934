import { createColumnHelper, useTable } from "@tanstack/react-table";
import { Link } from "wouter";
import type { LibraryEntry } from "../../src/contract/schemas/library.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { formatInteger } from "../parts/format.ts";
import { scenarioPath } from "../parts/paths.ts";
import { SortHeader } from "../parts/sort-header.tsx";
import { sortingFeatures, useSortingState } from "../parts/sorting.ts";
import { TimeAgo } from "../parts/time-ago.tsx";

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

const looks: Readonly<Record<string, { readonly label: string; readonly number?: true }>> = {
  id: { label: "Scenario" },
  description: { label: "Description" },
  tags: { label: "Tags" },
  interactions: { label: "Turns", number: true },
  versions: { label: "Versions", number: true },
  changed: { label: "Changed", number: true },
};

/** A table; where its columns do not fit, each row becomes a card. */
export function ScenarioTable({ entries, chosen, onToggle }: ScenarioTableProps) {
  const table = useTable({
    features: sortingFeatures,
    columns,
    data: entries,
    getRowId: (entry) => entry.id,
    ...useSortingState(),
  });
  return (
    <table className="run-table">
      <caption className="sr-only">Scenarios</caption>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <SortHeader key={header.id} header={header} {...(looks[header.id] ?? { label: header.id })} />
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
                  aria-label={`Choose ${entry.id}`}
                  checked={chosen.has(entry.id)}
                  onChange={() => onToggle(entry.id)}
                />
                <Link href={scenarioPath(entry.id)} className="row-link" title={entry.id} data-row="">
                  {entry.id}
                </Link>
                {entry.demo && <DemoBadge short />}
              </span>
            </td>
            <td data-cell="text" className="verbatim text-soft md:max-w-80">
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
