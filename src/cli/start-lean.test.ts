import { expect, test, vi } from "vitest";
import { startLean, type Process } from "./start-lean.ts";

/** A process that was started as `node --enable-source-maps main.js serve`. */
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

test("replaces a process that stays by one that holds less memory", () => {
  const { self, execve } = processWith();
  startLean("serve", self);
  expect(execve.mock.calls).toEqual([
    [
      "/bin/node",
      ["/bin/node", "--max-semi-space-size=16", "--report-exclude-env", "--enable-source-maps", "main.js", "serve"],
      { HOME: "/home/ada", MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" },
    ],
  ]);
});

test.each([
  ["it has been replaced, or the operator has his own setting", { env: { MALLOC_TRIM_THRESHOLD_: "1048576" } }],
  ["its parent talks to it", { send: () => true }],
  ["the system has no such call", { platform: "win32" }],
  ["it runs with permissions", { permission: { has: () => true } }],
] as const)("leaves a process as it is when %s", (_, changes) => {
  const { self, execve } = processWith(changes as Partial<Process>);
  startLean("serve", self);
  expect(execve).not.toHaveBeenCalled();
});

test("leaves commands that end by themselves", () => {
  const { self, execve } = processWith();
  startLean("eval", self);
  expect(execve).not.toHaveBeenCalled();
});

test("keeps a size of the young space that the operator has chosen", () => {
  const { self, execve } = processWith({ env: { NODE_OPTIONS: "--max_semi_space_size=64" } });
  startLean("worker", self);
  expect(execve.mock.calls[0]?.[1]).toEqual([
    "/bin/node",
    "--report-exclude-env",
    "--enable-source-maps",
    "main.js",
    "serve",
  ]);
});

test("keeps the number of heaps that the operator has chosen", () => {
  const { self, execve } = processWith({ env: { MALLOC_ARENA_MAX: "4" } });
  startLean("serve", self);
  expect(execve.mock.calls[0]?.[2]).toEqual({ MALLOC_ARENA_MAX: "4", MALLOC_TRIM_THRESHOLD_: "131072" });
});
