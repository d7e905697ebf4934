import type { OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";

/** Calls at once that all workers together may make at the endpoint. */
export const callsAtOnce = 4;

/**
 * Long enough that no live worker loses its attempts on a busy machine. A killed one is noticed at once by its process id,
 * because all workers are on one host.
 */
export const leaseMs = 60_000;

/** A database file, or PostgreSQL by its address. */
export async function openTortured(
  address: string,
  onError: (error: unknown) => void = () => {},
): Promise<OpenedStorage> {
  if (!address.startsWith("postgres:")) {
    const { openSqlite } = await import("../../src/storage/drivers/open-sqlite.ts");
    return openSqlite({ file: address, leaseMs });
  }
  const { openPostgres } = await import("../../src/storage/drivers/open-postgres.ts");
  return openPostgres({ url: address, connections: 6, heartbeatSeconds: leaseMs / 1_000, onError });
}
