import { Hono } from "hono";
import { ProbeRequest, type ModelCapabilities } from "../../../contract/agent-capabilities.ts";
import type { LocalServers } from "../../../contract/agent-local-servers.ts";
import { requireScope } from "../../http/auth.ts";
import { readJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { namedModel } from "../wires/named-model.ts";

/** POST /agent/upstreams/probe asks a model what it can do; GET /agent/local-servers looks for models on this machine. */
export function modelProbeRoutes(
  { router, bodyLimits, findLocalServers = async () => [] }: AgentDependencies,
  { capabilities, toolSupport }: AgentParts,
): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .post("/agent/upstreams/probe", requireScope("agent"), async (context) => {
      const { model_id, again } = validate(ProbeRequest, await readJson(context, bodyLimits));
      const { provider, resolved, model } = await namedModel(() => router.route(model_id), { field: "model_id" });
      const target = { provider, model_id: resolved };
      if (again) capabilities.forget(target);
      // Whoever asks may have changed the endpoint; finding out anew costs one refused call.
      toolSupport.forget(target);
      const found: ModelCapabilities = await capabilities.probe({ ...target, model, signal: context.req.raw.signal });
      return context.json(found);
    })
    .get("/agent/local-servers", requireScope("models:read"), async (context) => {
      const servers = await findLocalServers(context.req.raw.signal);
      const body: LocalServers = {
        servers: servers.map(({ models, ...server }) => ({ ...server, models: models.map(({ id }) => id) })),
      };
      return context.json(body);
    });
}
