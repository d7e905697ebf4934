import type { AgentUpstreams } from "../../../src/contract/agent-upstreams.ts";

export const sampleUpstreams: AgentUpstreams = {
  breakers: [
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
  tool_support: [{ provider: "hub", model_id: "demo/scripted", mode: "prompted", found_at: 0 }],
};
