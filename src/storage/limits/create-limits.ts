import { createHash } from "node:crypto";
import { ServiceError } from "../../contract/errors.ts";
import type { EndpointLimits, Limits } from "../../contract/ports/limits.ts";
import type { Database, Writer } from "../database.ts";
import { LocalEndpoint } from "./local-endpoint.ts";
import { settleEndpoint } from "./settle-endpoint.ts";

export interface LimitsOptions {
  /** Who asks: unique among all processes, like the worker's id. */
  readonly worker: string;
  readonly limitsOf: (endpoint: string) => EndpointLimits;
  /** How long a worker that has died keeps its slots. Renewed several times in that time. */
  readonly leaseMs?: number;
  readonly onError?: (error: unknown) => void;
}

interface LimitsSource {
  readonly database: Database;
  /** The time by which leases are judged, the same for all workers. */
  readonly readNow: (writer: Writer) => Promise<number>;
  /** Called when the transaction grants something: forgotten in a crash of the server, it would be granted twice. */
  readonly waitForDisk?: (writer: Writer) => Promise<void>;
}

/** From so many on, those that are not in use are forgotten when another comes. */
const keptEndpoints = 100;

/** Limits on any database that has our schema. */
export function createLimits(
  { database, readNow, waitForDisk }: LimitsSource,
  { worker, limitsOf, leaseMs = 5_000, onError = () => {} }: LimitsOptions,
): Limits {
  const endpoints = new Map<string, LocalEndpoint>();
  let closing: ServiceError | null = null;
  let stopping: ServiceError | null = null;

  function endpointOf(name: string): LocalEndpoint {
    const known = endpoints.get(name);
    if (known) return known;
    if (endpoints.size >= keptEndpoints) forgetIdle();
    const endpoint = createHash("sha256").update(name).digest("hex");
    const local = new LocalEndpoint({
      leaseMs,
      onError,
      settle: (report) =>
        database.write(async (writer) => {
          const limits = limitsOf(name);
          const settlement = { ...report, endpoint, worker, leaseMs, limits };
          const allowance = await settleEndpoint(writer, await readNow(writer), settlement);
          if (allowance.grew) await waitForDisk?.(writer);
          return allowance;
        }),
    });
    if (stopping) local.stopWaiting(stopping);
    endpoints.set(name, local);
    return local;
  }

  function forgetIdle(): void {
    for (const [name, endpoint] of endpoints) if (endpoint.isIdle) endpoints.delete(name);
  }

  return {
    async acquire({ endpoint, ...request }) {
      if (closing) throw closing;
      return endpointOf(endpoint).acquire(request);
    },
    stopWaiting() {
      const reason = (stopping = stoppingError());
      for (const endpoint of endpoints.values()) endpoint.stopWaiting(reason);
    },
    async close() {
      const reason = (closing = stoppingError());
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close(reason)));
    },
  };
}

function stoppingError(): ServiceError {
  return new ServiceError("shutting_down", "The worker is stopping.");
}
