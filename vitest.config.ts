import { availableParallelism } from "node:os";
import { useCompileCache } from "./test/support/compile-cache.ts";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

useCompileCache();

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.tsx", "test/**/*.test.ts", "bench/**/*.test.ts"],
    globalSetup: ["test/support/build-once.ts", "test/support/postgres/start-once.ts"],
    isolate: false,
    setupFiles: ["test/support/property-seed.ts"],
    execArgv: ["--import", resolve(import.meta.dirname, "test/support/load-tsx.mjs")],
    // Node runs the sources without Vite, as the product's own scripts do, which takes a tenth less CPU time.
    experimental: { viteModuleRunner: false },
    // Two workers more than cores: many tests wait for a process, a database or a browser.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Limits against hanging only: the longest test ends in time even on a machine ten times as slow.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Real processes, databases and browsers share a CI machine: only a second failure counts, and the report names the first.
    retry: process.env["CI"] ? 1 : 0,
  },
});
