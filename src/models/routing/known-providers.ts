import type { ModelProvider, ModelProviderList } from "../../contract/schemas/agent/models.ts";
import type { HubProvider } from "./hub-providers.ts";

type KnownProvider = Omit<ModelProvider, "key_set" | "connected">;

/** Providers that the page offers to connect, in this order. */
const knownProviders: readonly KnownProvider[] = [
  hosted("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
  {
    ...hosted("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    protocol: "anthropic-messages",
  },
  hosted("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  { ...hosted("azure", "Azure OpenAI", "", "AZURE_OPENAI_API_KEY"), base_url: null },
  local("ollama", "Ollama", 11434),
  local("lm-studio", "LM Studio", 1234),
  // Not 8000, its default: the agent backend listens there.
  local("vllm", "vLLM", 8002),
];

function hosted(id: string, name: string, base_url: string, key_variable: string): KnownProvider {
  return { id, name, base_url, protocol: "openai-chat", key_variable };
}

function local(id: string, name: string, port: number): KnownProvider {
  return { id, name, base_url: `http://127.0.0.1:${port}/v1`, protocol: "openai-chat", key_variable: null };
}

/** True when a key is bound to this base URL. */
type HasKey = (baseUrl: string) => boolean;

/** Providers that are connected by their key alone. `taken` are the names of other providers. */
export function providersByKey(hasKey: HasKey, taken: ReadonlySet<string>): HubProvider[] {
  return knownProviders.flatMap(({ id, base_url, key_variable, protocol }) => {
    if (base_url === null || key_variable === null || taken.has(id) || !hasKey(base_url)) return [];
    // The key is bound to the address already.
    return [{ name: id, baseUrl: base_url, apiKey: null, protocol }];
  });
}

interface ProviderState {
  readonly connected: readonly HubProvider[];
  readonly hub: boolean;
  readonly hubProvidersSet: boolean;
  readonly hasKey: HasKey;
}

/** The known providers and their state, then the other connected ones. */
export function describeProviders({ connected, hub, hubProvidersSet, hasKey }: ProviderState): ModelProviderList {
  const own = new Map(connected.map((provider) => [provider.name, provider]));
  const known = knownProviders.map((provider): ModelProvider => {
    const { id, base_url } = provider;
    const match = own.get(id);
    own.delete(id);
    return {
      ...provider,
      ...(match && { base_url: match.baseUrl, protocol: match.protocol }),
      key_set: Boolean(match?.apiKey) || (base_url !== null && hasKey(base_url)),
      connected: match !== undefined,
    };
  });
  const others = [...own.values()].map(({ name, baseUrl, protocol, apiKey }): ModelProvider => ({
    id: name,
    name,
    base_url: baseUrl,
    protocol,
    key_variable: null,
    key_set: apiKey !== null,
    connected: true,
  }));
  return { providers: [...known, ...others], hub, hub_providers_set: hubProvidersSet };
}
