import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import type { ServiceError } from "../../contract/errors/errors.ts";
import { createChatModel } from "../../models/protocols/create-chat-model.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { parseHubProviders } from "../../models/routing/hub-providers.ts";
import { readSettings } from "../../settings.ts";
import { createClients, endpointChecker, keyVariables } from "./clients.ts";

test("limits the lines of streamed responses", async () => {
  const { settings } = readSettings({});
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  expect([clients.agent.maxEventBytes, clients.evaluation.maxEventBytes]).toEqual([1_048_576, 1_048_576]);
});

test.each([
  ["anthropic-messages", { "x-api-key": "sk-1" }],
  ["openai-chat", { authorization: "Bearer sk-1" }],
] as const)("sends the key of a hub with %s in the header of that protocol", async (protocol, expected) => {
  await using provider = await startFakeProvider({ behaviour: json({ content: "Hi" }) });
  const table = { own: { base_url: provider.url, key_env: "OWN_KEY", protocol } };
  const hubProviders = parseHubProviders(JSON.stringify(table), { OWN_KEY: "sk-1" });
  const { settings } = readSettings({});
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders });
  const model = createChatModel({ outbound: clients.agent, protocol, endpoint: provider.url, modelId: "m" });
  await model({ messages: [{ role: "user", content: "Hello" }] }, { signal: new AbortController().signal });

  const { authorization, "x-api-key": apiKey } = provider.requests[0]?.headers ?? {};
  expect({ authorization, "x-api-key": apiKey }).toEqual({
    authorization: undefined,
    "x-api-key": undefined,
    ...expected,
  });
});

test("names the variable that holds the key of an origin", () => {
  const { settings } = readSettings({
    HUB_BASE_URL: "https://hub.example/v1",
    STUDIO_BASE_URL: "https://studio.example/v1",
    JUDGE_ENDPOINT: "https://hub.example/v1",
    JUDGE_MODEL: "judge",
  });
  const hubProviders = parseHubProviders('{"groq":{"base_url":"https://groq.example/v1"}}', {});
  const variableFor = keyVariables(settings, hubProviders);
  expect(variableFor("https://hub.example")).toBe("HUB_API_KEY");
  expect(variableFor("https://studio.example")).toBe("STUDIO_API_KEY");
  expect(variableFor("https://groq.example")).toBe('key_env of "groq" in HUB_PROVIDERS');
  expect(variableFor("https://api.openai.com")).toBe("OPENAI_API_KEY");
  expect(variableFor("http://10.0.0.1:8080")).toBe("EVAL_CREDENTIALS=http://10.0.0.1:8080=NAME_OF_A_VARIABLE");
});

test.each([
  ["http://me:hunter2@127.0.0.1/v1", "http://[redacted]@127.0.0.1/v1"],
  ["http://hunter2@127.0.0.1/v1", "http://[redacted]@127.0.0.1/v1"],
  ["http://me:hun/ter2@127.0.0.1/v1", "http://[redacted]@127.0.0.1/v1"],
  ["me:hunter2@127.0.0.1/v1", "[redacted]@127.0.0.1/v1"],
  ["http://169.254.169.254/v1?api_key=hunter2", "http://169.254.169.254/v1?api_key=[redacted]"],
  [`ftp://127.0.0.1/${"a".repeat(100)}`, `ftp://127.0.0.1/${"a".repeat(64)}…`],
])("refuses %s without repeating a password", async (endpoint, received) => {
  await using outbound = createOutbound();
  expect(refusal(() => endpointChecker(outbound)({ pointer: "/endpoint", endpoint })).errors).toMatchObject([
    { pointer: "/endpoint", received },
  ]);
});

function refusal(check: () => void): ServiceError {
  try {
    check();
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("It was not refused.");
}
