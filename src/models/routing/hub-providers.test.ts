import { expect, test } from "vitest";
import { createHubList, parseHubProviders, toHubFactories } from "./hub-providers.ts";

test("reads name, address, key and protocol", () => {
  const text = JSON.stringify({
    groq: { base_url: "https://api.groq.example/v1", key_env: "GROQ_KEY" },
    claude: { base_url: "https://claude.example", protocol: "anthropic-messages" },
  });
  const [groq, claude] = parseHubProviders(text, { GROQ_KEY: "sk-1" });
  expect(groq).toMatchObject({ name: "groq", baseUrl: "https://api.groq.example/v1", protocol: "openai-chat" });
  expect(groq?.apiKey?.reveal()).toBe("sk-1");
  expect(claude).toMatchObject({ apiKey: null, protocol: "anthropic-messages" });
});

test.each([
  ["", "not valid JSON"],
  ["sk-canary", "not valid JSON"],
  ["[]", "must be a JSON object"],
  ['{"a/b":{"base_url":"https://x.example"}}', '"a/b"'],
  ['{"a":{}}', '"a": base_url must be a URL'],
  ['{"a":"https://x.example"}', '"a": the entry must be an object, not a string'],
  ['{"a":{"base_url":"nowhere"}}', '"a": base_url is not usable'],
  ['{"a":{"base_url":"https://x.example","key":"sk-canary"}}', '"a": key is not one of'],
  ['{"a":{"base_url":"https://x.example","key_env":"MISSING"}}', "MISSING (key_env) is not set"],
  [
    '{"a":{"base_url":"https://x.example","key_env":"gsk_abcdefghijklmnopqrst"}}',
    "the variable [redacted] (key_env) is not set",
  ],
  [
    '{"a":{"base_url":"https://x.example","key_env":"PASTED"}}',
    "PASTED (key_env) holds signs that no header can carry",
  ],
  [
    '{"a":{"base_url":"https://x.example","protocol":"soap"}}',
    '"a": protocol must be one of "openai-chat", "openai-resp',
  ],
])("refuses %s in one line", (text, reason) => {
  const parse = () => parseHubProviders(text, { OTHER: "sk-canary", PASTED: "sk-canary…" });
  expect(parse).toThrow(reason);
  expect(parse).not.toThrow(/canary|\n/);
});

test("sends each provider the part after the slash", () => {
  const made: unknown[] = [];
  const providers = parseHubProviders('{"a":{"base_url":"https://x.example/v1"}}', {});
  const factories = toHubFactories(providers, ({ name }) => (modelId) => {
    made.push([name, modelId]);
    return async () => Promise.reject(new Error("not called"));
  });
  factories["a"]?.("meta/llama");
  expect(made).toEqual([["a", "meta/llama"]]);
});

test("joins the lists of all upstreams, without those that fail", async () => {
  const list = createHubList([
    { name: null, list: async () => ["meta/llama", "no-slash"] },
    { name: "groq", list: async () => ["mixtral", "meta/llama"] },
    { name: "down", list: () => Promise.reject(new Error("down")) },
  ]);
  expect(await list()).toEqual(["meta/llama", "groq/mixtral", "groq/meta/llama"]);
});
