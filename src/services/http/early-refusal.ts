import type { IncomingMessage, ServerResponse } from "node:http";
import { leaveUnread } from "./limits/drop-body.ts";
import { errorAnswer } from "./responses/error-response.ts";
import { repeatedHeader } from "./checks/header-check.ts";
import type { HostCheck } from "./checks/host-check.ts";
import type { Admission } from "./limits/admission.ts";
import { announcedBytes } from "./limits/request-memory.ts";
import { requestIdFrom, shellHeaders } from "./responses/response-headers.ts";

interface EarlyRefusalOptions {
  readonly admission: Admission;
  readonly passedLast: HostCheck["passedLast"];
  readonly isExempt: (request: { path: string }) => boolean;
  readonly version: string;
}

/** Refuses requests before they reach the app. */
export interface EarlyRefusal {
  /** Refuses a request that cannot be admitted. False when the app decides. */
  refuse(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Targets without escapes and dots: their path is the text before the question mark. */
const plainTarget = /^\/[\w/-]*(?:\?|$)/;
const longestTarget = 2048;

/** A longer body is left to the app, which knows the limit of its route. */
const longestBody = 16 * 1024 * 1024;

/**
 * Writes the gate's refusal for a fraction of its cost: at ten times the capacity, refusals through the whole app would take the time that
 * admitted requests need. Requests that may be refused for another reason go to the app.
 */
export function createEarlyRefusal({ admission, passedLast, isExempt, version }: EarlyRefusalOptions): EarlyRefusal {
  const fixed = shellHeaders({ version });

  function isPlain(request: IncomingMessage): boolean {
    const { method, url = "", headers, rawHeaders } = request;
    return (
      plainTarget.test(url) &&
      url.length <= longestTarget &&
      method !== "HEAD" &&
      headers.origin === undefined &&
      headers["sec-fetch-site"] === undefined &&
      headers["transfer-encoding"] === undefined &&
      bodyBytes(request) <= longestBody &&
      passedLast(request) &&
      repeatedHeader(rawHeaders) === null &&
      !isExempt({ path: pathOf(url) })
    );
  }

  function respond(request: IncomingMessage, response: ServerResponse): void {
    const { url = "", headers } = request;
    const requestId = requestIdFrom(headers["x-request-id"]?.toString());
    const answer = errorAnswer(admission.refuse(bodyBytes(request)), { requestId, path: pathOf(url) });
    const length = { "content-length": Buffer.byteLength(answer.body) };
    leaveUnread(request, response, bodyBytes(request));
    response.writeHead(answer.status, { ...fixed, "x-request-id": requestId, ...answer.headers, ...length });
    response.end(answer.body);
  }

  return {
    refuse(request, response) {
      if (admission.hasPlace(bodyBytes(request)) || !isPlain(request)) return false;
      respond(request, response);
      return true;
    },
  };
}

function bodyBytes({ headers }: IncomingMessage): number {
  return announcedBytes({
    length: headers["content-length"],
    chunked: headers["transfer-encoding"] !== undefined,
  });
}

function pathOf(target: string): string {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
}
