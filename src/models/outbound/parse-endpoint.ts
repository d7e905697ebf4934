import { rememberLast } from "./remember-last.ts";

export interface InvalidEndpoint {
  readonly ok: false;
  readonly code: "endpoint_invalid";
  readonly detail: string;
}

/** `url` is shared by everybody who reads the same text: copy it before changing it. */
type ParsedEndpoint = { readonly ok: true; readonly url: URL } | InvalidEndpoint;

/** What servers take. The query of a tool's request holds whatever its model wrote. */
const maximumLength = 8192;

/**
 * Reads an endpoint with the one URL parser that later also connects. What that parser would quietly repair
 * (white space, backslashes, missing slashes, an escaped host) is refused, so that what was written is what is called.
 */
export const parseEndpoint = rememberLast(parse);

function parse(text: string): ParsedEndpoint {
  if (text.length > maximumLength) return invalid(`The endpoint is longer than ${maximumLength} characters.`);
  if (/[\s\p{Cc}]/u.test(text)) {
    return invalid("The endpoint holds white space or control characters.");
  }
  if (!URL.canParse(text)) {
    const isAbsolute = /^https?:\/\/[^/?#]/i.test(text);
    return invalid(`The endpoint ${isAbsolute ? "has a host or port that is not valid" : "is not an absolute URL"}.`);
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return invalid("The endpoint must use http or https.");
  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(text)?.[1];
  if (authority === undefined || text.includes("\\")) return invalid("The endpoint must begin with http(s)://<host>.");
  if (authority.includes("@")) return invalid("The endpoint must not hold user info.");
  if (authority.includes("%")) return invalid("The host of the endpoint must not be percent-encoded.");
  if (text.includes("#")) return invalid("The endpoint must not have a fragment.");
  if (url.port === "0") return invalid("The endpoint must not use port 0.");
  return { ok: true, url };
}

function invalid(detail: string): InvalidEndpoint {
  return { ok: false, code: "endpoint_invalid", detail };
}
