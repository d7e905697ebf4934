import { Hono } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import type { OpenAiModel, OpenAiModelList } from "../../../contract/schemas/models.ts";
import type { KnownModel } from "../../../models/routing/providers.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentDependencies } from "../dependencies.ts";

/**
 * GET /v1/models and /v1/models/{model}: the known values of x-model-id and `model`; a hub may serve more.
 * GET /studio/models: name → UUID.
 */
export function modelRoutes({ router, listStudioModels }: AgentDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/v1/models", async (context) => {
      // A fine-tuned model may have two names, but clients use the id as a key: it is listed once, by the first name.
      const byId = new Map<string, OpenAiModel>();
      for (const model of await router.list()) byId.set(model.id, byId.get(model.id) ?? toModel(model));
      const body: OpenAiModelList = { object: "list", data: [...byId.values()] };
      return context.json(body);
    })
    .get("/v1/models/:model{.+}", async (context) => {
      const id = context.req.param("model");
      const known = (await router.list()).find((model) => model.id === id || model.name === id);
      if (!known) throw new ServiceError("model_not_found", `No model ${JSON.stringify(id.slice(0, 100))} is known.`);
      return context.json(toModel(known));
    })
    .get("/studio/models", async (context) => {
      const { models, stale } = await listStudioModels();
      // A list that the provider could not confirm is served with a warning.
      if (stale) {
        context.header("warning", '110 - "Response is Stale"');
        context.header("x-cache", "stale");
      }
      return context.json(models);
    });
}

function toModel({ id, kind, name }: KnownModel): OpenAiModel {
  return { id, object: "model", created: 0, owned_by: kind, ...(name !== undefined && { name }) };
}
