import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentUpstreams, ConnectionTest, LocalServers } from "../../../src/contract/schemas/agent/models.ts";
import { describeProviders } from "../../../src/models/routing/known-providers.ts";
import { readJson, sendJson } from "./fake-io.ts";

export const sampleUpstreams: AgentUpstreams = {
  providers: [
    {
      name: "hub",
      kind: "hub",
      origin: "https://hub.example",
      health: "failing",
      calls: 20,
      failures: 12,
      last_call_at: Date.parse("2026-11-14T09:00:00Z"),
      last_error: { code: "upstream_timeout", detail: "No answer within 60 s.", at: 0 },
    },
    {
      name: "fine-tuned",
      kind: "fine-tuned",
      origin: "https://studio.example",
      health: "ok",
      calls: 1204,
      failures: 0,
      last_call_at: Date.parse("2026-11-14T09:00:00Z"),
      last_error: null,
    },
    {
      name: "demo",
      kind: "demo",
      origin: null,
      health: "unknown",
      calls: 0,
      failures: 0,
      last_call_at: null,
      last_error: null,
    },
  ],
  breakers: [
    { origin: "https://studio.example", key: "", state: "closed", calls: 1204, failures: 0, retry_after_ms: 0 },
    {
      origin: "https://hub.example",
      key: "demo/flaky",
      state: "open",
      calls: 20,
      failures: 12,
      retry_after_ms: 4000,
    },
  ],
  routes: [{ model: "demo/scripted", running: 2, waiting: 5 }],
  tool_support: [
    { provider: "hub", model_id: "demo/scripted", mode: "prompted", found_at: 0 },
    { provider: "fine-tuned", model_id: "7d9f3c1e-58a2-4c61-9d0e-2f4b8a1c6e01", mode: "native", found_at: 0 },
  ],
};

export const sampleLocalServers: LocalServers = {
  servers: [
    { kind: "ollama", base_url: "http://127.0.0.1:11434/v1", models: ["llama4:8b"], needs_key: false },
    { kind: "vllm", base_url: "http://127.0.0.1:8000/v1", models: [], needs_key: true },
  ],
};

export const sampleProviders = describeProviders({
  connected: [],
  hub: false,
  hubProvidersSet: false,
  hasKey: (baseUrl) => baseUrl.includes("openai.com"),
});

/** OpenAI answers; any other provider refuses the key. */
export async function answerConnectionTest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { provider, model } = (await readJson(request)) as { provider?: string; model?: string };
  const base = { base_url: "https://models.example/v1", duration_ms: 310 };
  const test: ConnectionTest =
    provider === "openai"
      ? { ...base, ok: true, models: model ? [] : ["gpt-9", "gpt-9-mini"], reply: model ? "ready" : null, error: null }
      : {
          ...base,
          ok: false,
          models: [],
          reply: null,
          error: { code: "upstream_auth", detail: "The provider refused the credentials.", hint: "Check the key." },
        };
  sendJson(response, 200, test);
}
