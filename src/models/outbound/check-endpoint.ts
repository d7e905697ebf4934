import { isIP } from "node:net";
import {
  hostOf,
  isLocalhostName,
  isOpenedHere,
  literalRefusal,
  portOf,
  type EndpointPolicy,
} from "./endpoint-policy.ts";
import { parseEndpoint, type InvalidEndpoint } from "./parse-endpoint.ts";

export type EndpointCheck =
  | { readonly ok: true; readonly url: URL }
  | InvalidEndpoint
  | {
      readonly ok: false;
      readonly code: "endpoint_not_allowed";
      readonly detail: string;
      /** Whether the origin is not listed, or its address is one that is never called. */
      readonly reason: "origin" | "address";
    };

/**
 * Everything that can be said about an endpoint without asking DNS. What passes may still be refused when it is called:
 * a name can resolve to an address that may not be.
 */
export function checkEndpoint(text: string, policy: EndpointPolicy): EndpointCheck {
  const parsed = parseEndpoint(text);
  if (!parsed.ok) return parsed;
  const { url } = parsed;
  const host = hostOf(url);
  const address = { host, port: portOf(url) };
  if (isIP(host) || isLocalhostName(host)) {
    const refusal = literalRefusal(address, policy);
    if (refusal) return { ok: false, code: "endpoint_not_allowed", detail: `${refusal}.`, reason: "address" };
  }
  if (policy.name === "allowlist" && !policy.allowedOrigins.has(url.origin) && !isOpenedHere(address, policy)) {
    const detail = `The origin ${url.origin} is not on the list of allowed endpoints.`;
    return { ok: false, code: "endpoint_not_allowed", detail, reason: "origin" };
  }
  return parsed;
}
