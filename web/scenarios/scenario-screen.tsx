import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiError } from "../api/api-error.ts";
import { fetchScenario } from "../api/library.ts";
import { DemoBadge } from "../parts/runs/run-status.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { fromSegment, scenarioPath } from "../parts/address/paths.ts";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { startAtTop } from "../parts/browser/focus.ts";
import { usePathSegments, useSearchState } from "../parts/address/search-state.ts";
import { toDraft } from "./edited-scenario.ts";
import { SavedNotice, savedSearch } from "./saved-notice.tsx";
import { RemoveScenarioDialog } from "./scenario-dialogs.tsx";
import { ScenarioEditor } from "./scenario-editor.tsx";
import { VersionList } from "./versions.tsx";

/** One scenario of the library; `?version=` shows an older version. */
export default function ScenarioScreen() {
  const id = fromSegment(usePathSegments()[2] ?? "");
  const [params] = useSearchState();
  const [, navigate] = useLocation();
  const [removing, setRemoving] = useState(false);
  const version = params.get("version") ?? undefined;
  const stored = useQuery({
    queryKey: ["library", "scenario", id, version],
    queryFn: ({ signal }) => fetchScenario(id, { version, signal }),
    // A newer version would replace the text being edited. The list of versions shows it instead.
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
            draftKey={`${id} ${version ?? ""}`}
            initial={draft}
            storedId={id}
            version={version === undefined ? stored.data.version : null}
            onSaved={(kept) => {
              if (!kept) return;
              navigate(scenarioPath(kept.id) + savedSearch(kept));
              // The save button is at the bottom, the notice at the top.
              startAtTop();
            }}
          />
        </>
      )}
      {removing && <RemoveScenarioDialog id={id} onClose={() => setRemoving(false)} />}
    </Screen>
  );
}

/** A missing scenario is not an error of the service: a bookmark may point to one that was removed. */
function NoScenario({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError) || error.status !== 404) return <FailedNotice error={error} onRetry={onRetry} />;
  return (
    <p className="panel p-4">
      <span className="verbatim">{error.detail}</span> It may have been removed, or the address is incomplete.{" "}
      <Link href="/scenarios" className="link">
        Show all scenarios
      </Link>
    </p>
  );
}
