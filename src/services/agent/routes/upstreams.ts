import { Hono } from "hono";
import type { AgentUpstreams } from "../../../contract/agent-upstreams.ts";
import { requireScope } from "../../http/auth.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";

/** GET /agent/upstreams: what the service has found out about its providers. */
export function upstreamsRoute(
  { breakers = () => [], routeLimits }: AgentDependencies,
  { toolSupport, capabilities, providerHealth }: AgentParts,
): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().get("/agent/upstreams", requireScope("models:read"), (context) => {
    const routes = routeLimits?.state() ?? [];
    const body: AgentUpstreams = {
      providers: providerHealth.list(),
      breakers: breakers(),
      routes: routes.map(({ key, running, waiting }) => ({ model: key, running, waiting })),
      tool_support: toolSupport.list(),
      capabilities: capabilities.list(),
    };
    return context.json(body);
  });
}
