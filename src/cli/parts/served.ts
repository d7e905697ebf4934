import type { Demo } from "../../models/demo/demo-models.ts";
import type { Listening } from "../../services/http/listen.ts";
import { loopbackOrigins } from "../../services/http/checks/origin-check.ts";

/** What this process serves. Parts that are made before a service listens ask here later. */
export interface Served {
  agent: Listening | null;
  evaluation: Listening | null;
  /** The scripted models behind the agent backend, where it serves any. */
  demo: Demo | null;
}

export const nothingServed = (): Served => ({ agent: null, evaluation: null, demo: null });

/** Whether a model endpoint is our own agent backend. */
export function isServedAgent(served: Served, endpoint: string): boolean {
  const origin = URL.parse(endpoint)?.origin;
  return origin !== undefined && agentOrigins(served).includes(origin);
}

/** Every origin a browser may know our agent backend by. */
export function agentOrigins({ agent }: Served): readonly string[] {
  return agent ? [agent.url, ...loopbackOrigins(agent.port)] : [];
}
