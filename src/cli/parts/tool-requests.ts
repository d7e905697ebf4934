import type { SendRequest } from "../../agent/http-tools/http-operation.ts";
import { decodeText } from "../../agent/text/body-text.ts";
import type { FetchPage } from "../../agent/tools/web-fetch.ts";
import type { Outbound, OutboundFailure } from "../../models/outbound/outbound.ts";
import type { ExplainFailure, FailedResponse } from "../../models/outbound/status-failure.ts";

/** Reads pages for `web_fetch`: public addresses only, whatever the policy for models is. */
export function pageFetcher(outbound: Outbound): FetchPage {
  return async (url, { signal, maxBytes }) => {
    const failure = keepFailure();
    const headers = { accept: "text/html, text/plain, application/json;q=0.9, */*;q=0.1" };
    const result = await outbound.request({
      url,
      method: "GET",
      headers,
      policy: "public",
      signal,
      maxReplyBytes: maxBytes,
      decodeBody: decodeText,
      retries: 0,
      explainFailure: failure.keep,
    });
    if (!result.ok) {
      const said = failure.of(result);
      return said ? { ...said, url } : { ok: false, reason: result.error.detail, redirect_to: result.redirect_to };
    }
    const content_type = String(result.headers["content-type"] ?? "");
    return { ok: true, url, status: result.status, content_type, text: result.body };
  };
}

/** As long as any tool may take. Each has a limit of its own, which ends its request. */
const patienceMs = 3_600_000;

/** Who wants us to wait longer is told to the model at once. The tool's time could be over before, as if there were no answer. */
const longestWaitMs = 5000;

/** Sends the requests of the operator's HTTP tools, which carry the headers the operator gave them. */
export function toolSender(outbound: Outbound): SendRequest {
  return async ({ method, url, headers, body, idempotent, maxBytes, signal }) => {
    const failure = keepFailure();
    const result = await outbound.request({
      url,
      method,
      headers,
      ...(body !== undefined && { body }),
      idempotent,
      maxReplyBytes: maxBytes,
      signal,
      patienceMs,
      longestWaitMs,
      breakerKey: "tools",
      explainFailure: failure.keep,
    });
    if (!result.ok) return failure.of(result) ?? { ok: false, reason: result.error.detail };
    const content_type = String(result.headers["content-type"] ?? "");
    return { ok: true, status: result.status, content_type, text: result.body };
  };
}

/** What a service says about a failure is for the model to read; the client itself tells only the status. */
function keepFailure() {
  let last: FailedResponse | null = null;
  const keep: ExplainFailure = (response) => {
    last = response;
    return null;
  };
  // A later try may have failed without any answer.
  const of = ({ error }: OutboundFailure) =>
    last && last.status === error.upstream_status
      ? { ok: true as const, status: last.status, content_type: last.contentType, text: last.body }
      : null;
  return { keep, of };
}
