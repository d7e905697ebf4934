import { expect, test } from "vitest";
import { Secret } from "../contract/secret.ts";
import { bindCredential } from "./credentials.ts";

const secret = new Secret("sk-canary");

test("a secret is bound to the origin alone: path, default port and case are left aside", () => {
  expect(bindCredential({ url: "HTTPS://API.Example.com:443/v1", secret }).origin).toBe("https://api.example.com");
});

test("the scheme is Bearer in the authorization header and none in any other", () => {
  expect(bindCredential({ url: "https://a.example", secret })).toMatchObject({
    header: "authorization",
    scheme: "Bearer",
  });
  expect(bindCredential({ url: "https://a.example", secret, header: "X-Api-Key" })).toMatchObject({
    header: "x-api-key",
    scheme: "",
  });
});

test("a secret that no header can carry is refused without showing it", () => {
  const bind = () =>
    bindCredential({ url: "https://a.example", secret: new Secret("two\nlines-canary"), source: "HUB_API_KEY" });
  expect(bind).toThrow("HUB_API_KEY is empty or holds characters that a header cannot carry.");
});

test("what is no origin is refused by the name of its source", () => {
  expect(() => bindCredential({ url: "somewhere", secret, source: "HUB_API_KEY" })).toThrow(
    /^HUB_API_KEY: "somewhere"/,
  );
});
