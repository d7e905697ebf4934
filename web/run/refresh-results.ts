import type { QueryClient } from "@tanstack/react-query";

const kinds: ReadonlySet<unknown> = new Set(["results", "scenario-results", "rows"]);

/** Reads what is on screen of a run again. What is not on screen is read when it is next shown. */
export async function refreshResults(client: QueryClient, runId: string): Promise<void> {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
    kinds.has(queryKey[0]) && queryKey[1] === runId;
  await client.invalidateQueries({ predicate, refetchType: "active" });
}
