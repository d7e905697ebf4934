import { expect, test } from "vitest";
import { interactionsSuite } from "./interactions-suite.ts";
import { journalSuite } from "./journal-suite.ts";
import { runsSuite } from "./runs-suite.ts";
import { sampleRun } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { verdictsSuite } from "./verdicts-suite.ts";

/** The promises of every driver of the `Store` port. */
export function storeSuite(name: string, open: OpenStorage): void {
  runsSuite(name, open);
  interactionsSuite(name, open);
  journalSuite(name, open);
  verdictsSuite(name, open);

  test(`${name}: a closed store refuses all work and lets earlier writes end`, async () => {
    await using storage = await open();
    const other = await storage.another();
    const run = sampleRun();
    const writing = other.store.runs.create(run);
    await other.store.close();
    expect((await writing).outcome).toBe("created");
    await expect(other.store.runs.create(sampleRun())).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(other.store.check()).rejects.toMatchObject({ code: "storage_unavailable" });
    await other.store.close();
    expect(await storage.store.runs.get(run.id)).not.toBeNull();
  });
}
