import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Progress, Run } from "../../src/contract/schemas/run.ts";
import { useUnreachable } from "../api/connection.ts";
import { ApiError } from "../api/api-error.ts";
import { streamRunEvents } from "../api/runs.ts";
import { isEnded } from "../parts/runs/run-facts.ts";
import { useVisible } from "../parts/browser/page-state.ts";
import type { StreamEvent } from "../api/streams.ts";
import { createThrottle } from "./throttle.ts";

/** Follows a run until it ends, while the page is visible. Events only trigger a reload of the results, so a lost event does no harm. */
export function useLiveRun(id: string, live: boolean): void {
  const client = useQueryClient();
  const visible = useVisible();
  const away = useUnreachable() !== null;
  useEffect(() => {
    if (!live) return refreshOutdated(client, id);
    if (!visible || away) return;
    const controller = new AbortController();
    void follow({ id, client, signal: controller.signal });
    return () => controller.abort();
  }, [client, id, live, visible, away]);
}

/** Another request than the event stream may notice the end of a run: the cached results are then outdated. */
function refreshOutdated(client: QueryClient, id: string): void {
  const results = client.getQueryData<EvaluationResponse>(["results", id]);
  if (results && !isEnded(results.state)) void refreshResults(client, id);
}

interface Following {
  readonly id: string;
  readonly client: QueryClient;
  readonly signal: AbortSignal;
}

/** Reconnects after a lost connection. Polls a service without events. */
async function follow({ id, client, signal }: Following): Promise<void> {
  const refresh = createThrottle(() => refreshResults(client, id));
  signal.addEventListener("abort", refresh.stop);
  let failures = 0;

  while (!signal.aborted) {
    try {
      for await (const event of streamRunEvents(id, signal)) {
        failures = 0;
        if (event.event === "end") return await finishRun(client, id);
        if (event.event === "progress" && applyProgress(client, id, event)) refresh.trigger();
      }
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      // Deleted elsewhere: stop following, and let the query report it.
      if (code === "run_not_found" && !signal.aborted) return await client.resetQueries({ queryKey: ["run", id] });
      failures = code === "not_found" ? 0 : failures + 1;
    }
    if (signal.aborted) return;
    await client.refetchQueries({ queryKey: ["run", id] });
    refresh.trigger();
    await pauseUpdates(Math.min(10_000, 1000 * 2 ** failures), signal);
  }
}

async function finishRun(client: QueryClient, id: string): Promise<void> {
  await refreshResults(client, id);
  await client.refetchQueries({ queryKey: ["run", id] });
  await client.invalidateQueries({ queryKey: ["runs"] });
}

/** True when the progress changed. */
function applyProgress(client: QueryClient, id: string, { data }: StreamEvent): boolean {
  const progress = readProgress(data);
  const before = client.getQueryData<Run>(["run", id]);
  if (!progress || !before || isEnded(before.state)) return false;
  const state = before.state === "queued" ? "running" : before.state;
  client.setQueryData<Run>(["run", id], { ...before, progress, state });
  return JSON.stringify(progress) !== JSON.stringify(before.progress);
}

/** The event is the progress itself, or an object with it. */
function readProgress(data: string): Progress | null {
  try {
    const value = JSON.parse(data) as Partial<Progress> & { progress?: Progress };
    const progress = value.progress ?? value;
    return typeof progress.interactions_done === "number" ? (progress as Progress) : null;
  } catch {
    return null;
  }
}

function pauseUpdates(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const resultKeys: ReadonlySet<unknown> = new Set(["results", "scenario-results", "rows"]);

/** Reloads the results of a run that are on screen; others are reloaded when next shown. */
async function refreshResults(client: QueryClient, runId: string): Promise<void> {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
    resultKeys.has(queryKey[0]) && queryKey[1] === runId;
  await client.invalidateQueries({ predicate, refetchType: "active" });
}
