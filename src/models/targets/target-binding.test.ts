import { expect, test } from "vitest";
import { allowsCall, allowsDescribed } from "./target-binding.ts";
import { callOf } from "./target-calls.ts";

const exact = { name: "KEY", address: "http://host/v1", method: "POST" };
const declared = {
  name: "KEY",
  address: "http://host/bots/{{ model }}/chat-{{session_id}}?q={{message}}",
  method: "PUT",
};

test.each([
  [exact, "POST", "http://host/v1"],
  [exact, "POST", "http://host:80/v1/?user=a"],
  [declared, "PUT", "http://host/bots/a/chat-7?q="],
  [declared, "PUT", "http://host/bots/openai%2Fgpt/chat-7?q=../../admin"],
])("%o may be sent with %s %s", (binding, method, url) => {
  expect(allowsCall(binding, { method, url })).toBe(true);
});

test.each([
  [exact, "GET", "http://host/v1"],
  [exact, "PUT", "http://host/v1"],
  [exact, "POST", "http://host/"],
  [exact, "POST", "http://host/v1/files"],
  [exact, "POST", "http://host/v1/fine_tuning/jobs/x/cancel"],
  [exact, "POST", "http://host/v1/../admin"],
  [exact, "POST", "http://host//v1"],
  [exact, "POST", "http://host/v1%2F"],
  [exact, "POST", "https://host/v1"],
  [exact, "POST", "http://host:81/v1"],
  [declared, "POST", "http://host/bots/a/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/a/chat-?q=1"],
  [declared, "PUT", "http://host/bots/a/b/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/../chat-7?q=1"],
  [declared, "PUT", "http://host/bots/%2e%2e/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/..%2F..%2Fadmin/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/a%2F..%5C/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/a%252F..%252Fadmin/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/..;x/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/%zz/chat-7?q=1"],
  [declared, "PUT", "http://host/bots/a/chat-7"],
  [declared, "PUT", "http://host/bots/a/chat-7?q=1&action=delete"],
  [declared, "PUT", "http://host/bots/a/chat-7?action=1"],
])("%o may not be sent with %s %s", (binding, method, url) => {
  expect(allowsCall(binding, { method, url })).toBe(false);
});

test.each([
  [exact, { url: "http://host/v1", body: {} }, true],
  [exact, { url: "http://host/{{message}}", body: {} }, false],
  [exact, { url: "http://host/v1", method: "GET" as const }, false],
  [exact, { url: "http://host/v1", protocol: "a2a" as const }, true],
  [declared, { url: declared.address, method: "PUT" as const, body: {} }, true],
  [declared, { url: "http://host/bots/mine/chat-{{message}}?q=1", method: "PUT" as const, body: {} }, true],
  [declared, { url: "http://host/{{message}}/mine/chat-7?q=1", method: "PUT" as const, body: {} }, false],
])("%o and the target %o: %s", (binding, target, allowed) => {
  expect(allowsDescribed(binding, callOf(target))).toBe(allowed);
});
