import { useQuery } from "@tanstack/react-query";
import { getRunRequest } from "../api.ts";
import { pageConfig } from "../http.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useSearchState } from "../parts/use-search-state.ts";
import { chosenScenarios, isChoiceLost } from "../parts/chosen-scenarios.ts";
import { isFiltered, readRowFilter } from "../run/row-filter.ts";
import { draftFromRequest } from "./draft-from-request.ts";
import { getScenarios } from "../library-api.ts";
import { agentDraft, endpointDraft, firstDraft } from "./first-draft.ts";
import { MissingScenarios } from "./missing-scenarios.tsx";
import { NewRunForm } from "./new-run-form.tsx";
import { readShownIds } from "./read-shown-ids.ts";
import { draftOfThisEntry } from "./run-draft.ts";

/** `?start=demo|paste|endpoint` picks what the form holds, `?from=<run id>` repeats a run, `?show=` and `?q=` with the scenarios that its list then shows, `?scenario=` and `?scenarios=chosen` take from the library or out of that run, `?endpoint=` and `?model=` name what is tested. */
export default function NewRunScreen() {
  const [params] = useSearchState();
  const start = params.get("start");
  const from = params.get("from");
  const model = params.get("model");
  const endpoint = params.get("endpoint");
  const scenarios = chosenScenarios(params);
  const shown = readRowFilter(params);

  const opening = useQuery({
    queryKey: ["new-run", start, from, endpoint, model, scenarios, shown],
    queryFn: async ({ signal }) => {
      const config = await pageConfig();
      const kept = draftOfThisEntry();
      if (kept) return { config, draft: kept };
      if (from) {
        const named = scenarios.length > 0 ? scenarios : null;
        const only = isFiltered(shown) ? await readShownIds(from, shown, signal) : named;
        return { config, draft: draftFromRequest(await getRunRequest(from, signal), { only }) };
      }
      const draft =
        endpoint !== null
          ? endpointDraft(endpoint, model)
          : scenarios.length + Number(model !== null) > 0
            ? agentDraft(config, model)
            : firstDraft(start, config);
      if (scenarios.length === 0) return { config, draft };
      const taken = await getScenarios(scenarios, signal);
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
      {isChoiceLost(params) && (
        <MissingScenarios>Which scenarios were chosen, only the tab they were chosen in knows.</MissingScenarios>
      )}
      {opening.data?.missing && opening.data.missing.length > 0 && (
        <MissingScenarios>
          Not in the library any more, and left out: {opening.data.missing.join(", ")}.
        </MissingScenarios>
      )}
      {opening.data && (
        <NewRunForm key={params.toString()} config={opening.data.config} first={opening.data.draft} from={from} />
      )}
    </Screen>
  );
}
