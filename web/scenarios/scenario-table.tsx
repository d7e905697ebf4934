import { Link } from "wouter";
import type { LibraryEntry } from "../../src/contract/library.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { formatInteger } from "../parts/format.ts";
import { scenarioPath } from "../parts/paths.ts";
import { TimeAgo } from "../parts/time-ago.tsx";

interface ScenarioTableProps {
  readonly entries: readonly LibraryEntry[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

/** A table; where its columns do not fit, each row becomes a card. */
export function ScenarioTable({ entries, chosen, onToggle }: ScenarioTableProps) {
  return (
    <table className="run-table">
      <caption className="sr-only">Scenarios by id</caption>
      <thead>
        <tr>
          <th scope="col">Scenario</th>
          <th scope="col">Description</th>
          <th scope="col">Tags</th>
          <th scope="col" className="number">
            Turns
          </th>
          <th scope="col" className="number">
            Versions
          </th>
          <th scope="col" className="number">
            Changed
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
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
                <Link href={scenarioPath(entry.id)} className="row-link" data-row="">
                  {entry.id}
                </Link>
                {entry.demo && <DemoBadge short />}
              </span>
            </td>
            <td data-label="Description" className="verbatim text-soft min-[75rem]:max-w-80">
              <span className="line-clamp-2">{entry.description}</span>
            </td>
            <td data-label="Tags">
              <span className="flex flex-wrap gap-1">
                {entry.tags.map((tag) => (
                  <Link key={tag} href={`/scenarios?tag=${encodeURIComponent(tag.toWellFormed())}`} className="tag">
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
