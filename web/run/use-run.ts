import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { isDisconnected } from "../api/connection.ts";
import { fetchResults, fetchRun, fetchRunScenarios, fetchScenarioResults } from "../api/runs.ts";
import { isEnded } from "../parts/runs/run-facts.ts";
import { isUnderWay } from "./run-progress.ts";

/** Runs with more turns are loaded page by page, others at once. */
const largeRunTurns = 2000;

export const isLarge = ({ progress }: Run): boolean => progress.interactions_total > largeRunTurns;

/** No event reports that a run lost its worker or was resumed, so a run that has not ended is polled. */
const pollMs = 5000;

export const useRun = (id: string, { enabled = true }: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ["run", id],
    queryFn: ({ signal }) => fetchRun(id, signal),
    refetchInterval: ({ state }) => (isUnderWay(state) && !isDisconnected() ? pollMs : false),
    enabled,
  });

/** An ended run only changes when it is rescored, which is rare. */
const freshness = ({ state }: { state: { data: { state: Run["state"] } | undefined } }): number =>
  state.data && isEnded(state.data.state) ? 60_000 : 2000;

/** Score and verdicts of a large run under way, whose turns are not loaded. */
export const useScoreSoFar = (id: string, { enabled }: { enabled: boolean }) =>
  useQuery({
    queryKey: ["rows", id, "so far"],
    queryFn: ({ signal }) => fetchRunScenarios(id, { limit: 1 }, signal),
    enabled,
    retry: false,
  });

/** All results of a run. */
export const useResults = (id: string, { enabled = true }: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ["results", id],
    queryFn: ({ signal }) => fetchResults(id, signal),
    staleTime: freshness,
    enabled,
  });

/** The results of one scenario, taken from all results if those are loaded. */
export function useScenarioResults(id: string, scenarioId: string, { enabled = true }: { enabled?: boolean } = {}) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["scenario-results", id, scenarioId],
    queryFn: async ({ signal }) => {
      const results = await fetchScenarioResults(id, scenarioId, signal);
      // A service without the scenario filter has sent all results: keep them.
      if (results.results.scenarios.length > 1) client.setQueryData(["results", id], results);
      return results;
    },
    initialData: () => client.getQueryData<EvaluationResponse>(["results", id]),
    staleTime: freshness,
    enabled,
  });
}
