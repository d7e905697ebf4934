import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { hostClock } from "../../src/storage/tables/host.ts";
import { openSqlite, type OpenedSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sampleRun } from "./sample-runs.ts";
import { ending } from "./suite-helpers.ts";

const elsewhere = { host: "another container", pid: 1 };
const here = { worker: "here:1:w", limit: 9, perRun: 9 };

/** Leaves a store behind as a process does that is killed: an attempt and a thread held, and nothing closed in order. */
async function leaveHeld(file: string): Promise<OpenedSqlite> {
  const storage = await openSqlite({ file, ...elsewhere });
  await storage.store.runs.create(sampleRun({ scenarios: 1 }));
  await storage.queue.claim({ worker: "another container:1:w", limit: 1, perRun: 1 });
  await storage.agent.threads.hold(thread);
  return storage;
}

const thread = { owner: null, id: "t" };

/** Ends without a word: the row that says that it lives is put back. Leases stay as they are in any case. */
async function kill(storage: OpenedSqlite, file: string): Promise<void> {
  await storage.close();
  const database = new DatabaseSync(file);
  const until = hostClock.steady() + 10_000;
  database.exec(`insert into agent_process (id, alive_until)
    select process, ${until} from agent_thread_hold union select process, ${until} from run_rescoring`);
  database.close();
}

test("a process that opens the file alone takes over at once what a process of another container held", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await kill(await leaveHeld(file), file);
  await using storage = await openSqlite({ file });
  expect(await storage.queue.claim(here)).toMatchObject([{ tries: 2 }]);
  expect(await storage.agent.threads.hold(thread)).toBe(true);
});

test("beside a process that lives its leases are left alone", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await using _living = await leaveHeld(file);
  await using storage = await openSqlite({ file });
  expect(await storage.queue.claim(here)).toEqual([]);
  expect(await storage.agent.threads.hold(thread)).toBe(false);
});

test("a rescoring held by a process of another container is free at once if no other process has the file open", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const run = sampleRun();
  const left = await openSqlite({ file, ...elsewhere });
  await left.store.runs.create(run);
  await left.store.runs.finish(run.id, ending());
  expect(await left.store.runs.holdForRescore(run.id)).not.toBeNull();
  {
    await using beside = await openSqlite({ file });
    expect(await beside.store.runs.holdForRescore(run.id)).toBeNull();
  }
  await kill(left, file);
  await using storage = await openSqlite({ file });
  expect(await storage.store.runs.holdForRescore(run.id)).not.toBeNull();
});

test("an attempt of a run that is being cancelled is over", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const left = await leaveHeld(file);
  const [run] = (await left.store.runs.list({ limit: 1 })).runs;
  await left.store.runs.cancel(run!.id);
  await kill(left, file);
  await using storage = await openSqlite({ file });
  expect(await storage.store.runs.unconcluded()).toEqual([run!.id]);
});

test("an attempt whose process broke down is suspected in any container", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await kill(await leaveHeld(file), file);
  await using storage = await openSqlite({ file, brokeDown: (worker) => worker === "another container:1:w" });
  expect(await storage.queue.claim(here)).toMatchObject([{ tries: 2, alone: true }]);
});
