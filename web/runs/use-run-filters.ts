import type { RunFilters } from "../api.ts";
import { runStates } from "../parts/run-state.ts";
import { useKnownModels } from "../parts/use-known-models.ts";
import { useSearchState } from "../parts/use-search-state.ts";

export interface TypedFilters {
  readonly search: string;
  readonly model: string;
  readonly state: RunFilters["state"];
}

/** Filters as they stand in the address. Links of an earlier version ask for a name. */
export function useTypedFilters(): TypedFilters {
  const [params] = useSearchState();
  return {
    search: params.get("search") ?? params.get("name") ?? "",
    model: params.get("model") ?? "",
    state: runStates.find((state) => state === params.get("state")),
  };
}

/** The same for the service, which knows models by their id only: a name stands for its UUID. */
export function useRunFilters({ search, model, state }: TypedFilters): RunFilters {
  const models = useKnownModels();
  return {
    state,
    model_id: models.get(model) ?? model,
    search: search.trim(),
    search_model_ids: search.trim() === "" ? "" : idsOfNamed(models, search.trim()),
  };
}

/** As many as an address can hold. */
const mostNamed = 50;

const idsOfNamed = (models: ReadonlyMap<string, string>, text: string): string =>
  [...models]
    .filter(([name]) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, mostNamed)
    .map(([, id]) => id)
    .join(",");

export const hasFilters = (filters: RunFilters): boolean => Object.values(filters).some(Boolean);
