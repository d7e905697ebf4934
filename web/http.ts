import type { PageConfig } from "../src/contract/schemas/service-info.ts";
import { brokenOff, fromResponse, notUnderstood, unreachable } from "./api-error.ts";
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
      throw unreachable(`Nothing answered at ${url.origin}.`, error);
    },
  );
  if (!response.ok) throw await fromResponse(response);
  return response;
}

export const readJson = async <T>(url: URL, init?: RequestInit): Promise<T> => parseJson(await request(url, init));

export async function parseJson<T>(response: Response): Promise<T> {
  const text = await readText(response);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw notUnderstood(response);
  }
}

/** All of a body. */
export async function readText(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw brokenOff(error);
  });
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

/** Whatever is empty in the query is left out. */
export async function evaluationUrl(path: string, query: object = {}): Promise<URL> {
  const url = new URL(path, (await pageConfig()).evaluation);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url;
}
