import type { AgentUpstreams, LocalServers, OpenAiModelList } from "../src/contract/schemas/models.ts";
import { ApiError } from "./api-error.ts";
import { agentUrl, readJson } from "./http.ts";

export const openAiModels = (signal: AbortSignal): Promise<OpenAiModelList> =>
  readJson(agentUrl("/v1/models"), { signal });

/** How the providers behind the models fare; null where the service does not tell. */
export async function upstreams(signal: AbortSignal): Promise<AgentUpstreams | null> {
  try {
    return await readJson<AgentUpstreams>(agentUrl("/agent/upstreams"), { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Looks for model servers on the machine the service runs on. */
export const localServers = (signal: AbortSignal): Promise<LocalServers> =>
  readJson(agentUrl("/agent/local-servers"), { signal });
