import { Hono } from "hono";
import { requireScope } from "../../http/auth/auth.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentDependencies } from "../dependencies.ts";

/** GET /studio/models: name → UUID. A list the provider could not confirm just now is served, and says so. */
export function studioModelsRoute({ listStudioModels }: AgentDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().get("/studio/models", requireScope("models:read"), async (context) => {
    const { models, stale } = await listStudioModels();
    if (stale) {
      context.header("warning", '110 - "Response is Stale"');
      context.header("x-cache", "stale");
    }
    return context.json(models);
  });
}
