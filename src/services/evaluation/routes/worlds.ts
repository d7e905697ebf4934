import { Hono } from "hono";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { worldPath, type WorldServer } from "../world-endpoints.ts";

/** The private MCP endpoints of worlds, one for each attempt of an agent with its own tool loop. No part of the public API. */
export function worldRoute(
  worlds: WorldServer,
  { bodyLimits }: Pick<EvaluationDependencies, "bodyLimits">,
): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().all(`${worldPath}:token/mcp`, async (context) => {
    const hasBody = context.req.method === "POST";
    const parsedBody = hasBody ? await readJson(context, bodyLimits) : undefined;
    return worlds.fetch(context.req.raw, hasBody ? { parsedBody } : {});
  });
}
