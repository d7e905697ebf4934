import { expect, test } from "vitest";
import { parseHubProviders } from "../../models/routing/hub-providers.ts";
import { readSettings } from "../../settings.ts";
import { endpointCredentials } from "./endpoint-credentials.ts";

const table = {
  claude: { base_url: "https://gateway.example/anthropic", key_env: "C", protocol: "anthropic-messages" },
  a: { base_url: "https://gateway.example/a/v1", key_env: "A" },
  b: { base_url: "https://gateway.example/b/v1", key_env: "B" },
};
const hubProviders = parseHubProviders(JSON.stringify(table), { A: "sk-a", B: "sk-b", C: "sk-c" });

function keyFor(endpoint: string, protocol: "openai-chat" | "anthropic-messages" | "agent", environment = {}) {
  const credential = endpointCredentials(readSettings(environment).settings, hubProviders)({ endpoint, protocol });
  return credential && [credential.header, credential.secret.reveal()];
}

test("of several providers at an origin, the one that serves an endpoint lends its key", () => {
  const at = "https://gateway.example";
  expect(keyFor(`${at}/b/v1/chat/completions`, "openai-chat")).toEqual(["authorization", "sk-b"]);
  expect(keyFor(`${at}/a/v1`, "openai-chat")).toEqual(["authorization", "sk-a"]);
  expect(keyFor(`${at}/anthropic`, "anthropic-messages")).toEqual(["x-api-key", "sk-c"]);
  expect(keyFor(`${at}/other`, "anthropic-messages")).toEqual(["x-api-key", "sk-c"]);
});

test("what no provider speaks, what is elsewhere and what has a key of its own is left to its origin", () => {
  expect(keyFor("https://gateway.example/a/v1", "agent")).toBeUndefined();
  expect(keyFor("https://another.example/a/v1", "openai-chat")).toBeUndefined();
  expect(keyFor("nowhere", "openai-chat")).toBeUndefined();
  const own = { EVAL_ENDPOINT_ORIGIN: "https://gateway.example", EVAL_ENDPOINT_API_KEY: "sk-own" };
  expect(keyFor("https://gateway.example/a/v1", "openai-chat", own)).toBeUndefined();
});
