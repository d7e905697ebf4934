import { Hono } from "hono";
import { requireScope } from "../../http/auth/auth.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentParts } from "../agent-parts.ts";

/** GET /metrics, for Prometheus. */
export function metricsRoute({ metrics: { registry } }: AgentParts): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().get("/metrics", requireScope("runs:read"), async (context) => {
    return context.body(await registry.metrics(), 200, { "content-type": registry.contentType });
  });
}
