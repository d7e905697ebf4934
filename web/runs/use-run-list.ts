import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryState,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Run, RunList } from "../../src/contract/schemas/run.ts";
import { isDisconnected } from "../api/connection.ts";
import { useEvent } from "../parts/browser/events.ts";
import { isAuthError } from "../api/api-error.ts";
import { fetchRuns, type RunFilters } from "../api/runs.ts";
import { isEnded, runStates } from "../parts/runs/run-facts.ts";
import { useKnownModels } from "../parts/runs/model-names.ts";
import { useSearchState } from "../parts/address/search-state.ts";

/** Runs, newest first, page by page. Polls while a run is under way and the tab is visible. */
export function useRunList(filters: RunFilters) {
  return useInfiniteQuery({
    queryKey: ["runs", filters],
    queryFn: async ({ pageParam: cursor, signal, client, queryKey }) => {
      const now = Date.now();
      const reused = reusablePage(client.getQueryState<RunPages>(queryKey), { cursor, now });
      return reused ?? { ...(await fetchRuns({ ...filters, cursor }, signal)), readAt: now };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const underWay = state.data?.pages.some((page) => page.runs.some((run) => !isEnded(run.state)));
      return underWay && !isAuthError(state.error) && !isDisconnected() ? pollMs : false;
    },
  });
}

const pollMs = 1000;

interface NewRunsOptions {
  readonly listed: readonly Run[];
  readonly filtered: boolean;
}

/** Reloads the list when a run is started or deleted elsewhere. Polls the newest run only: a whole page may be large. */
export function useNewRuns({ listed, filtered }: NewRunsOptions): void {
  const client = useQueryClient();
  const newest = useQuery({
    queryKey: ["newest-run"],
    queryFn: ({ signal }) => fetchRuns({ limit: "1" }, signal),
    refetchInterval: ({ state }) => (isAuthError(state.error) || isDisconnected() ? false : pollMs),
    retry: false,
    staleTime: 0,
  });
  const id = newest.data && (newest.data.runs[0]?.run_id ?? "");
  const seen = useRef<string>(undefined);
  const onNewest = useEvent((runId: string) => {
    const known = filtered || runId === "" || listed.some((run) => run.run_id === runId);
    if (seen.current === undefined && known) return;
    void client.invalidateQueries({ queryKey: ["runs"] });
  });
  useEffect(() => {
    if (id === undefined || id === seen.current) return;
    onNewest(id);
    seen.current = id;
  }, [id, onNewest]);
}

/** A page of the list, with the time it was loaded. */
interface LoadedPage extends RunList {
  readonly readAt: number;
}

type RunPages = InfiniteData<LoadedPage, string | undefined>;

/** Ended runs only change when they are rescored or deleted, which is rare. */
const freshFor = 60_000;

/**
 * A loaded page that polling need not load again. Undefined for the first page, where new runs appear, for a page with a run
 * under way, and after an invalidation.
 */
function reusablePage(
  state: QueryState<RunPages> | undefined,
  { cursor, now }: { cursor: string | undefined; now: number },
): LoadedPage | undefined {
  if (!state?.data || state.isInvalidated || cursor === undefined) return undefined;
  const page = state.data.pages[state.data.pageParams.indexOf(cursor)];
  return page && now - page.readAt < freshFor && page.runs.every((run) => isEnded(run.state)) ? page : undefined;
}

export interface TypedFilters {
  readonly search: string;
  readonly model: string;
  readonly state: RunFilters["state"];
  readonly tag: string;
  readonly label: string;
  /** The score that `min` and `max` refer to. */
  readonly score: string;
  readonly min: string;
  readonly max: string;
  /** Dates like 2026-11-18. */
  readonly from: string;
  readonly to: string;
}

/** The filters below "More filters". */
export const moreFilters = ["tag", "label", "score", "min", "max", "from", "to"] as const;

/** The filters in the address. Links from earlier versions use `name` instead of `search`. */
export function useTypedFilters(): TypedFilters {
  const [params] = useSearchState();
  const more = Object.fromEntries(moreFilters.map((name) => [name, params.get(name) ?? ""]));
  return {
    ...(more as Pick<TypedFilters, (typeof moreFilters)[number]>),
    search: params.get("search") ?? params.get("name") ?? "",
    model: params.get("model") ?? "",
    state: runStates.find((state) => state === params.get("state")),
  };
}

/** The filters for the service, which knows models only by id: model names are replaced by their UUIDs. */
export function useRunFilters({ search, model, state, tag, label, ...typed }: TypedFilters): RunFilters {
  const models = useKnownModels();
  const [min_score, max_score] = [scoreText(typed.min), scoreText(typed.max)];
  return {
    tag: tag.trim(),
    label: label.trim(),
    min_score,
    max_score,
    score: min_score === "" && max_score === "" ? "" : typed.score.trim(),
    created_from: dayText(typed.from),
    created_to: dayText(typed.to),
    state,
    model_id: models.get(model) ?? model,
    search: search.trim(),
    search_model_ids: search.trim() === "" ? "" : matchingModelIds(models, search.trim()),
  };
}

/** A number that is being typed is not sent before it is one. */
const scoreText = (text: string): string => {
  const value = text.trim().replace(",", ".").replace("−", "-");
  return value !== "" && Number.isFinite(Number(value)) ? value : "";
};

const dayText = (text: string): string => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : "");

/** Keeps the request URL within its limit. */
const maxModelIds = 50;

const matchingModelIds = (models: ReadonlyMap<string, string>, text: string): string =>
  [...models]
    .filter(([name]) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, maxModelIds)
    .map(([, id]) => id)
    .join(",");

export const hasFilters = (filters: RunFilters): boolean => Object.values(filters).some(Boolean);
