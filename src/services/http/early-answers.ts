import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { ServiceError } from "../../contract/errors/errors.ts";
import { parseAddress } from "../../contract/operations/operation.ts";
import { getHealth } from "../../contract/operations/service.ts";
import type { Health } from "../../contract/schemas/shared/service-info.ts";
import { logOutcome } from "./log.ts";
import { leaveUnread } from "./limits/drop-body.ts";
import { errorAnswer } from "./responses/error-response.ts";
import { repeatedHeader } from "./checks/header-check.ts";
import type { HostCheck } from "./checks/host-check.ts";
import type { Admission } from "./limits/admission.ts";
import { announcedBytes } from "./limits/request-memory.ts";
import { requestIdFrom, shellHeaders } from "./responses/response-headers.ts";

interface EarlyAnswersOptions {
  /** Null where nothing is refused because of overload. */
  readonly admission: Admission | null;
  readonly passedLast: HostCheck["passedLast"];
  readonly isExempt: (request: { path: string }) => boolean;
  readonly version: string;
  readonly log: Logger;
}

/** Answers requests before they reach the app. */
export interface EarlyAnswers {
  /** Says that the process is alive, or refuses a request that cannot be admitted. False when the app decides. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Targets without escapes and dots: their path is the text before the question mark. */
const plainTarget = /^\/[\w/-]*(?:\?|$)/;
const longestTarget = 2048;

/** A longer body is left to the app, which knows the limit of its route. */
const longestBody = 16 * 1024 * 1024;

const { path: healthPath } = parseAddress(getHealth.address);
const alive = JSON.stringify({ status: "ok" } satisfies Health);

/**
 * Writes two answers of the app for a fraction of their cost. At ten times the capacity, refusals through the whole app would take the
 * time that admitted requests need; probes come every few seconds. Requests that may get another answer go to the app.
 */
export function createEarlyAnswers({
  admission,
  passedLast,
  isExempt,
  version,
  log,
}: EarlyAnswersOptions): EarlyAnswers {
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
      passedLast(request) &&
      repeatedHeader(rawHeaders) === null
    );
  }

  function isProbe(request: IncomingMessage): boolean {
    const { method, url, headers } = request;
    const hasKey = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
    return (
      url === healthPath && method === "GET" && !hasKey && headers["content-length"] === undefined && isPlain(request)
    );
  }

  function respondToProbe({ headers }: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdFrom(headers["x-request-id"]?.toString());
    response.writeHead(200, { ...fixed, "x-request-id": requestId, "content-type": "application/json" });
    response.end(alive);
    logOutcome(log, { method: "GET", path: healthPath, status: 200, ms: 0, request_id: requestId });
  }

  function respondToRefused(refused: ServiceError, request: IncomingMessage, response: ServerResponse): void {
    const { url = "", headers } = request;
    const requestId = requestIdFrom(headers["x-request-id"]?.toString());
    const answer = errorAnswer(refused, { requestId, path: pathOf(url) });
    const length = { "content-length": Buffer.byteLength(answer.body) };
    leaveUnread(request, response, bodyBytes(request));
    response.writeHead(answer.status, { ...fixed, "x-request-id": requestId, ...answer.headers, ...length });
    response.end(answer.body);
  }

  return {
    answer(request, response) {
      if (isProbe(request)) {
        respondToProbe(request, response);
        return true;
      }
      if (!admission || admission.hasPlace(bodyBytes(request))) return false;
      if (!isPlain(request) || bodyBytes(request) > longestBody) return false;
      if (isExempt({ path: pathOf(request.url ?? "") })) return false;
      respondToRefused(admission.refuse(bodyBytes(request)), request, response);
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
