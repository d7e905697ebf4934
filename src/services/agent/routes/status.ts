import { getAgentUpstreams, listLocalServers } from "../../../contract/operations/agent-models.ts";
import { getMetrics } from "../../../contract/operations/service.ts";
import type { AgentUpstreams, LocalServers } from "../../../contract/schemas/agent/models.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";

/** The state of the providers, and model servers on this machine. */
export const upstreamRoutes: readonly Route<AgentServices>[] = [
  defineRoute(getAgentUpstreams, (services: AgentServices) => ({ context }) => {
    const routes = services.routeLimits?.state() ?? [];
    const body: AgentUpstreams = {
      providers: services.providerHealth.list(),
      breakers: services.breakers?.() ?? [],
      routes: routes.map(({ key, running, waiting }) => ({ model: key, running, waiting })),
      tool_support: services.toolSupport.list(),
    };
    return context.json(body);
  }),

  defineRoute(listLocalServers, ({ findLocalServers }: AgentServices) => async ({ context, signal }) => {
    const servers = (await findLocalServers?.(signal)) ?? [];
    const body: LocalServers = {
      servers: servers.map(({ models, ...server }) => ({ ...server, models: models.map(({ id }) => id) })),
    };
    return context.json(body);
  }),
];

/** Counters for Prometheus. */
export const metricsRoute = defineRoute(
  getMetrics,
  ({ metrics: { registry } }: AgentServices) =>
    async ({ context }) =>
      context.body(await registry.metrics(), 200, { "content-type": registry.contentType }),
);
