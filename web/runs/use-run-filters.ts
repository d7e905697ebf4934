import type { RunFilters } from "../api.ts";
import { runStates } from "../parts/run-state.ts";
import { useSearchState } from "../parts/use-search-state.ts";

/** Filters as they stand in the address. */
export function useRunFilters(): RunFilters {
  const [params] = useSearchState();
  return {
    state: runStates.find((state) => state === params.get("state")),
    test_name: params.get("name") ?? undefined,
    model_id: params.get("model") ?? undefined,
  };
}

export const hasFilters = (filters: RunFilters): boolean => Object.values(filters).some(Boolean);
