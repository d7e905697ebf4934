import { expect, test } from "vitest";
import { parseHubProviders, toHubFactories } from "./hub-providers.ts";

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
  ['{"a":"https://x.example"}', '"a": the entry'],
  ['{"a":{"base_url":"nowhere"}}', '"a": base_url is not usable'],
  ['{"a":{"base_url":"https://x.example","key":"sk-canary"}}', '"a": key is not one of'],
  ['{"a":{"base_url":"https://x.example","key_env":"MISSING"}}', "MISSING (key_env) is not set"],
  ['{"a":{"base_url":"https://x.example","protocol":"soap"}}', '"a": protocol'],
])("%s is refused in one line", (text, reason) => {
  const parse = () => parseHubProviders(text, { OTHER: "sk-canary" });
  expect(parse).toThrow(reason);
  expect(parse).not.toThrow(/canary|\n/);
});

test("two keys for one origin are refused, one key for two names is fine", () => {
  const entry = (key_env: string) => ({ base_url: "https://x.example/v1", key_env });
  const keys = { ONE: "sk-canary-1", TWO: "sk-canary-2" };
  const parse = (second: string) => parseHubProviders(JSON.stringify({ a: entry("ONE"), b: entry(second) }), keys);
  expect(() => parse("TWO")).toThrow('"a" and "b" have different keys for https://x.example');
  expect(() => parse("TWO")).not.toThrow(/canary/);
  expect(parse("ONE")).toHaveLength(2);
});

test("each provider is sent what follows its slash", () => {
  const made: unknown[] = [];
  const providers = parseHubProviders('{"a":{"base_url":"https://x.example/v1"}}', {});
  const factories = toHubFactories(providers, (target) => {
    made.push(target);
    return async () => Promise.reject(new Error("not called"));
  });
  factories["a"]?.("meta/llama");
  expect(made).toEqual([{ protocol: "openai-chat", endpoint: "https://x.example/v1", modelId: "meta/llama" }]);
});
