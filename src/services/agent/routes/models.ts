import { Hono } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import {
  ConnectionTestRequest,
  type ModelProviderList,
  type OpenAiModel,
  type OpenAiModelList,
} from "../../../contract/schemas/models.ts";
import type { KnownModel } from "../../../models/routing/providers.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { readJson } from "../../http/body/read-json.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentDependencies, Connections } from "../dependencies.ts";

/**
 * GET /v1/models and /v1/models/{model}: the known values of x-model-id and `model`; a hub may serve more.
 * GET /studio/models: name → UUID. GET /agent/providers and POST /agent/providers/test: connecting a provider.
 */
export function modelRoutes({
  router,
  listStudioModels,
  connections = noConnections,
  bodyLimits,
}: AgentDependencies): Hono<ShellEnvironment> {
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
    })
    .get("/agent/providers", (context) => context.json(connections.list()))
    .post("/agent/providers/test", async (context) => {
      const request = validate(ConnectionTestRequest, await readJson(context, bodyLimits));
      const target = toTarget(request, connections.list());
      return context.json(await connections.test(target, { model: request.model, signal: context.req.raw.signal }));
    });
}

const noConnections: Connections = {
  list: () => ({ providers: [], hub: false, hub_providers_set: false }),
  test: () => Promise.reject(new ServiceError("not_found", "This service connects no providers.")),
};

function toTarget(
  { provider, base_url: baseUrl, protocol = "openai-chat" }: ConnectionTestRequest,
  { providers }: ModelProviderList,
): Parameters<Connections["test"]>[0] {
  if (provider === undefined) return { provider: null, base_url: baseUrl ?? null, protocol };
  const known = providers.find(({ id }) => id === provider);
  if (known?.base_url) return { provider: known.id, base_url: known.base_url, protocol: known.protocol };
  const message = known
    ? "has no address of its own: send `base_url` instead"
    : `must be one of ${providers.flatMap(({ id, base_url }) => (base_url === null ? [] : id)).join(", ")}`;
  throw new ServiceError("validation_failed", `/provider ${message}`, {
    errors: [{ pointer: "/provider", code: "invalid_value", message, received: provider }],
  });
}

function toModel({ id, kind, name }: KnownModel): OpenAiModel {
  return { id, object: "model", created: 0, owned_by: kind, ...(name !== undefined && { name }) };
}
