import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openSqlite } from "../drivers/open-sqlite.ts";

/** No process has this id, so its holds belong to a dead process. */
const deadPid = 2_000_000_000;

test("deletes thread holds of dead processes and keeps those of live ones", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await using dead = await openSqlite({ file, pid: deadPid });
  await using live = await openSqlite({ file });
  await using other = await openSqlite({ file });
  expect(await dead.agent.threads.hold({ owner: null, id: "left" })).toBe(true);
  expect(await live.agent.threads.hold({ owner: null, id: "mine" })).toBe(true);
  expect(await other.agent.threads.hold({ owner: null, id: "theirs" })).toBe(true);
  await live.agent.tidy({ runMs: null, threadMs: null });
  const database = new DatabaseSync(file);
  const names = database.prepare("select name from agent_thread_hold order by name").all();
  database.close();
  expect(names.map(({ name }) => name)).toEqual(['[null,"mine"]', '[null,"theirs"]']);
});
