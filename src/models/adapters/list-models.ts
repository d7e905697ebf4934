import type { ReplyError } from "../../contract/model.ts";
import type { PolicyName } from "../outbound/endpoint-policy.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { parseEndpoint, type InvalidEndpoint } from "../outbound/parse-endpoint.ts";
import { modelsUrl } from "./endpoint-url.ts";
import { replyError } from "./failed-reply.ts";
import { isRecord, nonEmptyString, type JsonRecord } from "./json-values.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";

export interface ListedModel {
  readonly id: string;
  /** What people call it; the id when the provider gives no name. */
  readonly name: string;
}

export type ModelList =
  | { readonly ok: true; readonly models: readonly ListedModel[] }
  | { readonly ok: false; readonly error: ReplyError };

const maximumPages = 50;

/** Lists the models of a provider: GET {base}/models, page by page. Rejects only when the signal aborts. */
export async function listModels(options: {
  outbound: Outbound;
  baseUrl: string;
  signal: AbortSignal;
  policy?: PolicyName;
}): Promise<ModelList> {
  const { outbound, baseUrl, signal, policy } = options;
  const parsed = parseEndpoint(baseUrl);
  if (!parsed.ok) return { ok: false, error: invalidBase(parsed) };
  const first = modelsUrl(parsed.url);
  const models = new Map<string, ListedModel>();

  let url: URL | null = first;
  for (let page = 0; url && page < maximumPages; page += 1) {
    const result = await outbound.request({ url: url.href, method: "GET", signal, ...(policy && { policy }) });
    if (!result.ok) return { ok: false, error: result.error };
    const body = parseJson(result.body);
    const found = modelsIn(body);
    if (!found) return { ok: false, error: notAList(body, url, result) };
    const before = models.size;
    for (const model of found) models.set(model.id, model);
    // A page that brings nothing new is the same page again.
    url = models.size > before ? nextPage(body, first) : null;
  }
  return { ok: true, models: [...models.values()] };
}

function invalidBase({ code, detail }: InvalidEndpoint): ReplyError {
  return { code, detail, upstream_status: null, tries: 0, retryable: false };
}

function notAList(body: unknown, url: URL, answer: { status: number; tries: number }): ReplyError {
  if (isRecord(body) && body["error"]) {
    const { code, detail } = explainErrorObject(body["error"], url);
    return replyError(code, detail, answer);
  }
  const detail = `The answer at ${url.pathname} is not a list of models: check the path of the base URL.`;
  return replyError("upstream_invalid_reply", detail, answer);
}

/** Reads every list shape seen in the wild: {data}, {models}, a bare array, or an object of name → id. */
export function modelsIn(body: unknown): readonly ListedModel[] | null {
  if (Array.isArray(body)) return body.flatMap((entry) => toModel(entry) ?? []);
  if (!isRecord(body) || body["error"]) return null;
  const list = body["data"] ?? body["models"];
  if (Array.isArray(list)) return list.flatMap((entry) => toModel(entry) ?? []);
  const entries = Object.entries(isRecord(list) ? list : body);
  if (!entries.every(([, id]) => nonEmptyString(id) !== null)) return null;
  return entries.map(([name, id]) => ({ id: String(id), name }));
}

function toModel(entry: unknown): ListedModel | null {
  if (typeof entry === "string") return entry === "" ? null : { id: entry, name: entry };
  if (!isRecord(entry)) return null;
  const id = identifier(entry);
  return id === null
    ? null
    : { id, name: nonEmptyString(entry["name"]) ?? nonEmptyString(entry["display_name"]) ?? id };
}

function identifier(entry: JsonRecord): string | null {
  for (const key of ["id", "uuid", "model", "name"]) {
    const value = nonEmptyString(entry[key]);
    if (value !== null) return value;
  }
  return null;
}

/** Where the next page is, never outside the origin of the first: a list must not send us elsewhere. */
function nextPage(body: unknown, first: URL): URL | null {
  if (!isRecord(body)) return null;
  const next = nonEmptyString(body["next"]);
  if (next !== null && URL.canParse(next, first.href)) {
    const url = new URL(next, first);
    return url.origin === first.origin ? url : null;
  }
  const last = nonEmptyString(body["last_id"]);
  if (body["has_more"] !== true || last === null) return null;
  const url = new URL(first);
  url.searchParams.set("after", last);
  return url;
}
