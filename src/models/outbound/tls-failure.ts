import type { Failure } from "./failure.ts";

const isTls =
  /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_CA$|HOSTNAME_MISMATCH$|ERR_OSSL)/;

const causes: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED$/, "its certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "its certificate is not valid yet, or the clock of this machine is wrong"],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, "its certificate is for another name"],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/,
    "its certificate comes from an authority that is not known here; NODE_EXTRA_CA_CERTS takes the file of one of your own",
  ],
  [
    /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    "it does not speak TLS: check https against http",
  ],
];

/** What a failed handshake means; null when the code is about something else. */
export function tlsFailure(code: string, url: URL): Failure | null {
  if (!isTls.test(code)) return null;
  const [, cause = "check https against http, and the certificate"] = causes.find(([codes]) => codes.test(code)) ?? [];
  return { code: "upstream_tls", detail: `No secure connection to ${url.host}: ${cause}.`, again: "no" };
}
