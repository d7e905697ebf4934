import { compact } from "../../src/base/compact.ts";
import { agentAddresses, fillAddress, type OperationId } from "../../src/contract/operations/addresses.ts";
import type { AnswerOf, InputOf } from "../../src/contract/operations/operation-types.ts";
import type { PageConfig } from "../../src/contract/schemas/shared/service-info.ts";
import { reportConnection } from "./connection.ts";
import { errorFromResponse, interruptedResponse, unreachableService, unreadableResponse } from "./api-error.ts";

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON that is sent exactly as it is shown to the user. */
  readonly text?: string;
  readonly signal?: AbortSignal | null;
}

type Input<Id extends OperationId> = InputOf<Id> & RequestOptions;

/** Sends a request to the service of an operation. Throws an ApiError unless the response is 2xx. */
export async function send<Id extends OperationId>(id: Id, input: Input<Id>): Promise<Response> {
  const { query = {}, body, text, headers, signal = null } = input;
  const { method, path } = fillAddress(id, input.parameters);
  // The agent backend also serves this page.
  const url = new URL(path, id in agentAddresses ? location.origin : (await pageConfig()).evaluation);
  // Empty values are left out.
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  const json = text ?? (body === undefined ? null : JSON.stringify(body));
  return request(url, compact({ method, body: json, signal, headers }));
}

/** Sends a request and reads the JSON of its response. */
export async function ask<Id extends OperationId>(id: Id, input: Input<Id>): Promise<AnswerOf<Id>> {
  return parseJsonBody(await send(id, input));
}

let config: Promise<PageConfig> | undefined;

/** The services' own description. Fetched once, and again after a failure. */
export function pageConfig(): Promise<PageConfig> {
  config ??= ask("getPageConfig", {}).catch((error: unknown) => {
    config = undefined;
    throw error;
  });
  return config;
}

/** Sends a request with the API key of this tab. Throws an ApiError unless the response is 2xx. */
async function request(url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = apiKey();
  if (key) headers.set("authorization", `Bearer ${key}`);
  if (init.body) headers.set("content-type", "application/json");

  const response = await fetch(url, { ...init, headers, credentials: "omit", redirect: "error" }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error;
      reportConnection(url.origin, "unreachable");
      throw unreachableService(`No response from ${url.origin}.`, error);
    },
  );
  reportConnection(url.origin, "reachable");
  if (!response.ok) throw await errorFromResponse(response);
  return response;
}

export async function parseJsonBody<T>(response: Response): Promise<T> {
  const text = await readBodyText(response);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw unreadableResponse(response);
  }
}

async function readBodyText(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw interruptedResponse(error);
  });
}

export interface ExportedFile {
  readonly text: string;
  /** Null when the file holds everything. */
  readonly leftOut: ExportOmissions | null;
}

/** The data an export format cannot hold: how many items, and descriptions of the first ones. */
export interface ExportOmissions {
  readonly count: number;
  readonly notes: readonly string[];
}

export async function toExportedFile(response: Response): Promise<ExportedFile> {
  const notes = response.headers.get("rehearsal-export-notes");
  return {
    text: await readBodyText(response),
    leftOut: notes === null ? null : (JSON.parse(notes) as ExportOmissions),
  };
}

const apiKeyName = "rehearsal.api-key";

/** The API key, stored for this tab only. */
export const apiKey = (): string | null => sessionStorage.getItem(apiKeyName);

export function setApiKey(value: string): void {
  if (value === "") sessionStorage.removeItem(apiKeyName);
  else sessionStorage.setItem(apiKeyName, value);
}
