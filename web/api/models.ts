import type {
  AgentUpstreams,
  ConnectionTest,
  ConnectionTestRequest,
  LocalServers,
  ModelProviderList,
  OpenAiModelList,
  StudioModels,
} from "../../src/contract/schemas/agent/models.ts";
import { ApiError } from "./api-error.ts";
import { ask } from "./http.ts";

export const fetchStudioModels = (signal: AbortSignal): Promise<StudioModels> => ask("listStudioModels", { signal });

export const fetchOpenAiModels = (signal: AbortSignal): Promise<OpenAiModelList> => ask("listModels", { signal });

/** Health of the model providers; null when the service has no such route. */
export async function fetchUpstreams(signal: AbortSignal): Promise<AgentUpstreams | null> {
  try {
    return await ask("getAgentUpstreams", { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Searches the service's own machine for model servers. */
export const fetchLocalServers = (signal: AbortSignal): Promise<LocalServers> => ask("listLocalServers", { signal });

/** Providers that are or could be connected. */
export const fetchProviders = (signal: AbortSignal): Promise<ModelProviderList> =>
  ask("listModelProviders", { signal });

export const testProvider = (body: ConnectionTestRequest): Promise<ConnectionTest> =>
  ask("testModelProvider", { body });
