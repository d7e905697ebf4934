import { useQuery } from "@tanstack/react-query";
import { isKeyRefused, toApiError } from "../api-error.ts";
import { studioModels } from "../api.ts";
import { openAiModels, upstreams } from "../models-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { FilterInput } from "../parts/filter-input.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useSearchState } from "../parts/use-search-state.ts";
import { findModels, groupModels } from "./group-models.ts";
import { LocalServerSearch } from "./local-server-search.tsx";
import { ModelTable } from "./model-table.tsx";
import { ProviderList } from "./provider-list.tsx";

/** So many are seen at a glance. */
const fewModels = 12;

/** Every provider with its health, and every model known by name. */
export default function ModelsScreen() {
  const studio = useQuery({ queryKey: ["studio-models"], queryFn: ({ signal }) => studioModels(signal) });
  const listed = useQuery({ queryKey: ["openai-models"], queryFn: ({ signal }) => openAiModels(signal) });
  const state = useQuery({
    queryKey: ["upstreams"],
    queryFn: ({ signal }) => upstreams(signal),
    refetchInterval: ({ state: { error } }) => (isKeyRefused(error) ? false : 10_000),
  });
  const [params] = useSearchState();
  const searched = params.get("q") ?? "";
  const known = groupModels(studio.data ?? {}, listed.data?.data ?? []);
  const groups = findModels(known, searched);
  const many = known.reduce((sum, { models }) => sum + models.length, 0) > fewModels;
  const failed = [state, studio, listed].filter(({ isError }) => isError);
  // What keeps one of them away often keeps all: it is said once.
  const failures = Map.groupBy(
    failed.map(({ error }) => toApiError(error)),
    ({ code, detail }) => `${code} ${detail}`,
  );
  const retry = (): void => failed.forEach(({ refetch }) => void refetch());
  // What stands further up comes first: nothing is pushed away from under the reader.
  const begun = !state.isPending && !studio.isPending;
  const complete = begun && !listed.isPending;

  return (
    <Screen title="Models">
      {[...failures].map(([key, [error]]) => (
        <FailedNotice key={key} error={error} onRetry={retry} />
      ))}
      {begun && state.data && (
        <section aria-label="Where they come from" className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <h2 className="text-base font-semibold">Providers</h2>
          <ProviderList {...state.data} />
        </section>
      )}
      {complete && failed.length === 0 && known.length === 0 && (
        <p className="panel p-4 text-soft">
          No model is known by name. <span className="mono">HUB_BASE_URL</span> and{" "}
          <span className="mono">STUDIO_BASE_URL</span> in the services' environment say where they are; any{" "}
          <span className="mono">provider/model</span> of a hub can be typed in the chat.
        </p>
      )}
      {begun && (many || searched !== "") && (
        <search className="flex">
          <FilterInput label="Find a model" name="q" value={searched} placeholder="part of the name  /" first />
        </search>
      )}
      {complete && known.length > 0 && groups.length === 0 && <p className="panel p-4 text-soft">No model matches.</p>}
      {begun && groups.map((group) => <ModelTable key={group.title} group={group} state={state.data ?? null} />)}
      {!complete && <Skeleton rows={6} label="Loading models" />}
      {complete && state.data && <LocalServerSearch />}
    </Screen>
  );
}
