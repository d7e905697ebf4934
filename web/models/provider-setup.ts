import { compact } from "../../src/base/compact.ts";
import type { ConnectionTestRequest, ModelProvider } from "../../src/contract/schemas/agent/models.ts";

/** A server that no entry of the list describes. */
export const otherProvider: ModelProvider = {
  id: "other",
  name: "Other",
  base_url: null,
  protocol: "openai-chat",
  key_variable: "MY_MODEL_API_KEY",
  key_set: false,
  connected: false,
};

interface Setup {
  readonly provider: ModelProvider;
  /** The address in the form; the provider's own unless the user changed it. */
  readonly baseUrl: string;
  readonly needsKey: boolean;
  readonly hubProvidersSet: boolean;
}

interface SetupLines {
  /** The lines of `.env`. A key is never among them: its place is marked. */
  readonly lines: readonly string[];
  /** An entry to be added to HUB_PROVIDERS, which is set already. */
  readonly entry: string | null;
}

/** The variables that connect a provider. One with a fixed address needs only its key. */
export function setupLines({ provider, baseUrl, needsKey, hubProvidersSet }: Setup): SetupLines {
  const { id, key_variable: variable, protocol } = provider;
  const keyLine = variable !== null && needsKey ? [`${variable}=…`] : [];
  if (isHosted(provider)) return { lines: keyLine, entry: null };
  const settings = compact({
    base_url: baseUrl || "https://models.example.com/v1",
    key_env: variable !== null && needsKey ? variable : undefined,
    protocol: protocol !== "openai-chat" ? protocol : undefined,
  });
  const name = id === "other" ? "my-model" : id;
  if (hubProvidersSet) return { lines: keyLine, entry: `${JSON.stringify(name)}: ${JSON.stringify(settings)}` };
  return { lines: [...keyLine, `HUB_PROVIDERS=${JSON.stringify({ [name]: settings })}`], entry: null };
}

/** True for a provider with one address for all its customers: its key alone connects it. */
export const isHosted = ({ base_url, key_variable }: ModelProvider): boolean =>
  base_url !== null && key_variable !== null;

/** A changed address is tested by itself, without the provider's own key. */
export function toTestRequest(provider: ModelProvider, baseUrl: string): ConnectionTestRequest {
  const typed = baseUrl.trim();
  if (provider.base_url !== null && (typed === "" || typed === provider.base_url)) return { provider: provider.id };
  return { base_url: typed, protocol: provider.protocol };
}

/** Where a model of the provider can be used: through the agent once it is connected, else directly at its address. */
export function modelLinks(provider: ModelProvider, { baseUrl, model }: { baseUrl: string; model: string }) {
  const address = baseUrl.trim() || provider.base_url || "";
  if (provider.connected && address === provider.base_url) {
    const id = encodeURIComponent(`${provider.id}/${model}`);
    return { chat: `/chat?model=${id}`, run: `/new?model=${id}` };
  }
  const query = new URLSearchParams({ endpoint: address, protocol: provider.protocol, model });
  return { chat: null, run: `/new?${query.toString()}` };
}

/** How to start a server on this machine. */
export const startHints: Readonly<Record<string, string>> = {
  ollama: "Start it with “ollama serve” and get a model, for example with “ollama pull llama3.2”.",
  "lm-studio": "In LM Studio, open Developer and start the server.",
  vllm: "Start it with “vllm serve MODEL --port 8002”: Rehearsal itself uses port 8000, vLLM's default.",
  azure: "The address of your resource, ending in /openai/v1. Models are the names of your deployments.",
  other: "Any server with OpenAI's API: llama.cpp, SGLang, LiteLLM, Groq, Together, your own gateway.",
};
