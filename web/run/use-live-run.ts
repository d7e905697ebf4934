import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Progress, Run } from "../../src/contract/schemas/run.ts";
import { followRun } from "../api.ts";
import { ApiError } from "../api-error.ts";
import { isEnded } from "../parts/run-state.ts";
import { useVisible } from "../parts/use-visible.ts";
import type { ServerEvent } from "../server-events.ts";
import { paced } from "./paced.ts";
import { refreshResults } from "./refresh-results.ts";

/**
 * Follows a run that has not ended, as long as the page is seen. Results are read from the service, so a reload or a lost
 * event loses nothing.
 */
export function useLiveRun(id: string, live: boolean): void {
  const client = useQueryClient();
  const visible = useVisible();
  useEffect(() => {
    if (!live) return refreshUnfinished(client, id);
    if (!visible) return;
    const controller = new AbortController();
    void follow({ id, client, signal: controller.signal });
    return () => controller.abort();
  }, [client, id, live, visible]);
}

/** A run may be seen to end by another request than the events: then the results at hand are from before. */
function refreshUnfinished(client: QueryClient, id: string): void {
  const results = client.getQueryData<EvaluationResponse>(["results", id]);
  if (results && !isEnded(results.state)) void refreshResults(client, id);
}

interface Following {
  readonly id: string;
  readonly client: QueryClient;
  readonly signal: AbortSignal;
}

/** Connects again after a lost connection. A service without events is asked now and then. */
async function follow({ id, client, signal }: Following): Promise<void> {
  const refresh = paced(() => refreshResults(client, id));
  signal.addEventListener("abort", refresh.stop);
  let failures = 0;

  while (!signal.aborted) {
    try {
      for await (const event of followRun(id, signal)) {
        failures = 0;
        if (event.event === "end") return await finish(client, id);
        if (event.event === "progress" && applyProgress(client, id, event)) refresh.trigger();
      }
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      // It was deleted elsewhere: asking again would never end. What is said of it from now on is that it is gone.
      if (code === "run_not_found" && !signal.aborted) return await client.resetQueries({ queryKey: ["run", id] });
      failures = code === "not_found" ? 0 : failures + 1;
    }
    if (signal.aborted) return;
    await client.refetchQueries({ queryKey: ["run", id] });
    refresh.trigger();
    await pause(Math.min(10_000, 1000 * 2 ** failures), signal);
  }
}

async function finish(client: QueryClient, id: string): Promise<void> {
  await refreshResults(client, id);
  await client.refetchQueries({ queryKey: ["run", id] });
  await client.invalidateQueries({ queryKey: ["runs"] });
}

/** True when there is something new. */
function applyProgress(client: QueryClient, id: string, { data }: ServerEvent): boolean {
  const progress = readProgress(data);
  const before = client.getQueryData<Run>(["run", id]);
  if (!progress || !before || isEnded(before.state)) return false;
  const state = before.state === "queued" ? "running" : before.state;
  client.setQueryData<Run>(["run", id], { ...before, progress, state });
  return JSON.stringify(progress) !== JSON.stringify(before.progress);
}

/** The event is the progress itself, or holds it. */
function readProgress(data: string): Progress | null {
  try {
    const value = JSON.parse(data) as Partial<Progress> & { progress?: Progress };
    const progress = value.progress ?? value;
    return typeof progress.interactions_done === "number" ? (progress as Progress) : null;
  } catch {
    return null;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
