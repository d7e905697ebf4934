import { expect, test } from "vitest";
import { sampleRun } from "../../../../test/conformance/sample-runs.ts";
import { storedTurn } from "../../../../test/conformance/suite-helpers.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openSqlite } from "../../drivers/open-sqlite.ts";

test("alternates between runs with equal progress", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const ids = ["run-a", "run-b", "run-c"];
  for (const id of ids) await storage.store.runs.create(sampleRun({ id, scenarios: 5 }));
  const served: string[] = [];
  for (let place = 0; place < 9; place += 1) {
    const [claimed] = await storage.queue.claim({ worker: "w", limit: 1, perRun: 10 });
    served.push(claimed!.run_id);
    await storage.queue.finish(claimed!.lease, { average_scores: {} });
  }
  expect(served).toEqual([...ids, ...ids, ...ids]);
});

test("starts a new process with the run that has the least progress", async () => {
  await using folder = await temporaryFolder();
  const ids = ["run-a", "run-b", "run-c"];
  const served: string[] = [];
  for (let start = 0; start < 6; start += 1) {
    await using storage = await openSqlite({ file: folder.file("rehearsal.db") });
    if (start === 0) for (const id of ids) await storage.store.runs.create(sampleRun({ id, scenarios: 5 }));
    const [claimed] = await storage.queue.claim({ worker: "w", limit: 1, perRun: 10 });
    served.push(claimed!.run_id);
    await storage.queue.finish(claimed!.lease, { average_scores: {}, turn: storedTurn(0) });
  }
  expect(served).toEqual([...ids, ...ids]);
});
