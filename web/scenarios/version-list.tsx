import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { getScenario, scenarioVersions } from "../library-api.ts";
import { formatCount, formatDate } from "../parts/format.ts";
import { scenarioPath } from "../parts/paths.ts";
import { VersionDiff } from "./version-diff.tsx";

/** The versions of a scenario; an older one is shown with what has changed since. */
export function VersionList({ scenario, shown }: { scenario: Scenario; shown: string }) {
  const { id } = scenario;
  const versions = useQuery({
    queryKey: ["library", "versions", id],
    queryFn: ({ signal }) => scenarioVersions(id, signal),
  });
  const newest = versions.data?.[0]?.version;
  const older = newest !== undefined && shown !== newest;
  const current = useQuery({
    queryKey: ["library", "scenario", id, newest],
    queryFn: ({ signal }) => getScenario(id, { version: newest, signal }),
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
          <p className="text-sm">
            This is an older version. Saving it makes it the newest again. What has changed since:
          </p>
          <VersionDiff before={scenario} after={current.data.scenario} />
        </section>
      )}
    </div>
  );
}
