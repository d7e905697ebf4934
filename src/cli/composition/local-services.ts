import { fileURLToPath } from "node:url";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Demo } from "../../models/demo/demo-models.ts";
import type { Listening } from "../../services/http/listen.ts";
import { loopbackOrigins } from "../../services/http/checks/origin-check.ts";
import type { ServerSettings } from "../../settings/server-settings.ts";

/** The services in this process. Ports are known only once a service listens, so earlier parts look them up here later. */
export interface LocalServices {
  agent: Listening | null;
  evaluation: Listening | null;
  /** The scripted models of the agent backend; null when the demo is off. */
  demo: Demo | null;
  /** The origin of the worlds of a command, once one is open. */
  worlds?: () => string | null;
}

export const createLocalServices = (): LocalServices => ({ agent: null, evaluation: null, demo: null });

/** The built page. */
export const pageFolder = fileURLToPath(new URL("../../../web/dist/", import.meta.url));

/** True when a model endpoint is the agent backend of this process. */
export function isLocalAgent(local: LocalServices, endpoint: string): boolean {
  const origin = URL.parse(endpoint)?.origin;
  return origin !== undefined && agentOrigins(local).includes(origin);
}

/** Detects runs that the scripted models of this process answer, so that they can be marked as demos. */
export function demoDetector(local: LocalServices): (settings: RunSettings) => boolean {
  return ({ endpoint, model_id }) => {
    if (local.demo === null || !isLocalAgent(local, endpoint)) return false;
    return [...local.demo.ids, ...Object.keys(local.demo.studio)].includes(model_id);
  };
}

/** The demo model of this process that plays simulated users. */
export function demoUser({ agent }: LocalServices): { endpoint: string; model_id: string } | undefined {
  return agent ? { endpoint: `${agent.url}/demo/v1`, model_id: "demo/scripted" } : undefined;
}

type Exposure = Pick<ServerSettings, "host" | "evalPublicUrl">;

/** The address of the evaluation service for a page that was loaded from `host`. */
export function evaluationAddress(host: string, { evaluation }: LocalServices, settings: Exposure): string {
  if (settings.evalPublicUrl !== null) return settings.evalPublicUrl;
  return (evaluation && addressAt(host, evaluation.port, settings)) ?? evaluation?.url ?? "";
}

/** The origins that a page may have when it calls the evaluation service at `host`. */
export function pageOrigins(host: string, local: LocalServices, settings: Exposure): readonly string[] {
  const same = local.agent && addressAt(host, local.agent.port, settings);
  return same ? [...agentOrigins(local), same] : agentOrigins(local);
}

/** Every origin at which a browser may reach our agent backend. */
function agentOrigins({ agent }: LocalServices): readonly string[] {
  return agent ? [agent.url, ...loopbackOrigins(agent.port)] : [];
}

/** A host name or IP address with an optional port. */
const hostName = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** When both services listen on all addresses, the name that reached one also reaches the other. The HTTP shell has checked it. */
function addressAt(host: string, port: number, { host: listening }: Exposure): string | null {
  if (listening !== "0.0.0.0" && listening !== "::") return null;
  const name = hostName.exec(host)?.[1];
  return name === undefined ? null : `http://${name}:${port}`;
}
