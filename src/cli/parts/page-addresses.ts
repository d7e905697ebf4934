import type { ServerSettings } from "../../settings/server-settings.ts";
import { agentOrigins, type Served } from "./served.ts";

/** How a browser may call a host: its name or address, whatever its port. Anything else has no place in a policy. */
const hostName = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

type Exposure = Pick<ServerSettings, "host" | "evalPublicUrl">;

/** Where the page that was asked for at `host` finds the evaluation service. */
export function evaluationAddress(host: string, { evaluation }: Served, settings: Exposure): string {
  if (settings.evalPublicUrl !== null) return settings.evalPublicUrl;
  return (evaluation && calledBy(host, evaluation.port, settings)) ?? evaluation?.url ?? "";
}

/** The origins the page may have that calls the evaluation service at `host`. */
export function pageOrigins(host: string, served: Served, settings: Exposure): readonly string[] {
  const same = served.agent && calledBy(host, served.agent.port, settings);
  return same ? [...agentOrigins(served), same] : agentOrigins(served);
}

/** Listening on every address, both services are known by the name one of them was called by. It was checked before. */
function calledBy(host: string, port: number, { host: listening }: Exposure): string | null {
  if (listening !== "0.0.0.0" && listening !== "::") return null;
  const name = hostName.exec(host)?.[1];
  return name === undefined ? null : `http://${name}:${port}`;
}
