import { Hono } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import type { OpenAiModel, OpenAiModelList } from "../../../contract/schemas/models.ts";
import type { KnownModel } from "../../../models/routing/providers.ts";
import { requireScope } from "../../http/auth/auth.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentDependencies } from "../dependencies.ts";

/** GET /v1/models and /v1/models/{model}: what x-model-id, or `model`, can be set to. A hub may serve more. */
export function openAiModelsRoutes({ router }: AgentDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/v1/models", requireScope("models:read"), async (context) => {
      // A fine-tuned model may have two names, but clients take the id for a key: it is listed once, by the first.
      const byId = new Map<string, OpenAiModel>();
      for (const model of await router.list()) byId.set(model.id, byId.get(model.id) ?? toModel(model));
      const body: OpenAiModelList = { object: "list", data: [...byId.values()] };
      return context.json(body);
    })
    .get("/v1/models/:model{.+}", requireScope("models:read"), async (context) => {
      const id = context.req.param("model");
      const known = (await router.list()).find((model) => model.id === id || model.name === id);
      if (!known) throw new ServiceError("model_not_found", `No model ${JSON.stringify(id.slice(0, 100))} is known.`);
      return context.json(toModel(known));
    });
}

function toModel({ id, kind, name }: KnownModel): OpenAiModel {
  return { id, object: "model", created: 0, owned_by: kind, ...(name !== undefined && { name }) };
}
