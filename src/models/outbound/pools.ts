import { Agent, Pool } from "undici";
import { createConnector, type ConnectorOptions } from "./connector.ts";
import type { PolicyName } from "../../contract/schemas/endpoint-policy.ts";
import { portOf, type EndpointPolicy } from "./endpoint-policy.ts";

/** Connection pools, one set per policy: a socket opened under a permissive policy is never used under a stricter one. */
export class Pools {
  readonly #options: Omit<ConnectorOptions, "policy" | "port">;
  readonly #idleMs: number;
  readonly #agents = new Map<PolicyName, Agent>();

  /** `idleMs`: how long an unused connection is kept where the server asks for that. */
  constructor({ idleMs = 60_000, ...options }: Omit<ConnectorOptions, "policy" | "port"> & { idleMs?: number }) {
    this.#options = options;
    this.#idleMs = idleMs;
  }

  /** An explicit agent also means that proxies named in the environment are ignored. */
  for(policy: EndpointPolicy): Agent {
    const known = this.#agents.get(policy.name);
    if (known) return known;
    const agent = new Agent({
      // Our own timers rule; undici's would end a slow local model after five minutes whatever was configured.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Routers forget a connection that rests for some minutes, and what is sent on it then is never answered.
      keepAliveMaxTimeout: this.#idleMs,
      allowH2: false,
      factory: (origin, options) => {
        const connect = createConnector({ ...this.#options, policy, port: portOf(new URL(origin)) });
        return new Pool(origin, { ...options, connect });
      },
    });
    this.#agents.set(policy.name, agent);
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#agents.values(), (agent) => agent.destroy()));
  }
}
