import type { OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";

/** Calls at once that all workers together may make at the endpoint. */
export const callsAtOnce = 4;

/** A database file, or PostgreSQL by its address. */
export async function openTortured(
  address: string,
  onError: (error: unknown) => void = () => {},
): Promise<OpenedStorage> {
  if (!address.startsWith("postgres:")) {
    const { openSqlite } = await import("../../src/storage/drivers/open-sqlite.ts");
    return openSqlite({ file: address, leaseMs: 4_000 });
  }
  const { openPostgres } = await import("../../src/storage/drivers/open-postgres.ts");
  return openPostgres({ url: address, connections: 6, onError });
}
