import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { startServer, type PostgresServerOptions } from "./postgres/server.ts";

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs statements as the owner of the database. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** A real PostgreSQL. Most tests share one: `createTestDatabase` in `shared-postgres.ts`. */
export interface TestPostgres {
  /** Connects to its maintenance database. */
  readonly url: string;
  /** A new, empty database, or a copy of another. */
  createDatabase(options?: { from?: TestDatabase }): Promise<TestDatabase>;
  /** Crashes and starts the server. Null when the server is not ours to restart. */
  readonly restart: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

/** The server named by DATABASE_URL, which must allow new databases to be made, or else one of our own. */
export async function startPostgres(options?: PostgresServerOptions): Promise<TestPostgres> {
  const given = process.env["DATABASE_URL"];
  const { url, restart, stop } = given
    ? { url: given, restart: null, stop: async () => {} }
    : await startServer(options);
  return { url, createDatabase: (options) => createDatabase(url, options), restart, stop };
}

/** Copying files costs a third of copying through the log. A server that was given may be too old for it. */
const strategy = process.env["DATABASE_URL"] ? "" : " strategy file_copy";

/** A new, empty database on a server, or a copy of another one. */
export async function createDatabase(serverUrl: string, { from }: { from?: TestDatabase } = {}): Promise<TestDatabase> {
  const name = `rehearsal_test_${randomUUID().replaceAll("-", "")}`;
  const source = from && new URL(from.url).pathname.slice(1);
  if (source) {
    // A pooler keeps connections after its clients have left, and a database in use cannot be copied.
    await query(serverUrl, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [source]);
  }
  const template = source ? ` template ${source}` : "";
  await query(serverUrl, `create database ${name}${template}${strategy}`);
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
