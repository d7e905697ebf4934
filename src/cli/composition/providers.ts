import { ServiceError } from "../../contract/errors/errors.ts";
import { listProviderModels } from "../../models/protocols/list-models.ts";
import { createChatModel } from "../../models/protocols/create-chat-model.ts";
import { createDemo, type Demo } from "../../models/demo/demo-models.ts";
import { parseEndpoint } from "../../models/outbound/endpoint-policy.ts";
import type { ErrorTextOptions } from "../../models/outbound/error-text.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { createHubList, toHubFactories, type HubProvider } from "../../models/routing/hub-providers.ts";
import { checkAliases, isUuid } from "../../models/routing/model-id.ts";
import type { ModelFactory, Providers, StudioProvider } from "../../models/routing/providers.ts";
import { createRouter } from "../../models/routing/router.ts";
import { readModelsFile } from "../../models/studio/models-file.ts";
import {
  createStudioRegistry,
  type StudioList,
  type StudioModel,
  type StudioSource,
} from "../../models/studio/studio-registry.ts";
import { createScrubber } from "../../services/http/environment/scrub.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { createClients, providerCredential, type KeyedProvider } from "./clients.ts";
import { readHubProviders } from "./hub-settings.ts";
import { secretsOf } from "./operator-secrets.ts";

/** The providers that the operator configured, or the demo. */
export function createProviders({
  settings,
  hubProviders,
  outbound,
  demo,
}: {
  settings: Settings;
  hubProviders: readonly HubProvider[];
  outbound: Outbound;
  demo: Demo | null;
}): Providers {
  const { hub, studio, agent } = settings;
  // The client of a turn reads why its provider rejected the request.
  const errorText = { kept: "rejection", clean: createScrubber(secretsOf([settings, hubProviders])) } as const;
  const serve = modelsOf(outbound, errorText);

  return {
    hub: hub ? serve(hub) : undefined,
    hubProviders: toHubFactories(hubProviders, serve),
    listHubModels: createHubList([
      ...(hub ? [{ name: null, list: idsAt(hub, outbound) }] : []),
      ...hubProviders.map((provider) => ({ name: provider.name, list: idsAt(provider, outbound) })),
    ]),
    studio: studio ? createStudioProvider(studio, { outbound, errorText }) : undefined,
    aliases: readModelAliases(agent.modelAliases),
    demo: demo ?? undefined,
    knownHubModels: () => Object.keys(demo?.hub ?? {}),
  };
}

interface ServingProvider extends KeyedProvider {
  readonly baseUrl: string;
}

/** Calls the models of a provider with its own key. */
function modelsOf(outbound: Outbound, errorText: ErrorTextOptions): (provider: ServingProvider) => ModelFactory {
  return (provider) => {
    const { baseUrl: endpoint, protocol = "openai-chat" } = provider;
    const credential = providerCredential(provider);
    return (modelId) =>
      createChatModel({ outbound, protocol, endpoint, modelId, credential, policy: "local", errorText });
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

/** Lists the models of GET /studio/models: the provider's, or those of the demo without a provider. */
export function studioLister({ studio, demo }: Providers): () => Promise<StudioList> {
  if (studio) return () => studio.registry.list();
  const models = Object.fromEntries(Object.entries(demo?.studio ?? {}).map(([name, { id }]) => [name, id]));
  return async () => ({ models, stale: false });
}

function createStudioProvider(
  studio: NonNullable<Settings["studio"]>,
  { outbound, errorText }: { readonly outbound: Outbound; readonly errorText: ErrorTextOptions },
): StudioProvider {
  const { baseUrl, modelsFile } = studio;
  const credential = providerCredential(studio);
  const origin = baseUrl === null ? null : new URL(baseUrl).origin;
  // An entry of the models file may name another server, which does not get the key.
  const serveAt = (endpoint: string): ModelFactory => {
    const parsed = parseEndpoint(endpoint);
    const key =
      parsed.ok && parsed.url.origin === origin ? providerCredential({ ...studio, baseUrl: endpoint }) : undefined;
    return (modelId) =>
      createChatModel({
        outbound,
        protocol: "openai-chat",
        endpoint,
        modelId,
        credential: key,
        policy: "local",
        errorText,
      });
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

/** Parses AGENT_MODEL_ALIASES: entries of the form `alias=target`. */
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

/** Checks whether our own agent backend would serve a model, without starting it. May request the list of fine-tuned models. */
export function createModelChecker(
  settings: Settings,
): AsyncDisposable & { checkModel(modelId: string): Promise<void> } {
  const hubProviders = readHubProviders(settings);
  const clients = createClients(settings, { isOwnAddress: () => false, hubProviders });
  const demo = settings.demo ? createDemo() : null;
  const providers = createProviders({ settings, hubProviders, outbound: clients.agent, demo });
  const router = createRouter(providers, { longestId: settings.limits.modelIdChars });
  return {
    checkModel: async (modelId) => void (await router.route(modelId)),
    [Symbol.asyncDispose]: () => clients[Symbol.asyncDispose](),
  };
}
