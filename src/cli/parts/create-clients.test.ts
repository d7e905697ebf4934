import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { createChatModel } from "../../models/create-chat-model.ts";
import { parseHubProviders } from "../../models/routing/hub-providers.ts";
import { readSettings } from "../../settings.ts";
import { createClients, keyVariables } from "./create-clients.ts";

test("what a streamed answer may hold is a setting", async () => {
  const { settings } = readSettings({ REHEARSAL_UPSTREAM_MAX_SSE_LINE_BYTES: "4096" });
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  expect([clients.agent.maxEventBytes, clients.evaluation.maxEventBytes]).toEqual([4096, 4096]);
});

test.each([
  ["anthropic-messages", { "x-api-key": "sk-1" }],
  ["openai-chat", { authorization: "Bearer sk-1" }],
] as const)("the key of a hub that speaks %s goes where that protocol wants it", async (protocol, expected) => {
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

test("every origin has a variable that gives it a key", () => {
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
