import { expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import { bindCredential, type Operation } from "../credentials.ts";
import { createCredentialHeaders } from "./credential-headers.ts";

const at = "https://gateway.example";
const bind = (path: string, key: string, options: Partial<Parameters<typeof bindCredential>[0]> = {}) =>
  bindCredential({ url: at + path, secret: new Secret(key), ...options });
const messages = { protocol: "anthropic-messages", header: "x-api-key" } as const;
const find = createCredentialHeaders([
  bind("/a/v1", "sk-c", messages),
  bind("/a/v1", "sk-a", { protocol: "openai-chat" }),
  bind("/b/v1", "sk-b", { protocol: "openai-chat" }),
]);
const keyFor = (path: string, operation: Operation) => find({ url: new URL(at + path), operation });

test("of several credentials at an origin, one that covers the call is sent, that of its protocol first", () => {
  const sent = (header: string, value: string) => ({ headers: [[header, value]], isWithheld: false });
  expect(keyFor("/b/v1/chat/completions", "chat/completions")).toEqual(sent("authorization", "Bearer sk-b"));
  expect(keyFor("/a/v1/chat/completions", "chat/completions")).toEqual(sent("authorization", "Bearer sk-a"));
  expect(keyFor("/a/v1/messages", "messages")).toEqual(sent("x-api-key", "sk-c"));
  expect(keyFor("/b/v1/messages", "messages")).toEqual(sent("authorization", "Bearer sk-b"));
});

test("a call that none covers gets none, and it is known whether its origin has any", () => {
  expect(keyFor("/c/v1/chat/completions", "chat/completions")).toEqual({ headers: [], isWithheld: true });
  expect(keyFor("/a/v1/files", "agent")).toEqual({ headers: [], isWithheld: true });
  const elsewhere = { url: new URL("https://another.example/a/v1/messages"), operation: "messages" } as const;
  expect(find(elsewhere)).toEqual({ headers: [], isWithheld: false });
});
