import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiError } from "../api-error.ts";
import { getScenario } from "../library-api.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { fromSegment, scenarioPath } from "../parts/paths.ts";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { startAtTop } from "../parts/start-at-top.ts";
import { usePathSegments } from "../parts/use-path-segments.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { RemoveScenarioDialog } from "./remove-scenario-dialog.tsx";
import { SavedNotice } from "./saved-notice.tsx";
import { savedSearch } from "./saved-search.ts";
import { toDraft } from "./scenario-draft.ts";
import { ScenarioEditor } from "./scenario-editor.tsx";
import { VersionList } from "./version-list.tsx";

/** One scenario of the library, to read and to edit; `?version=` shows an older one. */
export default function ScenarioScreen() {
  const id = fromSegment(usePathSegments()[2] ?? "");
  const [params] = useSearchState();
  const [, navigate] = useLocation();
  const [removing, setRemoving] = useState(false);
  const version = params.get("version") ?? undefined;
  const stored = useQuery({
    queryKey: ["library", "scenario", id, version],
    queryFn: ({ signal }) => getScenario(id, { version, signal }),
    // Another version would take the place of what is being written. That there is one, the list of versions tells.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const draft = stored.data && toDraft(stored.data.scenario);

  return (
    <Screen
      title={id}
      heading={
        <span className="flex flex-wrap items-center gap-x-3">
          <span className="verbatim">{id}</span>
          {stored.data?.demo && <DemoBadge short />}
        </span>
      }
      actions={
        stored.data && (
          <>
            <Link href={`/new?scenario=${encodeURIComponent(id.toWellFormed())}`} className="button">
              <Play aria-hidden size={14} /> Run this
            </Link>
            <button type="button" className="button button-danger" onClick={() => setRemoving(true)}>
              Remove
            </button>
          </>
        )
      }
    >
      <SavedNotice params={params} />
      {stored.isPending && <Skeleton rows={8} label="Loading the scenario" />}
      {stored.isError && <NoScenario error={stored.error} onRetry={() => void stored.refetch()} />}
      {stored.data && draft && (
        <>
          <VersionList scenario={stored.data.scenario} shown={stored.data.version} />
          <ScenarioEditor
            key={`${id} ${stored.data.version}`}
            place={`${id} ${version ?? ""}`}
            first={draft}
            storedId={id}
            version={version === undefined ? stored.data.version : null}
            onSaved={(kept) => {
              if (!kept) return;
              navigate(scenarioPath(kept.id) + savedSearch(kept));
              // The button is at the end of the form, and what became of the save is told at its top.
              startAtTop();
            }}
          />
        </>
      )}
      {removing && <RemoveScenarioDialog id={id} onClose={() => setRemoving(false)} />}
    </Screen>
  );
}

/** A bookmark or another tab may lead to a scenario that was removed: nothing is wrong with the service then. */
function NoScenario({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError) || error.status !== 404) return <FailedNotice error={error} onRetry={onRetry} />;
  return (
    <p className="panel p-4">
      <span className="verbatim">{error.detail}</span> It may have been removed, or the address is cut off.{" "}
      <Link href="/scenarios" className="link">
        Scenarios shows the ones there are.
      </Link>
    </p>
  );
}
