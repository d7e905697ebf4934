import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { Progress, Run } from "../../src/contract/run.ts";
import { followRun } from "../api.ts";
import { ApiError } from "../api-error.ts";
import { isEnded } from "../parts/run-state.ts";
import type { ServerEvent } from "../server-events.ts";
import { paced } from "./paced.ts";

/** Follows a run that has not ended. Results are read from the service, so a reload or a lost event loses nothing. */
export function useLiveRun(id: string, live: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!live) return refreshUnfinished(client, id);
    const controller = new AbortController();
    void follow({ id, client, signal: controller.signal });
    return () => controller.abort();
  }, [client, id, live]);
}

/** A run may be seen to end by another request than the events: then the results at hand are from before. */
function refreshUnfinished(client: QueryClient, id: string): void {
  const results = client.getQueryData<EvaluationResponse>(["results", id]);
  if (results && !isEnded(results.state)) void client.refetchQueries({ queryKey: ["results", id] });
}

interface Following {
  readonly id: string;
  readonly client: QueryClient;
  readonly signal: AbortSignal;
}

/** Connects again after a lost connection, from the last event seen. A service without events is asked now and then. */
async function follow({ id, client, signal }: Following): Promise<void> {
  const refresh = paced(() => client.refetchQueries({ queryKey: ["results", id] }));
  signal.addEventListener("abort", refresh.stop);
  let lastEventId: string | undefined;
  let failures = 0;

  while (!signal.aborted) {
    try {
      for await (const event of followRun(id, { lastEventId, signal })) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        if (event.event === "end") return await finish(client, id);
        if (event.event === "progress") applyProgress(client, id, event);
        refresh.trigger();
      }
    } catch (error) {
      failures = error instanceof ApiError && error.status !== null ? 0 : failures + 1;
    }
    if (signal.aborted) return;
    await client.refetchQueries({ queryKey: ["run", id] });
    refresh.trigger();
    await pause(Math.min(10_000, 1000 * 2 ** failures), signal);
  }
}

async function finish(client: QueryClient, id: string): Promise<void> {
  await client.refetchQueries({ queryKey: ["results", id] });
  await client.refetchQueries({ queryKey: ["run", id] });
  await client.invalidateQueries({ queryKey: ["runs"] });
}

function applyProgress(client: QueryClient, id: string, { data }: ServerEvent): void {
  const progress = readProgress(data);
  if (!progress) return;
  client.setQueryData<Run>(["run", id], (run) => {
    if (!run || isEnded(run.state)) return run;
    return { ...run, progress, state: run.state === "queued" ? "running" : run.state };
  });
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
