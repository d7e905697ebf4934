import { expect, test } from "vitest";
import type { Run } from "../../contract/schemas/run.ts";
import { newestRunsOf, resolveRunId, type RunQuery, type RunSource } from "./run-source.ts";

/** A source of this many runs, newest first, with pages of at most 200. */
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

test("reads as many pages as needed", async () => {
  expect(await newestRunsOf(sourceOf(450), 300)).toHaveLength(300);
  expect(await newestRunsOf(sourceOf(250), 300)).toHaveLength(250);
  const few = sourceOf(450);
  await newestRunsOf(few, 20, { test_name: "support" });
  expect(few.asked).toEqual([{ test_name: "support", limit: 20 }]);
});

test("finds latest~n beyond the first page, and refuses more with the number of runs", async () => {
  expect(await resolveRunId(sourceOf(300), "latest~255")).toBe("run-255");
  await expect(resolveRunId(sourceOf(250), "latest~255")).rejects.toThrow("latest~255 does not exist (250 runs here)");
});
