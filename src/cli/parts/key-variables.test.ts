import { expect, test } from "vitest";
import { parseHubProviders } from "../../models/routing/hub-providers.ts";
import { readSettings } from "../../settings.ts";
import { keyVariables } from "./key-variables.ts";

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
