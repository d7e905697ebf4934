import { expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import {
  addressToBind,
  bindCredential,
  coversCall,
  createCredentialHeaders,
  type ModelOperation,
} from "./credentials.ts";

const secret = new Secret("sk-canary");

test("binds a secret to the origin and path as sent", () => {
  const bound = bindCredential({ url: "HTTPS://API.Example.com:443/a/../v1/", secret });
  expect(bound).toMatchObject({ origin: "https://api.example.com", path: "/v1", agent: false });
  expect(bindCredential({ url: "https://a.example", secret })).toMatchObject({ path: "" });
});

const provider = (path: string) => bindCredential({ url: `https://a.example${path}`, secret });
const prefix = (path: string) => ({ ...provider(path), subpaths: true, agent: true });
const agent = (path: string) => bindCredential({ url: `https://a.example${path}`, secret, protocol: "agent" });
const call = (path: string, operation?: ModelOperation) => ({ url: new URL(`https://a.example${path}`), operation });

test.each([
  ["a base URL", provider("/v1"), "/v1/chat/completions", "chat/completions"],
  ["another operation there", provider("/v1"), "/v1/responses", "responses"],
  ["its list of models, with a query", provider("/v1"), "/v1/models?after=x", "models"],
  ["a list that ends in a slash", provider("/v1"), "/v1/models/?page=2", "models"],
  ["a full address", provider("/v1/chat/completions"), "/v1/embeddings", "embeddings"],
  ["a base without its version", provider("/anthropic"), "/anthropic/v1/messages", "messages"],
  ["an origin", provider(""), "/v1/chat/completions", "chat/completions"],
  ["a base with signs that are escaped", provider("/a%20b/v1"), "/a%20b/v1/responses", "responses"],
  ["dots that lead back", provider("/v1"), "/v2/%2e%2E/v1/responses", "responses"],
  [
    "a path below a prefix",
    prefix("/openai"),
    "/openai/deployments/gpt-4o/chat/completions?api-version=1",
    "chat/completions",
  ],
  ["any base of an origin", prefix(""), "/client/v4/accounts/1/ai/v1/embeddings", "embeddings"],
  ["a version below a prefix", prefix("/x"), "/x/claude/v1/messages", "messages"],
  ["the agent of an origin", prefix(""), "/", "agent"],
  ["the agent of a path", prefix("/agents/a"), "/agents/a/?x=1", "agent"],
  ["a provider that is an agent", agent("/agents/a/"), "/agents/a", "agent"],
  ["the models of an agent", agent(""), "/v1/models", "models"],
  ["the log of an agent's run", agent("/agents/a"), "/agents/a/agent/runs/0198-1a", "agent-run"],
] as const)("a credential covers %s", (_, binding, path, operation) => {
  expect(coversCall(binding, call(path, operation))).toBe(true);
});

test.each([
  ["no operation", prefix(""), "/v1/chat/completions", undefined],
  ["another path", provider("/v1"), "/v1/fine_tuning/jobs/7/cancel", "agent"],
  ["the base itself", provider("/v1"), "/v1", "agent"],
  ["an operation as an agent", prefix(""), "/v1/chat/completions", "agent"],
  ["a path below an agent", prefix("/agents"), "/agents/a", "agent"],
  ["the log of another agent", agent("/agents/a"), "/agents/b/agent/runs/0198", "agent-run"],
  ["more than the log of a run", agent(""), "/agent/runs/0198/resume", "agent-run"],
  ["an agent with an empty segment", prefix(""), "//", "agent"],
  ["another operation than was named", provider("/v1"), "/v1/responses", "chat/completions"],
  ["what follows an operation", provider("/v1"), "/v1/responses/7/cancel", "responses"],
  ["an operation in the query", provider("/v1"), "/v1/files?x=/v1/models", "models"],
  ["a base below a base URL", provider("/v1"), "/v1/threads/7/messages", "messages"],
  ["messages without a version below a prefix", prefix("/v1"), "/v1/threads/7/messages", "messages"],
  ["another base", provider("/a/v1"), "/b/v1/chat/completions", "chat/completions"],
  ["a base that begins alike", prefix("/openai"), "/openai-admin/v1/chat/completions", "chat/completions"],
  ["another case", provider("/v1"), "/V1/chat/completions", "chat/completions"],
  ["dots that lead out", prefix("/openai"), "/openai/../admin/chat/completions", "chat/completions"],
  ["escaped dots that lead out", prefix("/openai"), "/openai/%2e%2e/admin/chat/completions", "chat/completions"],
  ["an escaped slash", prefix("/openai"), "/openai/..%2fadmin/chat/completions", "chat/completions"],
  ["a twice escaped slash", prefix("/openai"), "/openai/..%252fadmin/chat/completions", "chat/completions"],
  ["an escaped backslash", prefix(""), "/v1/..%5cadmin/chat/completions", "chat/completions"],
  ["an escaped question mark", prefix(""), "/v1/files%3f/chat/completions", "chat/completions"],
  ["a parameter of a segment", prefix(""), "/v1/..;/admin/chat/completions", "chat/completions"],
  ["an empty segment", provider("/v1"), "/v1//chat/completions", "chat/completions"],
  ["an empty segment below a prefix", prefix("/v1"), "/v1//x/chat/completions", "chat/completions"],
  ["an empty base below a prefix", prefix("/v1"), "/v1//chat/completions", "chat/completions"],
  ["an escaped letter", provider("/v1"), "/v1/%63hat/completions", "chat/completions"],
] as const)("a credential does not cover %s", (_, binding, path, operation) => {
  expect(coversCall(binding, call(path, operation))).toBe(false);
});

test("names the address that would cover an uncovered call", () => {
  for (const refused of [call("/b/v1/responses?x=1", "responses"), call("/agents/a", "agent"), call("/", "agent")]) {
    const address = addressToBind(refused);
    expect(coversCall({ ...bindCredential({ url: address, secret }), agent: true }, refused)).toBe(true);
  }
  expect(addressToBind(call("/b/v1/responses?x=1", "responses"))).toBe("https://a.example/b/v1");
});

test("uses Bearer in the authorization header and no scheme in others", () => {
  expect(bindCredential({ url: "https://a.example", secret })).toMatchObject({
    header: "authorization",
    scheme: "Bearer",
  });
  expect(bindCredential({ url: "https://a.example", secret, header: "X-Api-Key" })).toMatchObject({
    header: "x-api-key",
    scheme: "",
  });
});

test("refuses a secret that no header can carry, without showing it", () => {
  const bind = () =>
    bindCredential({ url: "https://a.example", secret: new Secret("two\nlines-canary"), source: "HUB_API_KEY" });
  expect(bind).toThrow("HUB_API_KEY is empty or holds characters that a header cannot carry.");
});

test("names the source when it refuses an invalid address", () => {
  expect(() => bindCredential({ url: "somewhere", secret, source: "HUB_API_KEY" })).toThrow(
    /^HUB_API_KEY: "somewhere"/,
  );
});

const at = "https://gateway.example";
const bind = (path: string, key: string, options: Partial<Parameters<typeof bindCredential>[0]> = {}) =>
  bindCredential({ url: at + path, secret: new Secret(key), ...options });
const messages = { protocol: "anthropic-messages", header: "x-api-key" } as const;
const find = createCredentialHeaders([
  bind("/a/v1", "sk-c", messages),
  bind("/a/v1", "sk-a", { protocol: "openai-chat" }),
  bind("/b/v1", "sk-b", { protocol: "openai-chat" }),
]);
const keyFor = (path: string, operation: ModelOperation) => find({ url: new URL(at + path), operation });

test("sends a credential that covers the call, preferring its protocol", () => {
  const sent = (header: string, value: string) => ({ headers: [[header, value]], isWithheld: false });
  expect(keyFor("/b/v1/chat/completions", "chat/completions")).toEqual(sent("authorization", "Bearer sk-b"));
  expect(keyFor("/a/v1/chat/completions", "chat/completions")).toEqual(sent("authorization", "Bearer sk-a"));
  expect(keyFor("/a/v1/messages", "messages")).toEqual(sent("x-api-key", "sk-c"));
  expect(keyFor("/b/v1/messages", "messages")).toEqual(sent("authorization", "Bearer sk-b"));
});

test("sends no credential with an uncovered call, and reports a withheld one", () => {
  expect(keyFor("/c/v1/chat/completions", "chat/completions")).toEqual({ headers: [], isWithheld: true });
  expect(keyFor("/a/v1/files", "agent")).toEqual({ headers: [], isWithheld: true });
  const elsewhere = { url: new URL("https://another.example/a/v1/messages"), operation: "messages" } as const;
  expect(find(elsewhere)).toEqual({ headers: [], isWithheld: false });
});
