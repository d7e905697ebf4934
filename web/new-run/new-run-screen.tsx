import { useQuery } from "@tanstack/react-query";
import { getResults, pageConfig } from "../api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useSearchState } from "../parts/use-search-state.ts";
import { draftFromRun } from "./draft-from-run.ts";
import { firstDraft } from "./first-draft.ts";
import { NewRunForm } from "./new-run-form.tsx";

/** `?start=demo|paste|endpoint` picks what the form holds; `?from=<run id>` repeats a run. */
export default function NewRunScreen() {
  const [params] = useSearchState();
  const start = params.get("start");
  const from = params.get("from");

  const opening = useQuery({
    queryKey: ["new-run", start, from],
    queryFn: async ({ signal }) => {
      const config = await pageConfig();
      return { config, draft: from ? draftFromRun(await getResults(from, signal)) : firstDraft(start, config) };
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

  return (
    <Screen title="New run">
      {opening.isPending && <Skeleton rows={6} label="Loading the form" />}
      {opening.isError && <FailedNotice error={opening.error} onRetry={() => void opening.refetch()} />}
      {opening.data && <NewRunForm key={`${start} ${from}`} config={opening.data.config} first={opening.data.draft} />}
    </Screen>
  );
}
