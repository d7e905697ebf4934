import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import { isProtocolOf, protocols } from "../../contract/protocols/protocols.ts";
import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import { explainErrorObject } from "../adapters/openai-error.ts";
import { nonEmptyString, parseJson } from "../adapters/reply/json-values.ts";
import { replyError } from "../adapters/reply/parsed-reply.ts";
import type { CredentialBinding } from "../outbound/credentials.ts";
import { parseEndpoint, type InvalidEndpoint } from "../outbound/endpoint-policy.ts";
import { operationUrl } from "../outbound/endpoint-url.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { chatProtocols } from "./adapters.ts";

export interface ListedModel {
  readonly id: string;
  /** The display name; the id when the provider gives none. */
  readonly name: string;
}

type ModelList =
  | { readonly ok: true; readonly models: readonly ListedModel[] }
  | { readonly ok: false; readonly error: ReplyError };

const maximumPages = 50;

/** True for the wanted kind of identifier; an entry may have several. */
type IsId = (value: string) => boolean;

/** Lists the models of a provider: GET {base}/models, page by page. Rejects only when the signal aborts. */
export async function listProviderModels(options: {
  outbound: Outbound;
  baseUrl: string;
  signal: AbortSignal;
  protocol?: ModelProtocol;
  policy?: PolicyName;
  credential?: CredentialBinding | undefined;
  isId?: IsId;
}): Promise<ModelList> {
  const { outbound, baseUrl, signal, protocol = "openai-chat", policy, credential, isId } = options;
  const parsed = parseEndpoint(baseUrl);
  if (!parsed.ok) return { ok: false, error: invalidBase(parsed) };
  const isModel = isProtocolOf(protocol, "model");
  const { headers, afterParameter } = isModel
    ? await chatProtocols[protocol]()
    : { headers: {}, afterParameter: "after" };
  const first = new URL(operationUrl(parsed.url, "models", isModel ? protocols[protocol] : {}));
  const models = new Map<string, ListedModel>();

  const asked = new Set<string>();
  let url: URL | null = first;
  while (url && !asked.has(url.href) && asked.size < maximumPages) {
    asked.add(url.href);
    const result = await outbound.request({
      url: url.href,
      method: "GET",
      operation: "models",
      signal,
      headers,
      policy,
      credential,
    });
    // A server that refuses our request for the next page has listed all it will.
    if (!result.ok && models.size > 0 && result.error.code === "upstream_rejected") break;
    if (!result.ok) return { ok: false, error: result.error };
    const body = parseJson(result.body);
    const found = modelsIn(body, isId);
    if (!found) return { ok: false, error: notAList(body, url, result) };
    const before = models.size;
    // A model may have several names; each selects it.
    for (const model of found) models.set(`${model.id}\n${model.name}`, model);
    // A page without a new model is a repeated page.
    url = found.length === 0 || models.size > before ? nextPage(body, first, { afterParameter }) : null;
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

/** Reads every known list format: {data}, {models}, a bare array, or an object of name → id or name → {id}. */
export function modelsIn(body: unknown, isId: IsId = () => true): readonly ListedModel[] | null {
  if (Array.isArray(body)) return body.flatMap((entry) => toModel(entry, isId) ?? []);
  if (!isRecord(body) || body["error"]) return null;
  const list = body["data"] ?? body["models"];
  if (Array.isArray(list)) return list.flatMap((entry) => toModel(entry, isId) ?? []);
  if (isRecord(list)) return modelsByName(list, isId);
  // Servers in Go send null for an empty list.
  if (body["data"] === null || body["models"] === null) return [];
  const models = modelsByName(body, isId);
  const entries = Object.values(body);
  const others = entries.filter((entry) => entry !== null).length - models.length;
  // A wrong address may answer with any object. A list has models only, and null for a removed one.
  return entries.length === 0 || (models.length > 0 && others === 0) ? models : null;
}

function modelsByName(entries: JsonRecord, isId: IsId): readonly ListedModel[] {
  return Object.entries(entries).flatMap(([name, entry]) => {
    const id = nonEmptyString(entry) ?? identifier(entry, { keys: ["id", "uuid"], isId });
    return id === null ? [] : [{ id, name }];
  });
}

function toModel(entry: unknown, isId: IsId): ListedModel | null {
  if (typeof entry === "string") return entry === "" ? null : { id: entry, name: entry };
  const id = identifier(entry, { keys: ["id", "uuid", "model", "name"], isId });
  if (id === null || !isRecord(entry)) return null;
  const { name, display_name, id: own } = entry;
  return { id, name: nonEmptyString(name) ?? nonEmptyString(display_name) ?? nonEmptyString(own) ?? id };
}

/** The first identifier of the wanted kind, else the first of any kind. */
function identifier(entry: unknown, { keys, isId }: { keys: readonly string[]; isId: IsId }): string | null {
  if (!isRecord(entry)) return null;
  const values = keys.flatMap((key) => nonEmptyString(entry[key]) ?? []);
  return values.find(isId) ?? values[0] ?? null;
}

/** The field of a cursor and the query parameter for it. */
const cursors = [
  ["next_cursor", "cursor"],
  ["nextCursor", "cursor"],
  ["next_page_token", "page_token"],
  ["nextPageToken", "pageToken"],
] as const;

/** The URL of the next page; null at the end. Never another origin: a list must not redirect the client. */
function nextPage(body: unknown, first: URL, { afterParameter }: { afterParameter: string }): URL | null {
  if (!isRecord(body) || body["has_more"] === false) return null;
  const link = nonEmptyString(body["next"]);
  if (link !== null && URL.canParse(link, first.href)) {
    const url = new URL(link, first);
    return url.origin === first.origin ? url : null;
  }
  const next = byCursor(body) ?? byNumber(body) ?? byLastId(body, afterParameter);
  if (next === null) return null;
  const url = new URL(first);
  url.searchParams.set(next.parameter, next.value);
  return url;
}

interface Next {
  readonly parameter: string;
  readonly value: string;
}

function byCursor(body: JsonRecord): Next | null {
  for (const [field, parameter] of cursors) {
    const value = nonEmptyString(body[field]);
    if (value !== null) return { parameter, value };
  }
  return null;
}

function byNumber({ page, total_pages: total }: JsonRecord): Next | null {
  if (typeof page !== "number" || typeof total !== "number" || page >= total) return null;
  return { parameter: "page", value: String(page + 1) };
}

/** The last id is `last_id`, else that of the last item. */
function byLastId(body: JsonRecord, parameter: string): Next | null {
  if (body["has_more"] !== true) return null;
  const list = body["data"] ?? body["models"];
  const last: unknown = Array.isArray(list) ? list.at(-1) : undefined;
  const value = nonEmptyString(body["last_id"]) ?? nonEmptyString(isRecord(last) ? last["id"] : last);
  return value === null ? null : { parameter, value };
}
