import { Pool } from "pg";
import type { Queue } from "../../src/contract/ports/queue.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import type { OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { brokeDown, type StorageUnderTest } from "./storage-under-test.ts";

export interface PostgresUnderTest extends AsyncDisposable {
  open(): Promise<StorageUnderTest>;
}

/**
 * One database whose clock moves only by hand, emptied for every test. Looking for silent workers, which the
 * storage does every two seconds, is done here before each claim.
 */
export async function preparePostgresUnderTest(): Promise<PostgresUnderTest> {
  const database = await createTestDatabase();
  // A function of this name in a schema before pg_catalog hides the real clock.
  await database.query(`
    create table test_clock (now timestamptz not null);
    insert into test_clock values (now());
    create function public.now() returns timestamptz language sql stable as 'select now from public.test_clock';
    alter database ${new URL(database.url).pathname.slice(1)} set search_path = public, pg_catalog`);
  // The setting is for new connections; those that a pooler keeps, the one of this statement among them, must go.
  const end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()";
  await database.query(end).catch(() => {});
  const openStorage = () =>
    openPostgres({ url: database.url, connections: 6, sweepMs: 0, lookMs: 0, perRun: 1_000, brokeDown });
  const main = await openStorage();
  const pool = new Pool({ connectionString: database.url, max: 2 });
  pool.on("error", () => {});
  await pool.query(`create or replace function pgboss.job_now() returns timestamptz language sql stable
    as 'select now from public.test_clock'`);

  const sweepingBefore = (queue: Queue): Queue => ({
    ...queue,
    async claim(options) {
      await queue.recover();
      return queue.claim(options);
    },
  });
  const swept = ({ store, queue }: OpenedStorage) => ({ store, queue: sweepingBefore(queue) });

  return {
    async open() {
      await pool.query("truncate run cascade; truncate pgboss.job; update test_clock set now = now + interval '1 day'");
      const others: OpenedStorage[] = [];
      return {
        ...swept(main),
        leaseMs: 10_000,
        noticeMs: 1_000,
        async another() {
          const other = await openStorage();
          others.push(other);
          return swept(other);
        },
        async pass(ms) {
          await pool.query("update test_clock set now = now + $1 * interval '1 millisecond'", [ms]);
        },
        async [Symbol.asyncDispose]() {
          await Promise.all(others.map((other) => other.close()));
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pool.end(), main.close()]);
      await database[Symbol.asyncDispose]();
    },
  };
}
