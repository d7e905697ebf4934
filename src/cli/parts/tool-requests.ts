import type { SendRequest } from "../../agent/http-tools/http-operation.ts";
import type { FetchPage } from "../../agent/tools/web-fetch.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";

/** Reads pages for `web_fetch`: public addresses only, whatever the policy for models is. */
export function pageFetcher(outbound: Outbound): FetchPage {
  return async (url, { signal, maxBytes }) => {
    const headers = { accept: "text/html, text/plain, application/json;q=0.9, */*;q=0.1" };
    const result = await outbound.request({
      url,
      method: "GET",
      headers,
      policy: "public",
      signal,
      maxReplyBytes: maxBytes,
      retries: 0,
    });
    if (!result.ok) return { ok: false, reason: result.error.detail, redirect_to: result.redirect_to };
    const content_type = String(result.headers["content-type"] ?? "");
    return { ok: true, url, status: result.status, content_type, text: result.body };
  };
}

/** Sends the requests of the operator's HTTP tools, which carry the headers the operator gave them. */
export function toolSender(outbound: Outbound): SendRequest {
  return async ({ method, url, headers, body, idempotent, maxBytes, signal }) => {
    const result = await outbound.request({
      url,
      method,
      headers,
      ...(body !== undefined && { body }),
      idempotent,
      maxReplyBytes: maxBytes,
      signal,
      breakerKey: "tools",
    });
    if (!result.ok) return { ok: false, reason: result.error.detail };
    const content_type = String(result.headers["content-type"] ?? "");
    return { ok: true, status: result.status, content_type, text: result.body };
  };
}
