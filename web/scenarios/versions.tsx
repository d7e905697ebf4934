import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { fetchScenario, fetchVersions } from "../api/library.ts";
import { formatCount, formatDate } from "../parts/text/format.ts";
import { scenarioPath } from "../parts/address/paths.ts";
import { DiffText, useWordDiff } from "../transcript/diff-text.tsx";
import { scenarioChanges, type ScenarioChange } from "./scenario-changes.ts";

/** The versions of a scenario; an older version is shown with the changes since then. */
export function VersionList({ scenario, shown }: { scenario: Scenario; shown: string }) {
  const { id } = scenario;
  const versions = useQuery({
    queryKey: ["library", "versions", id],
    queryFn: ({ signal }) => fetchVersions(id, signal),
  });
  const newest = versions.data?.[0]?.version;
  const older = newest !== undefined && shown !== newest;
  const current = useQuery({
    queryKey: ["library", "scenario", id, newest],
    queryFn: ({ signal }) => fetchScenario(id, { version: newest, signal }),
    enabled: older,
  });
  if (!versions.data || versions.data.length < 2) return null;

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <details className="text-sm" open={older}>
        <summary className="text-soft">{formatCount(versions.data.length, "version")}</summary>
        <ol className="mt-2 flex flex-wrap gap-2">
          {versions.data.map((entry, index) => (
            <li key={entry.version}>
              <Link
                href={index === 0 ? scenarioPath(id) : `${scenarioPath(id)}?version=${entry.version}`}
                aria-current={entry.version === shown ? "page" : undefined}
                className="button aria-[current=page]:border-accent aria-[current=page]:text-accent"
              >
                {formatDate(entry.created_at)}
                {index === 0 && " (newest)"}
              </Link>
            </li>
          ))}
        </ol>
      </details>
      {older && current.data && (
        <section aria-label="Changes since this version" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
          <p className="text-sm">This is an older version. Saving it makes it the newest. Changes since then:</p>
          <VersionDiff before={scenario} after={current.data.scenario} />
        </section>
      )}
    </div>
  );
}

export function VersionDiff({ before, after }: { before: Scenario; after: Scenario }) {
  const changes = scenarioChanges(before, after);
  if (changes.length === 0) return <p className="text-sm text-soft">No changes: both versions are the same.</p>;
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {changes.map((change) => (
        <li key={change.place} className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
          <span className="verbatim text-xs font-semibold text-soft">{change.place}</span>
          <Change change={change} />
        </li>
      ))}
    </ul>
  );
}

function Change({ change: { before, after } }: { change: ScenarioChange }) {
  const diff = useWordDiff(before, after);
  if (diff.state === "done" && diff.parts) return <DiffText parts={diff.parts} />;
  return (
    <p className="verbatim">
      {before || "(empty)"} → {after || "(empty)"}
    </p>
  );
}
