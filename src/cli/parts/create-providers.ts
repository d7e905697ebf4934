import { ServiceError } from "../../contract/errors.ts";
import { listProviderModels } from "../../models/adapters/list-models.ts";
import { openaiChat } from "../../models/create-chat-model.ts";
import { createChatModel } from "../../models/create-chat-model.ts";
import type { Demo } from "../../models/demo/demo-models.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { parseEndpoint } from "../../models/outbound/endpoint-policy.ts";
import { checkAliases } from "../../models/routing/model-id.ts";
import { createHubList } from "../../models/routing/hub-providers.ts";
import { toHubFactories, type HubProvider } from "../../models/routing/hub-providers.ts";
import type { ModelFactory, Providers, StudioProvider } from "../../models/routing/providers.ts";
import { readModelsFile } from "../../models/studio/models-file.ts";
import type { StudioModel, StudioSource } from "../../models/studio/studio-registry.ts";
import { createStudioRegistry, type StudioList } from "../../models/studio/studio-registry.ts";
import { isUuid } from "../../models/routing/model-id.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { providerCredential, type KeyedProvider } from "./provider-credential.ts";

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
  const serve = servedBy(outbound);

  return {
    hub: hub ? serve(hub) : undefined,
    hubProviders: toHubFactories(hubProviders, serve),
    listHubModels: createHubList([
      ...(hub ? [{ name: null, list: idsAt(hub, outbound) }] : []),
      ...hubProviders.map((provider) => ({ name: provider.name, list: idsAt(provider, outbound) })),
    ]),
    studio: studio ? createStudioProvider(studio, outbound) : undefined,
    aliases: readModelAliases(agent.modelAliases),
    demo: demo ?? undefined,
    knownHubModels: () => Object.keys(demo?.hub ?? {}),
  };
}

interface ServingProvider extends KeyedProvider {
  readonly baseUrl: string;
}

/** The models of a provider, called with its own key. */
function servedBy(outbound: Outbound): (provider: ServingProvider) => ModelFactory {
  return (provider) => {
    const { baseUrl: endpoint, protocol = "openai-chat" } = provider;
    const credential = providerCredential(provider);
    return (modelId) => createChatModel({ outbound, protocol, endpoint, modelId, credential, policy: "local" });
  };
}

function idsAt(provider: ServingProvider, outbound: Outbound): (signal: AbortSignal) => Promise<readonly string[]> {
  const { baseUrl, protocol = "openai-chat" } = provider;
  const credential = providerCredential(provider);
  return async (signal) => {
    const list = await listProviderModels({ outbound, baseUrl, protocol, credential, signal, policy: "local" });
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

function createStudioProvider(studio: NonNullable<Settings["studio"]>, outbound: Outbound): StudioProvider {
  const { baseUrl, modelsFile } = studio;
  const credential = providerCredential(studio);
  const origin = baseUrl === null ? null : new URL(baseUrl).origin;
  // An entry of the models file may name another server: the key goes to its own origin only.
  const serveAt = (endpoint: string): ModelFactory => {
    const parsed = parseEndpoint(endpoint);
    const key =
      parsed.ok && parsed.url.origin === origin ? providerCredential({ ...studio, baseUrl: endpoint }) : undefined;
    return (modelId) => openaiChat({ outbound, endpoint, modelId, credential: key, policy: "local" });
  };
  const source: StudioSource =
    modelsFile === null
      ? remoteList({ outbound, baseUrl: baseUrl ?? "", credential })
      : { list: () => readModelsFile(modelsFile) };
  return {
    registry: createStudioRegistry({ source }),
    fromFile: modelsFile !== null,
    create: baseUrl === null ? undefined : serveAt(baseUrl),
    createAt: serveAt,
  };
}

function remoteList(
  provider: Pick<Parameters<typeof listProviderModels>[0], "outbound" | "baseUrl" | "credential">,
): StudioSource {
  return {
    async list(signal): Promise<readonly StudioModel[]> {
      const list = await listProviderModels({ ...provider, signal, policy: "local", isId: isUuid });
      if (!list.ok) throw new ServiceError(list.error.code, list.error.detail);
      return list.models.filter(({ id }) => isUuid(id));
    },
  };
}

const variable = "AGENT_MODEL_ALIASES";

/** The aliases of AGENT_MODEL_ALIASES, each written `alias=target`. */
export function readModelAliases(entries: readonly string[]): Readonly<Record<string, string>> {
  const pairs = entries.map((entry) => {
    const [alias = "", ...target] = entry.split("=");
    return [alias.trim(), target.join("=").trim()] as const;
  });
  const aliases = Object.fromEntries(pairs);
  if (Object.keys(aliases).length < pairs.length) throw new SettingsError(variable, "names an alias twice");
  try {
    checkAliases(aliases);
  } catch (cause) {
    throw new SettingsError(variable, `is not a list of alias=model. ${(cause as Error).message}`, { cause });
  }
  return aliases;
}
