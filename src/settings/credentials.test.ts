import { expect, test } from "vitest";
import { coversCall, type ModelOperation } from "../models/outbound/credentials.ts";
import { readSettings } from "../settings.ts";

const { settings } = readSettings({
  OPENAI_API_KEY: "openai",
  ANTHROPIC_API_KEY: "anthropic",
  OPENROUTER_API_KEY: "openrouter",
  HF_TOKEN: "hugging-face",
  AZURE_KEY: "azure",
  AGENT_KEY: "agent",
  TEAM_KEY: "team",
  EVAL_CREDENTIALS: [
    "https://example.openai.azure.com=AZURE_KEY:api-key",
    "https://gateway.example/agents/support=AGENT_KEY",
    "https://gateway.example=TEAM_KEY",
  ].join(),
  EVAL_ENDPOINT_ORIGIN: "https://models.example/base/v1/",
  EVAL_ENDPOINT_API_KEY: "pair",
});

/** The key that is sent, or null. The end of the path is the operation; any other path is an agent. */
function keyAt(address: string): string | null {
  const url = new URL(address);
  const [operation = "agent"] = /(?:chat\/completions|responses|messages|embeddings|models)$/.exec(url.pathname) ?? [];
  const call = { url, operation: operation as ModelOperation };
  return settings.credentials.find((credential) => coversCall(credential, call))?.secret.reveal() ?? null;
}

test.each([
  ["https://api.openai.com/v1/chat/completions", "openai"],
  ["https://api.openai.com/v1/responses", "openai"],
  ["https://api.openai.com/v1/embeddings", "openai"],
  ["https://api.openai.com/v1/models", "openai"],
  ["https://api.anthropic.com/v1/messages", "anthropic"],
  ["https://openrouter.ai/api/v1/chat/completions", "openrouter"],
  ["https://openrouter.ai/api/v1/messages", "openrouter"],
  ["https://router.huggingface.co/v1/chat/completions", "hugging-face"],
  ["https://router.huggingface.co/groq/openai/v1/chat/completions", "hugging-face"],
  ["https://api-inference.huggingface.co/models/org/name/v1/chat/completions", "hugging-face"],
  ["https://huggingface.co/api/inference-proxy/together/v1/chat/completions", "hugging-face"],
  ["https://example.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=1", "azure"],
  ["https://example.openai.azure.com/openai/v1/responses", "azure"],
  ["https://models.example/base/v1/chat/completions", "pair"],
  ["https://models.example/base/v1", "pair"],
  ["https://gateway.example/agents/support", "agent"],
  ["https://gateway.example/agents/support/v1/chat/completions", "agent"],
  ["https://gateway.example/openai/v1/chat/completions", "team"],
  ["https://gateway.example/", "team"],
])("sends to %s the key %s", (address, key) => {
  expect(keyAt(address)).toBe(key);
});

test.each([
  "https://api.openai.com/",
  "https://api.openai.com/v1",
  "https://api.openai.com/v1/fine_tuning/jobs/7/cancel",
  "https://api.openai.com/v1/threads/7/messages",
  "https://api.openai.com/v2/chat/completions",
  "https://api.anthropic.com/v1/messages/batches/7/cancel",
  "https://openrouter.ai/v1/chat/completions",
  "https://openrouter.ai/api/v1/keys",
  "https://router.huggingface.co/",
  "https://huggingface.co/api/repos/create",
  "https://huggingface.co/api/models",
  "https://example.openai.azure.com/openai/threads/7/messages",
  "https://example.openai.azure.com/openai/deployments",
  "https://models.example/",
  "https://models.example/v1/chat/completions",
  "https://models.example/base/v1/files",
  "https://gateway.example/agents",
  "https://gateway.example/agents/support/restart",
])("sends no key to %s", (address) => {
  expect(keyAt(address)).toBeNull();
});

test("treats the origin of a well-known provider as the address of its models", () => {
  const { credentials } = readSettings({ MINE: "mine", EVAL_CREDENTIALS: "https://api.openai.com=MINE" }).settings;
  expect(credentials).toMatchObject([{ path: "/v1", subpaths: false, agent: false }]);
});
