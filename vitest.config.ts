import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    isolate: false,
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Real processes, databases and browsers share a machine there: a second failure counts, and the report names the first.
    retry: process.env["CI"] ? 1 : 0,
  },
});
