import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    globalSetup: ["test/support/command-line.ts", "test/support/postgres/start-once.ts"],
    isolate: false,
    // Node runs the sources as they are, as the product's own scripts do: a tenth less processor time than by way of Vite.
    experimental: { viteModuleRunner: false },
    // One more than there are cores: many tests wait for a process, a database or a browser.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Against what hangs only: on a machine ten times as slow, what takes longest still comes to its end.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Real processes, databases and browsers share a machine there: a second failure counts, and the report names the first.
    retry: process.env["CI"] ? 1 : 0,
  },
});
