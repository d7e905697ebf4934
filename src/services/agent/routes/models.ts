import { compact } from "../../../base/compact.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import {
  getModel,
  listModelProviders,
  listModels,
  listStudioModels,
  testModelProvider,
} from "../../../contract/operations/agent-models.ts";
import type {
  ConnectionTestRequest,
  ModelProviderList,
  OpenAiModel,
  OpenAiModelList,
} from "../../../contract/schemas/agent/models.ts";
import type { KnownModel } from "../../../models/routing/providers.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import type { Connections } from "../dependencies.ts";

/** The name → UUID of fine-tuned models. */
export const studioModelsRoute = defineRoute(listStudioModels, (services: AgentServices) => async ({ context }) => {
  const { models, stale } = await services.listStudioModels();
  // A list that the provider could not confirm is served with a warning.
  if (stale) {
    context.header("warning", '110 - "Response is Stale"');
    context.header("x-cache", "stale");
  }
  return context.json(models);
});

/** The known values of x-model-id and `model`; a hub may serve more. */
export const modelRoutes: readonly Route<AgentServices>[] = [
  defineRoute(listModels, ({ router }: AgentServices) => async ({ context }) => {
    // A fine-tuned model may have two names, but clients use the id as a key: it is listed once, by the first name.
    const byId = new Map<string, OpenAiModel>();
    for (const model of await router.list()) byId.set(model.id, byId.get(model.id) ?? toModel(model));
    const body: OpenAiModelList = { object: "list", data: [...byId.values()] };
    return context.json(body);
  }),

  defineRoute(getModel, ({ router }: AgentServices) => async ({ context, params: { model: id } }) => {
    const known = (await router.list()).find((model) => model.id === id || model.name === id);
    if (!known) throw new ServiceError("model_not_found", `No model ${JSON.stringify(id.slice(0, 100))} is known.`);
    return context.json(toModel(known));
  }),
];

/** Connecting a provider. */
export const providerRoutes: readonly Route<AgentServices>[] = [
  defineRoute(
    listModelProviders,
    ({ connections = noConnections }: AgentServices) =>
      ({ context }) =>
        context.json(connections.list()),
  ),

  defineRoute(testModelProvider, ({ connections = noConnections }: AgentServices) => async (request) => {
    const body = await request.body();
    const target = toTarget(body, connections.list());
    const { signal } = request;
    return request.context.json(await connections.test(target, { model: body.model, signal }));
  }),
];

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
  return compact({ id, object: "model", created: 0, owned_by: kind, name });
}
