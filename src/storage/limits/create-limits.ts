import { createHash } from "node:crypto";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { EndpointLimits, Limits } from "../../contract/ports/limits.ts";
import type { Database, Writer } from "../tables/database.ts";
import { EndpointLimiter } from "./endpoint-limiter.ts";
import { renewQuota } from "./quota.ts";

export interface LimitsOptions {
  /** Unique among all processes. */
  readonly worker: string;
  readonly limitsOf: (endpoint: string) => EndpointLimits;
  /** How long a dead worker keeps its slots. A live one renews several times within it. */
  readonly leaseMs?: number;
  readonly onError?: (error: unknown) => void;
}

interface LimitsSource {
  readonly database: Database;
  /** The time that leases are measured on, the same for all workers. */
  readonly readNow: (writer: Writer) => Promise<number>;
  /** Called when the transaction grants something: a grant lost in a server crash would be given twice. */
  readonly requireDurableCommit?: (writer: Writer) => Promise<void>;
}

/** From this number on, idle endpoints are dropped when another is added. */
const keptEndpoints = 100;

/** Endpoint limits on any database with this schema. */
export function createLimits(
  { database, readNow, requireDurableCommit }: LimitsSource,
  { worker, limitsOf, leaseMs = 5_000, onError = () => {} }: LimitsOptions,
): Limits {
  const endpoints = new Map<string, EndpointLimiter>();
  let closing: ServiceError | null = null;
  let stopping: ServiceError | null = null;

  function endpointOf(name: string): EndpointLimiter {
    const known = endpoints.get(name);
    if (known) return known;
    if (endpoints.size >= keptEndpoints) forgetIdle();
    const endpoint = createHash("sha256").update(name).digest("hex");
    const limiter = new EndpointLimiter({
      leaseMs,
      onError,
      renew: (report) =>
        database.write(async (writer) => {
          const limits = limitsOf(name);
          const request = { ...report, endpoint, worker, leaseMs, limits };
          const quota = await renewQuota(writer, await readNow(writer), request);
          if (quota.increased) await requireDurableCommit?.(writer);
          return quota;
        }),
    });
    if (stopping) limiter.stopWaiting(stopping);
    endpoints.set(name, limiter);
    return limiter;
  }

  function forgetIdle(): void {
    for (const [name, endpoint] of endpoints) if (endpoint.isIdle) endpoints.delete(name);
  }

  return {
    async acquire({ endpoint, ...call }) {
      if (closing) throw closing;
      return endpointOf(endpoint).acquire(call);
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

/** Longer than any lease, and than any difference between lease clocks. */
const hour = 3_600_000;
/** The average tokens of a call are useful for later runs of the day. */
const keptMs = 24 * hour;

/**
 * Deletes slots of dead workers and endpoints unused for a day. A time far in the future was stored before the host's
 * clock restarted.
 */
export async function tidyLimits(writer: Writer, now: number): Promise<void> {
  await writer
    .deleteFrom("endpoint_slots")
    .where(({ eb, or }) => or([eb("lease_until", "<", now - hour), eb("lease_until", ">", now + hour)]))
    .execute();
  await writer
    .deleteFrom("endpoint_limit")
    .where(({ eb, or }) => or([eb("settled_at", "<", now - keptMs), eb("settled_at", ">", now + hour)]))
    .execute();
}

function stoppingError(): ServiceError {
  return new ServiceError("shutting_down", "The worker is stopping.");
}
