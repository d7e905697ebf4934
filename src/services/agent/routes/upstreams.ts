import { Hono } from "hono";
import type { AgentUpstreams, LocalServers } from "../../../contract/schemas/models.ts";
import { requireScope } from "../../http/auth/auth.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";

/** GET /agent/upstreams reports the state of the providers; GET /agent/local-servers looks for models on this machine. */
export function upstreamsRoutes(
  { breakers = () => [], routeLimits, findLocalServers = async () => [] }: AgentDependencies,
  { toolSupport, providerHealth }: AgentParts,
): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/agent/upstreams", requireScope("models:read"), (context) => {
      const routes = routeLimits?.state() ?? [];
      const body: AgentUpstreams = {
        providers: providerHealth.list(),
        breakers: breakers(),
        routes: routes.map(({ key, running, waiting }) => ({ model: key, running, waiting })),
        tool_support: toolSupport.list(),
      };
      return context.json(body);
    })
    .get("/agent/local-servers", requireScope("models:read"), async (context) => {
      const servers = await findLocalServers(context.req.raw.signal);
      const body: LocalServers = {
        servers: servers.map(({ models, ...server }) => ({ ...server, models: models.map(({ id }) => id) })),
      };
      return context.json(body);
    });
}
