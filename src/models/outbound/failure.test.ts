import { expect, test } from "vitest";
import { tlsFailure } from "./failure.ts";

const url = new URL("https://models.example:8443/v1");

test.each([
  ["CERT_HAS_EXPIRED", "has expired"],
  ["CERT_NOT_YET_VALID", "the clock"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "another name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "NODE_EXTRA_CA_CERTS"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "NODE_EXTRA_CA_CERTS"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "NODE_EXTRA_CA_CERTS"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "check https against http."],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "check https against http, and the certificate."],
])("explains %s by its cause", (code, words) => {
  expect(tlsFailure(code, url)).toMatchObject({
    code: "upstream_tls",
    detail: expect.stringMatching(/^No secure connection to models\.example:8443: /),
    again: "no",
  });
  expect(tlsFailure(code, url)?.detail).toContain(words);
});

test("leaves codes that are not about TLS alone", () => {
  expect(tlsFailure("ECONNREFUSED", url)).toBeNull();
});
