import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
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
      ["/bin/node", "--max-semi-space-size=16", "--enable-source-maps", "main.js", "serve"],
      { HOME: "/home/ada", MALLOC_TRIM_THRESHOLD_: "131072" },
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
  expect(execve.mock.calls[0]?.[1]).toEqual(["/bin/node", "--enable-source-maps", "main.js", "serve"]);
});

test.runIf(process.platform === "linux")("serves under the process id it was started with", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-lean-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "serve", "--json"], {
    env: {
      ...process.env,
      REHEARSAL_DATA_DIR: folder,
      REHEARSAL_DEMO: "off",
      REHEARSAL_AGENT_PORT: "0",
      REHEARSAL_EVAL_PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  });
  const [ready] = (await once(createInterface(child.stdout), "line")) as [string];
  expect(JSON.parse(ready)).toMatchObject({ agent: expect.stringContaining("http://") });
  const environment = await readFile(`/proc/${child.pid}/environ`, "utf8");
  expect(environment.split("\0")).toContain("MALLOC_TRIM_THRESHOLD_=131072");
  expect(await readFile(`/proc/${child.pid}/cmdline`, "utf8")).toContain("--max-semi-space-size=16");
});
