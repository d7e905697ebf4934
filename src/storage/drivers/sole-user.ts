import type { DatabaseSync } from "node:sqlite";
import type { RanOutOfMemory } from "../leases/worker-processes.ts";

/**
 * Frees what processes held that are gone, whoever they were: where nobody else has the file open, nobody else is at work on it.
 * Process ids say so too, but not after a restart of the container or of the host. Comes before any other connection of ours.
 * Left is what was held when memory ran out: that is taken back in another way (`takeBackFromTheDead`).
 */
export function freeIfAlone(connection: DatabaseSync, ranOutOfMemory: RanOutOfMemory): void {
  const { held } = connection.prepare(anythingHeld).get() as { held: number };
  // Finding out costs some writes to the disk, so it is left where there is nothing to free.
  if (held === 0) return;
  connection.exec("pragma locking_mode = exclusive");
  try {
    // Only whoever has the file alone can leave the write-ahead log; others who come now wait.
    const mode = connection.prepare("pragma journal_mode = delete").get()?.["journal_mode"];
    if (mode === "delete") free(connection, ranOutOfMemory);
  } catch {
    // Somebody else is there, or the disk is full: leases end by themselves.
    if (connection.isTransaction) connection.exec("rollback");
  } finally {
    connection.exec("pragma locking_mode = normal");
    connection.exec("pragma journal_mode = wal");
    // The lock goes with the first thing that is read.
    connection.prepare(anythingHeld).get();
  }
}

const anythingHeld = `select exists (select 1 from attempt where state = 'running')
  or exists (select 1 from agent_process) as held`;

function free(connection: DatabaseSync, ranOutOfMemory: RanOutOfMemory): void {
  const owners = connection.prepare(ownersOfAttempts).all() as { readonly owner: string }[];
  const left = owners.map(({ owner }) => owner).filter(ranOutOfMemory);
  connection.exec("begin");
  connection.prepare(freeAttempts).run(JSON.stringify(left));
  connection.exec("delete from agent_process; commit");
}

const ownersOfAttempts = `select distinct lease_owner as owner from attempt
  where state = 'running' and lease_owner is not null`;

/** What was under way is ready again, or over where its run is being cancelled. */
const freeAttempts = `update attempt set lease_owner = null, lease_until = null, available_at = 0, state = case
      when exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running')) then 'ready'
      else 'cancelled' end
    where state = 'running' and (lease_owner is null or lease_owner not in (select value from json_each(?)))`;
