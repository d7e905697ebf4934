import { expect, test } from "vitest";
import { redactEndpoint } from "./secret.ts";

test.each([
  ["https://a.example/v1?key=abc", "https://a.example/v1?key=[redacted]"],
  [
    "https://a.example/v1?api-version=2&subscription-key=abc&x=1",
    "https://a.example/v1?api-version=2&subscription-key=[redacted]&x=1",
  ],
  ["https://a.example/v1?access_token=a%2Bb&Code=c", "https://a.example/v1?access_token=[redacted]&Code=[redacted]"],
])("redacts the key in %s", (endpoint, shown) => {
  expect(redactEndpoint(endpoint)).toBe(shown);
});

test.each([
  "https://a.example/v1",
  "https://a.example/v1?api-version=2024-02-01&deployment=small",
  "https://a.example/key=1/v1?key=",
  "http://[::1]:8000/token",
])("leaves %s unchanged", (endpoint) => {
  expect(redactEndpoint(endpoint)).toBe(endpoint);
});
