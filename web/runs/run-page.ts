import type { InfiniteData, QueryState } from "@tanstack/react-query";
import type { RunList } from "../../src/contract/schemas/run.ts";
import { isEnded } from "../parts/run-state.ts";

/** A page of the list of runs, and when it was read. */
interface RunPage extends RunList {
  readonly readAt: number;
}

export type RunPages = InfiniteData<RunPage, string | undefined>;

/** What has ended changes only when it is scored again or deleted, which is seldom. */
const freshFor = 60_000;

/**
 * A page that need not be read again because of a run on another one. Undefined for the first page, where new runs appear,
 * for one with a run under way, and when all of the list is asked for anew.
 */
export function settledPage(
  state: QueryState<RunPages> | undefined,
  { cursor, now }: { cursor: string | undefined; now: number },
): RunPage | undefined {
  if (!state?.data || state.isInvalidated || cursor === undefined) return undefined;
  const page = state.data.pages[state.data.pageParams.indexOf(cursor)];
  const settled = page && now - page.readAt < freshFor && page.runs.every((run) => isEnded(run.state));
  return settled ? page : undefined;
}
