import type {
  AgentUpstreams,
  ConnectionTest,
  ConnectionTestRequest,
  LocalServers,
  ModelProviderList,
  OpenAiModelList,
  StudioModels,
} from "../../src/contract/schemas/models.ts";
import { ApiError } from "./api-error.ts";
import { agentUrl, fetchJson } from "./http.ts";

export const fetchStudioModels = (signal: AbortSignal): Promise<StudioModels> =>
  fetchJson(agentUrl("/studio/models"), { signal });

export const fetchOpenAiModels = (signal: AbortSignal): Promise<OpenAiModelList> =>
  fetchJson(agentUrl("/v1/models"), { signal });

/** Health of the model providers; null when the service has no such route. */
export async function fetchUpstreams(signal: AbortSignal): Promise<AgentUpstreams | null> {
  try {
    return await fetchJson<AgentUpstreams>(agentUrl("/agent/upstreams"), { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Searches the service's own machine for model servers. */
export const fetchLocalServers = (signal: AbortSignal): Promise<LocalServers> =>
  fetchJson(agentUrl("/agent/local-servers"), { signal });

/** Providers that are or could be connected. */
export const fetchProviders = (signal: AbortSignal): Promise<ModelProviderList> =>
  fetchJson(agentUrl("/agent/providers"), { signal });

export const testProvider = (body: ConnectionTestRequest): Promise<ConnectionTest> =>
  fetchJson(agentUrl("/agent/providers/test"), { method: "POST", body: JSON.stringify(body) });
