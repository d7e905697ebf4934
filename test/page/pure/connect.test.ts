import { expect, test } from "vitest";
import { describeProviders } from "../../../src/models/routing/known-providers.ts";
import { modelLinks, otherProvider, setupLines, toTestRequest } from "../../../web/models/provider-setup.ts";

const { providers } = describeProviders({ connected: [], hub: false, hubProvidersSet: false, hasKey: () => false });
const provider = (id: string) => {
  const found = providers.find((entry) => entry.id === id);
  if (!found) throw new Error(id);
  return found;
};
const form = { baseUrl: "http://127.0.0.1:9000/v1", needsKey: true, hubProvidersSet: false };

test("a hosted provider needs its key alone, others also an entry of HUB_PROVIDERS", () => {
  expect(setupLines({ ...form, provider: provider("openai") })).toEqual({ lines: ["OPENAI_API_KEY=…"], entry: null });
  expect(setupLines({ ...form, provider: provider("ollama") }).lines).toEqual([
    'HUB_PROVIDERS={"ollama":{"base_url":"http://127.0.0.1:9000/v1"}}',
  ]);
  expect(setupLines({ ...form, provider: otherProvider, hubProvidersSet: true })).toEqual({
    lines: ["MY_MODEL_API_KEY=…"],
    entry: '"my-model": {"base_url":"http://127.0.0.1:9000/v1","key_env":"MY_MODEL_API_KEY"}',
  });
  expect(setupLines({ ...form, provider: otherProvider, needsKey: false }).lines.join()).not.toContain("KEY");
});

test("a changed address is tested by itself, and its models lead to a run at this address", () => {
  expect(toTestRequest(provider("ollama"), "http://127.0.0.1:11434/v1")).toEqual({ provider: "ollama" });
  const changed = "http://10.0.0.5:11434/v1";
  expect(toTestRequest(provider("ollama"), changed)).toEqual({ base_url: changed, protocol: "openai-chat" });
  const connected = { ...provider("openai"), connected: true };
  expect(modelLinks(connected, { baseUrl: "", model: "gpt-9" }).chat).toBe("/chat?model=openai%2Fgpt-9");
  const links = modelLinks(provider("anthropic"), { baseUrl: "", model: "claude" });
  expect(links.chat).toBeNull();
  expect(links.run).toBe("/new?endpoint=https%3A%2F%2Fapi.anthropic.com%2Fv1&protocol=anthropic-messages&model=claude");
});
