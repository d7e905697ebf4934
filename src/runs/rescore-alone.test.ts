import { expect, test } from "vitest";
import { sampleRun } from "../../test/conformance/sample-runs.ts";
import { ending } from "../../test/conformance/suite-helpers.ts";
import { ServiceError } from "../contract/errors.ts";
import { openSqlite } from "../storage/drivers/open-sqlite.ts";
import { rescoreAlone } from "./rescore-alone.ts";

test("whoever is sent away while another scores the run again is told why", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const { store } = storage;
  const run = sampleRun();
  await store.runs.create(run);
  await store.runs.finish(run.id, ending());
  await store.runs.holdForRescore(run.id);

  const away = new ServiceError("storage_unavailable", "The database cannot be reached.");
  const controller = new AbortController();
  const check = async () => void setImmediate(() => controller.abort(away));
  const waiting = rescoreAlone(run.id, { store, check, work: async () => {}, signal: controller.signal });
  await expect(waiting).rejects.toBe(away);
});
