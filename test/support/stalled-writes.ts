import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** A write of the agent that is stopped in the midst of its transaction. */
export interface StalledWrite {
  readonly table: "agent_answer" | "agent_thread_part";
  readonly event: "insert" | "update";
}

interface Stall {
  /** Resolves when a process has reached the write. */
  reached(): Promise<void>;
  /** Lets writes through again, once the one that was stopped is dead. */
  end(): Promise<void>;
}

/** The write never returns, because it counts for ever. `agent` is the address of the process that reaches it. */
export async function stallSqlite(file: string, agent: string, { table, event }: StalledWrite): Promise<Stall> {
  change(
    file,
    `create view forever as with recursive step(n) as (select 1 union all select n + 1 from step) select n from step;
     create trigger stall before ${event} on ${table} begin select count(*) from forever; end`,
  );
  return {
    async reached() {
      while (await answers(`${agent}/healthz`)) await sleep(20);
    },
    async end() {
      change(file, "drop trigger stall; drop view forever");
    },
  };
}

/** The write waits for a lock. */
export async function stallPostgres(url: string, { table }: StalledWrite): Promise<Stall> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; lock table ${table} in share row exclusive mode`);
  const waiting = `select 1 from pg_locks where relation = '${table}'::regclass and not granted`;
  return {
    async reached() {
      while ((await client.query(waiting)).rows.length === 0) await sleep(20);
    },
    end: () => client.end(),
  };
}

function change(file: string, statements: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(statements);
  database.close();
}

/** A process that counts for ever answers nothing. */
const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
