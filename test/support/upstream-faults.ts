import { gzipSync } from "node:zlib";
import type { ErrorCode } from "../../src/contract/errors/errors.ts";
import { sendJson, type Behaviour } from "./fake-provider/behaviour.ts";
import {
  byteByByte,
  drip,
  gzipBomb,
  hang,
  headersThenSilence,
  hugeBody,
  resetBeforeHeaders,
  resetMidBody,
  truncatedBody,
} from "./fake-provider/connection-faults.ts";
import {
  contextTooLong,
  echoTheKey,
  forbidden,
  modelNotFound,
  okWithError,
  rateLimited,
  redirect,
  serverError,
  status,
  unauthorized,
  unavailable,
} from "./fake-provider/error-statuses.ts";
import {
  emptyBody,
  halfJson,
  html,
  htmlNotFound,
  noChoices,
  raw,
  wrongShape,
} from "./fake-provider/malformed-replies.ts";
import { contentNull, message } from "./fake-provider/replies.ts";

const gigabyte = 1024 ** 3;

interface Fault {
  readonly behaviour: Behaviour;
  readonly code: ErrorCode;
}

/** Every way an upstream is known to fail, and what we must call it, whichever service and wire asked. */
export const upstreamFaults: Readonly<Record<string, Fault>> = {
  "401": { behaviour: unauthorized, code: "upstream_auth" },
  "403": { behaviour: forbidden, code: "upstream_auth" },
  "401 that repeats our key": { behaviour: echoTheKey, code: "upstream_auth" },
  "402": { behaviour: status(402), code: "upstream_rejected" },
  "404 of the model": { behaviour: modelNotFound, code: "model_not_found" },
  "404 as HTML": { behaviour: htmlNotFound, code: "upstream_rejected" },
  "400 for a long conversation": { behaviour: contextTooLong, code: "context_length_exceeded" },
  "400": { behaviour: status(400), code: "upstream_rejected" },
  "422": { behaviour: status(422), code: "upstream_rejected" },
  "429 with a nonsense Retry-After": {
    behaviour: rateLimited({ "retry-after": "soon" }),
    code: "upstream_rate_limited",
  },
  "429 beyond the longest wait": {
    behaviour: rateLimited({ "retry-after": "99999" }),
    code: "upstream_rate_limited",
  },
  "500": { behaviour: serverError, code: "upstream_error" },
  "502 as HTML": {
    behaviour: raw("<h1>Bad Gateway</h1>", { "content-type": "text/html" }, 502),
    code: "upstream_error",
  },
  "503": { behaviour: unavailable, code: "upstream_error" },
  "529": { behaviour: status(529), code: "upstream_error" },
  "200 with an error body": { behaviour: okWithError(), code: "upstream_error" },
  "a redirect": { behaviour: redirect(307, "http://elsewhere.invalid/"), code: "upstream_redirect" },
  "a reset before the headers": { behaviour: resetBeforeHeaders, code: "upstream_reset" },
  "a reset in the body": { behaviour: resetMidBody, code: "upstream_reset" },
  "a truncated body": { behaviour: truncatedBody, code: "upstream_reset" },
  "no answer at all": { behaviour: hang, code: "upstream_timeout" },
  "headers, then silence": { behaviour: headersThenSilence, code: "upstream_timeout" },
  "one byte now and then": { behaviour: drip(20), code: "upstream_timeout" },
  HTML: { behaviour: html, code: "upstream_invalid_reply" },
  "an empty body": { behaviour: emptyBody, code: "upstream_invalid_reply" },
  "half of a JSON text": { behaviour: halfJson, code: "upstream_invalid_reply" },
  "no choices": { behaviour: noChoices, code: "upstream_invalid_reply" },
  "another shape": { behaviour: wrongShape, code: "upstream_invalid_reply" },
  "null as content": { behaviour: contentNull, code: "upstream_invalid_reply" },
  "a number as content": { behaviour: message({ content: 42 }), code: "upstream_invalid_reply" },
  "a million open brackets": { behaviour: raw(`${"[".repeat(1e6)}`), code: "upstream_invalid_reply" },
  "gzip that is none": { behaviour: raw("not gzip", { "content-encoding": "gzip" }), code: "upstream_invalid_reply" },
  "gzip six times over": { behaviour: sixTimesGzip(), code: "upstream_invalid_reply" },
  "a 10 GB body": { behaviour: hugeBody(10 * gigabyte), code: "upstream_reply_too_large" },
  "half a million chunks of one byte": { behaviour: byteByByte(500_000), code: "upstream_invalid_reply" },
  "a gzip bomb of 10 GB": { behaviour: gzipBomb(10 * gigabyte), code: "upstream_reply_too_large" },
  "a 40 KB header": { behaviour: longHeader(), code: "upstream_invalid_reply" },
};

function sixTimesGzip(): Behaviour {
  let body: Buffer = Buffer.from("{}");
  for (let round = 0; round < 6; round += 1) body = gzipSync(body);
  return raw(body, { "content-encoding": Array.from({ length: 6 }, () => "gzip").join(", ") });
}

function longHeader(): Behaviour {
  return ({ response }) => sendJson(response, 200, { choices: [] }, { "x-long": "a".repeat(40_000) });
}
