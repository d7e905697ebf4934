import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { getResults, getRun, getScenarioResults } from "../api.ts";
import { isEnded } from "../parts/run-state.ts";
import { isUnderWay } from "./is-under-way.ts";

/** From this many turns on a run is read page by page; below, everything is here at once and can be gone through freely. */
const largeFrom = 2000;

export const isLarge = ({ progress }: Run): boolean => progress.interactions_total > largeFrom;

/** No event tells that whoever carried a run out is gone, or that somebody goes on with it: one that has not ended is asked about. */
const lookAgainMs = 5000;

export const useRun = (id: string, { enabled = true }: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ["run", id],
    queryFn: ({ signal }) => getRun(id, signal),
    refetchInterval: ({ state }) => (isUnderWay(state) ? lookAgainMs : false),
    enabled,
  });

/** What has ended changes only when it is scored again, which is seldom: it is not read at every turn of a page. */
const freshness = ({ state }: { state: { data: { state: Run["state"] } | undefined } }): number =>
  state.data && isEnded(state.data.state) ? 60_000 : 2000;

/** Everything stored of a run. */
export const useResults = (id: string, { enabled = true }: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ["results", id],
    queryFn: ({ signal }) => getResults(id, signal),
    staleTime: freshness,
    enabled,
  });

/** The same of one scenario, out of everything where that is here already. */
export function useScenarioResults(id: string, scenarioId: string, { enabled = true }: { enabled?: boolean } = {}) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["scenario-results", id, scenarioId],
    queryFn: async ({ signal }) => {
      const results = await getScenarioResults(id, scenarioId, signal);
      // A service that cannot leave the others out has sent everything: once is enough.
      if (results.results.scenarios.length > 1) client.setQueryData(["results", id], results);
      return results;
    },
    initialData: () => client.getQueryData<EvaluationResponse>(["results", id]),
    staleTime: freshness,
    enabled,
  });
}
