// Loaded into the watched service with `--import`: tells what it holds, after everything that can be let go was.
import { readdirSync } from "node:fs";

const megabyte = 1024 ** 2;

process.on("message", () => {
  globalThis.gc?.();
  const kinds = process.getActiveResourcesInfo();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({
    rss: rss / megabyte,
    heap: heapUsed / megabyte,
    external: external / megabyte,
    files: readdirSync("/proc/self/fd").length,
    timers: kinds.filter((kind) => kind === "Timeout" || kind === "Immediate").length,
    handles: kinds.length,
  });
});
process.channel?.unref();
