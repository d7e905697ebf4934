import type { Run } from "../../contract/schemas/run.ts";
import type { RunQuery, RunSource } from "./run-source.ts";

/** What a service gives at once. */
const pageSize = 200;

/** The newest runs that are like that, at most `count`, whatever the size of a page. */
export async function newestRuns(
  source: Pick<RunSource, "list">,
  count: number,
  query: Omit<RunQuery, "limit" | "cursor"> = {},
): Promise<Run[]> {
  const runs: Run[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(count - runs.length, pageSize);
    const page = await source.list({ ...query, limit, ...(cursor !== null && { cursor }) });
    runs.push(...page.runs);
    cursor = page.next_cursor;
  } while (cursor !== null && runs.length < count);
  return runs;
}
