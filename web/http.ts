import type { PageConfig } from "../src/contract/page-config.ts";
import { fromResponse, unreachable } from "./api-error.ts";
import { apiKey } from "./api-key.ts";

/** Same-origin requests go to the agent backend, which serves this page. */
const agentOrigin = location.origin;

export const agentUrl = (path: string): URL => new URL(path, agentOrigin);

/** An answer that is 2xx; anything else is thrown as an ApiError. */
export async function request(url: URL, init: RequestInit = {}): Promise<Response> {
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

export async function readJson<T>(url: URL, init?: RequestInit): Promise<T> {
  const response = await request(url, init);
  return (await response.json()) as T;
}

let config: Promise<PageConfig> | undefined;

/** Where the evaluation service is. Asked once; asked again after a failure. */
export function pageConfig(): Promise<PageConfig> {
  config ??= readJson<PageConfig>(agentUrl("/page/config")).catch((error: unknown) => {
    config = undefined;
    throw error;
  });
  return config;
}

export async function evaluationUrl(path: string): Promise<URL> {
  return new URL(path, (await pageConfig()).evaluation);
}
