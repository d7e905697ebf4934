import { listRunScenarios } from "../api.ts";
import type { RowFilter } from "../run/row-filter.ts";

const pageSize = 200;

/** The ids of a run's scenarios that a filter shows, page by page. */
export async function readShownIds(
  runId: string,
  { status, text }: RowFilter,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const query = { status, search: text, offset: ids.length, limit: pageSize };
    const { scenarios, total } = await listRunScenarios(runId, query, signal);
    ids.push(...scenarios.map(({ scenario_id }) => scenario_id));
    if (scenarios.length === 0 || ids.length >= total) return ids;
  }
}
