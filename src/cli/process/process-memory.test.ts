import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { restartWithMemoryLimits, type Process } from "./process-memory.ts";

/** A process started as `node --enable-source-maps main.js serve`. */
function processWith(changes: Partial<Process> = {}) {
  const execve = vi.fn<NonNullable<Process["execve"]>>();
  const self: Process = {
    argv: ["node", "main.js", "serve"],
    env: { HOME: "/home/ada" },
    execArgv: ["--enable-source-maps"],
    execPath: "/bin/node",
    execve: execve as unknown as NonNullable<Process["execve"]>,
    permission: undefined as unknown as Process["permission"],
    platform: "linux",
    ...changes,
  };
  return { self, execve };
}

test("replaces the process of a service by one with memory limits", () => {
  const { self, execve } = processWith();
  restartWithMemoryLimits("serve", self);
  expect(execve.mock.calls).toEqual([
    [
      "/bin/node",
      ["/bin/node", "--max-semi-space-size=16", "--report-exclude-env", "--enable-source-maps", "main.js", "serve"],
      { HOME: "/home/ada", MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" },
    ],
  ]);
});

test.each([
  ["it has already been replaced, or the operator has set a value", { env: { MALLOC_TRIM_THRESHOLD_: "1048576" } }],
  ["it has an IPC channel", { send: () => true }],
  ["the system has no such call", { platform: "win32" }],
  ["it runs with permissions", { permission: { has: () => true } }],
] as const)("keeps the process when %s", (_, changes) => {
  const { self, execve } = processWith(changes as Partial<Process>);
  restartWithMemoryLimits("serve", self);
  expect(execve).not.toHaveBeenCalled();
});

test("keeps the process of short commands", () => {
  const { self, execve } = processWith();
  restartWithMemoryLimits("eval", self);
  expect(execve).not.toHaveBeenCalled();
});

test("keeps the operator's size of the young generation", () => {
  const { self, execve } = processWith({ env: { NODE_OPTIONS: "--max_semi_space_size=64" } });
  restartWithMemoryLimits("serve", self);
  expect(execve.mock.calls[0]?.[1]).toEqual([
    "/bin/node",
    "--report-exclude-env",
    "--enable-source-maps",
    "main.js",
    "serve",
  ]);
});

test("keeps the operator's number of malloc arenas", () => {
  const { self, execve } = processWith({ env: { MALLOC_ARENA_MAX: "4" } });
  restartWithMemoryLimits("serve", self);
  expect(execve.mock.calls[0]?.[2]).toEqual({ MALLOC_ARENA_MAX: "4", MALLOC_TRIM_THRESHOLD_: "131072" });
});

const run = promisify(execFile);
const file = fileURLToPath(new URL("process-memory.ts", import.meta.url));

/** Allocates objects of which many survive, which grows the young generation, and prints its size. */
const script = (limits: "first" | "late") => `
  const { limitHeap } = await import(${JSON.stringify(file)});
  const { getHeapSpaceStatistics } = await import("node:v8");
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
  const kept = [];
  let round = 0;
  function allocate() {
    for (let index = 0; index < 10_000; index += 1) kept[(round * 10_000 + index) % 400_000] = { round, index };
    round += 1;
  }
  const limits = ${JSON.stringify(limits)};
  while (limits === "late" && size() < 24 * 1024 * 1024) allocate();
  limitHeap();
  while (round < 400) {
    allocate();
    if (limits === "first") await new Promise(setImmediate);
  }
  console.log(size());`;

async function youngBytes(limits: "first" | "late", ...options: string[]): Promise<number> {
  const { stdout } = await run(process.execPath, [...options, "--input-type=module", "-e", script(limits)], {
    env: { PATH: process.env["PATH"] ?? "" },
  });
  return Number(stdout);
}

test("limits the young generation to two halves of 16 MB unless its size is set", async () => {
  const most = 2 * 16 * 1024 * 1024 * 1.1;
  expect(await youngBytes("first")).toBeLessThan(most);
  // It has that size already, and nothing pauses for an observer.
  expect(await youngBytes("late")).toBeLessThan(most);
  expect(await youngBytes("first", "--max-semi-space-size=64")).toBeGreaterThan(most);
});
