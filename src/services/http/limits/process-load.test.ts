import { expect, onTestFinished, test, vi } from "vitest";
import { watchProcessLoad } from "./process-load.ts";

test("keeps the last known memory when it cannot be read", () => {
  vi.useFakeTimers();
  const rss = vi.spyOn(process.memoryUsage, "rss").mockReturnValueOnce(4096);
  const load = watchProcessLoad();
  onTestFinished(() => {
    load.stop();
    rss.mockRestore();
    vi.useRealTimers();
  });
  expect(load.read().rssBytes).toBe(4096);
  vi.advanceTimersByTime(1000);
  rss.mockImplementation(() => {
    throw Object.assign(new Error("EMFILE: too many open files, uv_resident_set_memory"), { code: "EMFILE" });
  });
  expect(load.read().rssBytes).toBe(4096);
});
