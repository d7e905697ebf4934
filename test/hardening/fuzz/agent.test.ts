import { expect, test } from "vitest";
import { send } from "../../support/http.ts";
import { fuzzRoutes, fuzzTimeout, unharmed } from "./fuzz-routes.ts";
import { startFuzzedServices } from "./fuzzed-services.ts";
import { mcpBodies } from "./mcp-calls.ts";
import { tameFor } from "./tame.ts";

const unknownRun = "0190f0a0-0000-7000-8000-000000000000";

test(
  "every route of the agent backend keeps to its document, whatever it is sent",
  { timeout: fuzzTimeout },
  async () => {
    await using services = await startFuzzedServices();
    const ask = (thread: string) =>
      send(`${services.agent}/`, {
        headers: { "x-model-id": "hub/model", "x-thread-id": thread },
        body: { messages: [{ type: "human", content: "Hi" }] },
      });

    const outcome = await fuzzRoutes({
      suite: "agent backend",
      base: services.agent,
      memory: () => services.memory(),
      covers: () => true,
      async learn() {
        const turns = await Promise.all(["thread-1", "thread-2"].map(ask));
        return {
          values: {
            run_id: [...turns.map(({ headers }) => headers.get("x-run-id") ?? ""), unknownRun],
            thread_id: ["thread-1", "thread-2", "unknown"],
            model: ["hub/model", "fake-model", "a/b/c"],
            accept: ["application/json, text/event-stream"],
            "x-model-id": ["hub/model", "550e8400-e29b-41d4-a716-446655440000"],
            "x-model-fallbacks": ["hub/other", "hub/a,hub/b"],
            "x-agent-tools": ["none", "calculator", "calculator,current_time"],
            "x-thread-id": ["thread-1", "thread-3"],
            "x-on-disconnect": ["cancel", "continue"],
            "idempotency-key": ["a", "b-1", "c d"],
            "mcp-protocol-version": ["2025-06-18", "2025-11-25", "1999-01-01"],
          },
          tame: tameFor(services.provider.url),
          bodies: { "post /mcp": mcpBodies },
        };
      },
    });
    expect(outcome).toEqual(unharmed);
  },
);
