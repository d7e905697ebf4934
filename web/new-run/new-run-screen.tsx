import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { fetchRunRequest, fetchRunScenarios } from "../api/runs.ts";
import { pageConfig } from "../api/http.ts";
import { fetchScenarios } from "../api/library.ts";
import { selectedScenarios, isSelectionLost } from "../parts/address/paths.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { useSearchState } from "../parts/address/search-state.ts";
import { isFiltered, readRowFilter, type RowFilter } from "../run/grid/scenario-rows.ts";
import { agentDraft, endpointDraft, initialDraft } from "./initial-draft.ts";
import { NewRunForm } from "./new-run-form.tsx";
import { draftOfHistoryEntry } from "./run-draft.ts";
import { draftFromRequest } from "./run-request.ts";

/**
 * The form for a new run. The address sets its initial content:
 * - `?start=demo|paste|endpoint`: one of the first steps.
 * - `?from=<run id>`: repeats a run; `?show=` and `?q=` limit it to the scenarios that this filter shows.
 * - `?scenario=`, `?scenarios=chosen`: takes scenarios from the library, or from the repeated run.
 * - `?endpoint=`, `?protocol=`, `?model=`: the model under test.
 */
export default function NewRunScreen() {
  const [params] = useSearchState();
  const start = params.get("start");
  const from = params.get("from");
  const model = params.get("model");
  const endpoint = params.get("endpoint");
  const protocol = params.get("protocol");
  const scenarios = selectedScenarios(params);
  const shown = readRowFilter(params);

  const opening = useQuery({
    queryKey: ["new-run", start, from, endpoint, protocol, model, scenarios, shown],
    queryFn: async ({ signal }) => {
      const config = await pageConfig();
      const kept = draftOfHistoryEntry();
      if (kept) return { config, draft: kept };
      if (from) {
        const named = scenarios.length > 0 ? scenarios : null;
        const only = isFiltered(shown) ? await listFilteredIds(from, shown, signal) : named;
        return { config, draft: draftFromRequest(await fetchRunRequest(from, signal), { only }) };
      }
      const draft =
        endpoint !== null
          ? endpointDraft(endpoint, { model, protocol })
          : scenarios.length + Number(model !== null) > 0
            ? agentDraft(config, model)
            : initialDraft(start, config);
      if (scenarios.length === 0) return { config, draft };
      const taken = await fetchScenarios(scenarios, signal);
      const text = taken.scenarios.length > 0 ? JSON.stringify(taken.scenarios, null, 2) : "";
      return { config, draft: { ...draft, scenarios: text }, missing: taken.missing };
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

  return (
    <Screen title="New run">
      {opening.isPending && <Skeleton rows={6} label="Loading the form" />}
      {opening.isError && <FailedNotice error={opening.error} onRetry={() => void opening.refetch()} />}
      {isSelectionLost(params) && (
        <MissingScenarios>
          Your selection lives in the tab where you made it. Select the scenarios again.
        </MissingScenarios>
      )}
      {opening.data?.missing && opening.data.missing.length > 0 && (
        <MissingScenarios>No longer in the library, left out: {opening.data.missing.join(", ")}.</MissingScenarios>
      )}
      {opening.data && (
        <NewRunForm key={params.toString()} config={opening.data.config} first={opening.data.draft} from={from} />
      )}
    </Screen>
  );
}

/** Warns that scenarios named in the address are missing. */
function MissingScenarios({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="flex items-start gap-2 rounded-lg bg-warn-ground p-3 text-sm text-warn">
      <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
      <span className="verbatim">
        {children}{" "}
        <Link href="/scenarios" className="font-semibold underline">
          Go to Scenarios
        </Link>
      </span>
    </p>
  );
}

const pageSize = 200;

/** The ids of a run's scenarios that match a filter. */
async function listFilteredIds(
  runId: string,
  { status, text }: RowFilter,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const query = { status, search: text, offset: ids.length, limit: pageSize };
    const { scenarios, total } = await fetchRunScenarios(runId, query, signal);
    ids.push(...scenarios.map(({ scenario_id }) => scenario_id));
    if (scenarios.length === 0 || ids.length >= total) return ids;
  }
}
