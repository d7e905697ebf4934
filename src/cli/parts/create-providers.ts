import type { Protocol } from "../../contract/evaluation-request.ts";
import { openaiChat } from "../../models/adapters/openai-chat.ts";
import { createChatModel } from "../../models/create-chat-model.ts";
import { createHubList } from "../../models/routing/hub-list.ts";
import { toHubFactories, type HubProvider } from "../../models/routing/hub-providers.ts";
import { listModels } from "../../models/adapters/list-models.ts";
import type { Demo } from "../../models/demo/demo-models.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { ModelFactory, Providers, StudioProvider } from "../../models/routing/providers.ts";
import { readModelsFile } from "../../models/studio/models-file.ts";
import type { StudioModel, StudioSource } from "../../models/studio/studio-model.ts";
import { createStudioRegistry, type StudioList } from "../../models/studio/studio-registry.ts";
import { isUuid } from "../../models/studio/uuid.ts";
import { ServiceError } from "../../contract/service-error.ts";
import type { Settings } from "../../settings.ts";
import { readModelAliases } from "./read-model-aliases.ts";

/** The providers the operator configured, or the demo. */
export function createProviders({
  settings: { hub, studio, agent },
  hubProviders,
  outbound,
  demo,
}: {
  settings: Settings;
  hubProviders: readonly HubProvider[];
  outbound: Outbound;
  demo: Demo | null;
}): Providers {
  const at =
    (baseUrl: string): ModelFactory =>
    (modelId) =>
      openaiChat({ outbound, endpoint: baseUrl, modelId, policy: "local" });

  return {
    hub: hub ? at(hub.baseUrl) : undefined,
    hubProviders: toHubFactories(hubProviders, (target) => createChatModel({ outbound, policy: "local", ...target })),
    listHubModels: createHubList([
      ...(hub ? [{ name: null, list: idsAt(hub, outbound) }] : []),
      ...hubProviders.map((provider) => ({ name: provider.name, list: idsAt(provider, outbound) })),
    ]),
    studio: studio ? createStudioProvider(studio, { outbound, at }) : undefined,
    aliases: readModelAliases(agent.modelAliases),
    demo: demo ?? undefined,
    knownHubModels: () => Object.keys(demo?.hub ?? {}),
  };
}

function idsAt(
  { baseUrl, protocol = "openai-chat" }: { readonly baseUrl: string; readonly protocol?: Protocol },
  outbound: Outbound,
): (signal: AbortSignal) => Promise<readonly string[]> {
  return async (signal) => {
    const list = await listModels({ outbound, baseUrl, protocol, signal, policy: "local" });
    if (!list.ok) throw new Error(list.error.detail);
    return [...new Set(list.models.map(({ id }) => id))];
  };
}

/** GET /studio/models: the provider's list, or the demo's where there is none. */
export function studioLister({ studio, demo }: Providers): () => Promise<StudioList> {
  if (studio) return () => studio.registry.list();
  const models = Object.fromEntries(Object.entries(demo?.studio ?? {}).map(([name, { id }]) => [name, id]));
  return async () => ({ models, stale: false });
}

function createStudioProvider(
  { baseUrl, modelsFile }: NonNullable<Settings["studio"]>,
  { outbound, at }: { outbound: Outbound; at: (baseUrl: string) => ModelFactory },
): StudioProvider {
  const source: StudioSource =
    modelsFile === null ? remoteList(baseUrl ?? "", outbound) : { list: () => readModelsFile(modelsFile) };
  return {
    registry: createStudioRegistry({ source }),
    fromFile: modelsFile !== null,
    create: baseUrl === null ? undefined : at(baseUrl),
    createAt: at,
  };
}

function remoteList(baseUrl: string, outbound: Outbound): StudioSource {
  return {
    async list(signal): Promise<readonly StudioModel[]> {
      const list = await listModels({ outbound, baseUrl, signal, policy: "local", isId: isUuid });
      if (!list.ok) throw new ServiceError(list.error.code, list.error.detail);
      return list.models.filter(({ id }) => isUuid(id));
    },
  };
}
