import { expect, test } from "vitest";
import { plainReply } from "../../../agent/testing/scripted-model.ts";
import type { Reply } from "../../../contract/ports/chat-model.ts";
import type { AgentTurnFacts } from "../turns/turn.ts";
import { createProviderHealth } from "./provider-health.ts";

const failed: Reply = {
  ok: false,
  error: { code: "upstream_error", detail: "It failed.", upstream_status: 500, tries: 1, retryable: true },
  latency_ms: 1,
};

test("reports the result of the last call of each provider, and of each hub by its name", () => {
  const health = createProviderHealth(
    [
      { name: "hub", kind: "hub", origin: "https://hub.example" },
      { name: "groq", kind: "hub", origin: "https://groq.example" },
      { name: "fine-tuned", kind: "fine-tuned", origin: null },
    ],
    { now: () => 7 },
  );
  const call = (kind: string, model: string, reply: Reply | null) => {
    const facts = { provider: () => kind, resolved: () => model } as unknown as AgentTurnFacts;
    health.observe(facts).onEvent({ type: "model-end", call: 1, reply });
  };
  call("hub", "groq/llama", failed);
  call("hub", "openai/gpt", plainReply);
  call("hub", "openai/gpt", null);
  expect(health.list()).toMatchObject([
    { name: "hub", health: "ok", calls: 1, failures: 0, last_call_at: 7, last_error: null },
    { name: "groq", health: "failing", calls: 1, failures: 1, last_error: { code: "upstream_error", at: 7 } },
    { name: "fine-tuned", health: "unknown", calls: 0, last_call_at: null },
  ]);
  call("hub", "groq/llama", plainReply);
  expect(health.list()[1]).toMatchObject({ health: "ok", calls: 2, failures: 1 });
});
