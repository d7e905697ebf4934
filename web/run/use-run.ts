import { useQuery } from "@tanstack/react-query";
import { getResults, getRun } from "../api.ts";
import { isEnded } from "../parts/run-state.ts";

export const useRun = (id: string) => useQuery({ queryKey: ["run", id], queryFn: ({ signal }) => getRun(id, signal) });

/** Everything stored of a run. What has ended does not change, so it is read once. */
export const useResults = (id: string) =>
  useQuery({
    queryKey: ["results", id],
    queryFn: ({ signal }) => getResults(id, signal),
    staleTime: ({ state }) => (state.data && isEnded(state.data.state) ? Infinity : 2000),
  });
