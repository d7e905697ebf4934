import type { AgentMessage } from "../src/contract/agent-message.ts";
import type { AgentReply } from "../src/contract/agent-reply.ts";
import type { EvaluationResponse } from "../src/contract/evaluation-response.ts";
import type { PageConfig } from "../src/contract/page-config.ts";
import type { RunList } from "../src/contract/run-list.ts";
import type { Run, RunState } from "../src/contract/run.ts";
import type { StudioModels } from "../src/contract/studio-models.ts";
import { fromResponse, unreachable } from "./api-error.ts";
import { apiKey } from "./api-key.ts";
import { readEvents, type ServerEvent } from "./server-events.ts";

/** Same-origin requests go to the agent backend, which serves this page. */
const agentOrigin = location.origin;

async function request(url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = apiKey();
  if (key) headers.set("authorization", `Bearer ${key}`);
  if (init.body) headers.set("content-type", "application/json");

  const response = await fetch(url, { ...init, headers, credentials: "omit", redirect: "error" }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw unreachable(url.origin, error);
    },
  );
  if (!response.ok) throw await fromResponse(response);
  return response;
}

async function readJson<T>(url: URL, init?: RequestInit): Promise<T> {
  const response = await request(url, init);
  return (await response.json()) as T;
}

let config: Promise<PageConfig> | undefined;

/** Where the evaluation service is. Asked once; asked again after a failure. */
export function pageConfig(): Promise<PageConfig> {
  config ??= readJson<PageConfig>(new URL("/page/config", agentOrigin)).catch((error: unknown) => {
    config = undefined;
    throw error;
  });
  return config;
}

async function evaluationUrl(path: string): Promise<URL> {
  return new URL(path, (await pageConfig()).evaluation);
}

const runPath = (id: string, rest = ""): string => `/runs/${encodeURIComponent(id)}${rest}`;

export const studioModels = (signal: AbortSignal): Promise<StudioModels> =>
  readJson(new URL("/studio/models", agentOrigin), { signal });

/** What comes back from the agent while it answers; the reply is the last event. */
export type AgentEvent = { readonly type: "reply"; readonly reply: AgentReply };

export interface AgentQuestion {
  readonly model: string;
  readonly messages: readonly AgentMessage[];
  readonly signal: AbortSignal;
}

export async function* askAgent({ model, messages, signal }: AgentQuestion): AsyncGenerator<AgentEvent> {
  const reply = await readJson<AgentReply>(new URL("/", agentOrigin), {
    method: "POST",
    headers: { "x-model-id": model },
    body: JSON.stringify({ messages }),
    signal,
  });
  yield { type: "reply", reply };
}

export interface RunFilters {
  readonly state?: RunState | undefined;
  readonly test_name?: string | undefined;
  readonly model_id?: string | undefined;
}

export async function listRuns(
  filters: RunFilters & { cursor?: string | undefined },
  signal: AbortSignal,
): Promise<RunList> {
  const url = await evaluationUrl("/runs");
  for (const [name, value] of Object.entries(filters)) if (value) url.searchParams.set(name, value);
  return readJson(url, { signal });
}

export const getRun = async (id: string, signal: AbortSignal): Promise<Run> =>
  readJson(await evaluationUrl(runPath(id)), { signal });

export const getResults = async (id: string, signal: AbortSignal): Promise<EvaluationResponse> =>
  readJson(await evaluationUrl(runPath(id, "/results")), { signal });

/** Starts a run and answers as soon as it is stored. `body` is the JSON text shown to the user, sent as it is. */
export const startRun = async (body: string): Promise<Run> =>
  readJson(await evaluationUrl("/evaluate"), { method: "POST", headers: { prefer: "respond-async" }, body });

export const cancelRun = async (id: string): Promise<Run> =>
  readJson(await evaluationUrl(runPath(id, "/cancel")), { method: "POST", body: "{}" });

export async function deleteRun(id: string): Promise<void> {
  await request(await evaluationUrl(runPath(id)), { method: "DELETE" });
}

/** Events of a run from `lastEventId` on, until the service closes the stream. */
export async function* followRun(
  id: string,
  options: { readonly lastEventId: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (options.lastEventId) headers["last-event-id"] = options.lastEventId;
  const response = await request(await evaluationUrl(runPath(id, "/events")), { headers, signal: options.signal });
  if (response.body) yield* readEvents(response.body);
}
