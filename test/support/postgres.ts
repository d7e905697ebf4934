import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { startServer } from "./postgres/server.ts";

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs statements as the owner of the database. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** A real PostgreSQL for the tests of one file. */
export interface TestPostgres {
  /** A new, empty database, or a copy of another. */
  createDatabase(options?: { from?: TestDatabase }): Promise<TestDatabase>;
  /** Crashes and starts the server. Null when the server is not ours to restart. */
  readonly restart: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

/** The server named by DATABASE_URL, which must allow new databases to be made, or else one of our own. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env["DATABASE_URL"];
  if (given)
    return { createDatabase: (options) => createDatabase(given, options), restart: null, stop: async () => {} };
  const { url, restart, stop } = await startServer();
  return { createDatabase: (options) => createDatabase(url, options), restart, stop };
}

async function createDatabase(serverUrl: string, { from }: { from?: TestDatabase } = {}): Promise<TestDatabase> {
  const name = `rehearsal_test_${randomUUID().replaceAll("-", "")}`;
  const template = from ? ` template ${new URL(from.url).pathname.slice(1)}` : "";
  await query(serverUrl, `create database ${name}${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (text, values) => query(url.href, text, values),
    async [Symbol.asyncDispose]() {
      await query(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

async function query(url: string, text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query(text, [...values]);
    return rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
