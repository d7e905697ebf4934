import { expect, test } from "vitest";
import type { Run } from "../../contract/schemas/run.ts";
import { findRun } from "./find-run.ts";
import { newestRuns } from "./newest-runs.ts";
import type { RunQuery, RunSource } from "./run-source.ts";

/** A source of so many runs, the newest first, that gives at most 200 at once. */
function sourceOf(count: number): RunSource & { readonly asked: RunQuery[] } {
  const asked: RunQuery[] = [];
  const list: RunSource["list"] = async (query) => {
    asked.push(query);
    const { limit = 50, cursor } = query;
    if (limit > 200) throw new Error("a service refuses that");
    const start = Number(cursor ?? 0);
    const end = Math.min(start + limit, count);
    const runs = Array.from({ length: end - start }, (_, index) => ({ run_id: `run-${start + index}` }) as Run);
    return { runs, next_cursor: end < count ? String(end) : null };
  };
  return { asked, list } as unknown as RunSource & { asked: RunQuery[] };
}

test("as many runs as are asked for come, however many a service gives at once", async () => {
  expect(await newestRuns(sourceOf(450), 300)).toHaveLength(300);
  expect(await newestRuns(sourceOf(250), 300)).toHaveLength(250);
  const few = sourceOf(450);
  await newestRuns(few, 20, { test_name: "support" });
  expect(few.asked).toEqual([{ test_name: "support", limit: 20 }]);
});

test("latest~255 is found beyond the first page, and too far back is said with the true number of runs", async () => {
  expect(await findRun(sourceOf(300), "latest~255")).toBe("run-255");
  await expect(findRun(sourceOf(250), "latest~255")).rejects.toThrow("latest~255 goes too far back (250 runs here)");
});
