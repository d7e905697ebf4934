import { expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import { knownProviderIds } from "../../contract/schemas/agent/models.ts";
import { describeProviders, providersByKey } from "./known-providers.ts";

const hasKey = (baseUrl: string): boolean => /openai|anthropic/.test(baseUrl);

test("a well-known key connects its provider, unless another provider has the name", () => {
  expect(providersByKey(hasKey, new Set(["openai"]))).toEqual([
    { name: "anthropic", baseUrl: "https://api.anthropic.com/v1", apiKey: null, protocol: "anthropic-messages" },
  ]);
});

test("lists every known provider with its state and variable, then those with names of their own", () => {
  const connected = [
    ...providersByKey(hasKey, new Set()),
    { name: "groq", baseUrl: "https://api.groq.example/v1", apiKey: new Secret("x"), protocol: "openai-chat" as const },
  ];
  const { providers } = describeProviders({ connected, hub: false, hubProvidersSet: true, hasKey });
  expect(providers.map(({ id, connected, key_set }) => [id, connected, key_set])).toEqual([
    ["openai", true, true],
    ["anthropic", true, true],
    ["openrouter", false, false],
    ["azure", false, false],
    ["ollama", false, false],
    ["lm-studio", false, false],
    ["vllm", false, false],
    ["groq", true, true],
  ]);
  expect(JSON.stringify(providers)).not.toContain('"x"');
});

test("the contract names the known providers that have an address", () => {
  const { providers } = describeProviders({ connected: [], hub: false, hubProvidersSet: false, hasKey: () => false });
  expect(providers.flatMap(({ id, base_url }) => (base_url === null ? [] : id))).toEqual(knownProviderIds);
});
