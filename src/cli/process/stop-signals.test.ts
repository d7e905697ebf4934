import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { onShellGone } from "./shell-gone.ts";

const file = new URL("./stop-signals.ts", import.meta.url).href;

/** A process that would live on after its stop. */
const living = (stop: string): string => `import { onStopSignal } from ${JSON.stringify(file)};
    onStopSignal(${stop});
    setInterval(() => {}, 60_000);
    console.log("ready");`;

async function stopped(stop: string): Promise<{ code: number; stderr: string }> {
  const script = living(stop);
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  let stderr = "";
  child.stderr.on("data", (data) => (stderr += String(data)));
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  return { code, stderr };
}

test("a failing stop prints one line and ends the process", async () => {
  const failure = `Object.assign(new Error("The store is gone"), { name: "StoreFileError" })`;
  expect(await stopped(`() => Promise.reject(${failure})`)).toEqual({
    code: 78,
    stderr: "rehearsal: The store is gone\n",
  });
});

test("a successful stop ends the process with its own exit code", async () => {
  expect(await stopped("async () => process.exit(0)")).toEqual({ code: 0, stderr: "" });
});

test("stops when npm's shell ends", async () => {
  const script = living("async () => { console.log('stopped'); process.exit(0); }");
  // The second command keeps the shell from replacing itself by the program.
  const shell = spawn("sh", ["-c", '"$NODE" --input-type=module -e "$SCRIPT"; true'], {
    env: { NODE: process.execPath, SCRIPT: script, npm_lifecycle_script: "rehearsal serve" },
  });
  let stdout = "";
  shell.stdout.on("data", (data) => (stdout += String(data)));
  await once(shell.stdout, "data");
  shell.kill("SIGKILL");
  // The program holds the other end of the pipe while it runs.
  await once(shell, "close");
  expect(stdout).toBe("ready\nstopped\n");
});

function goneWith(script: string | undefined): boolean {
  vi.useFakeTimers();
  let parent = 100;
  let gone = false;
  onShellGone(() => (gone = true), { script, parent: () => parent });
  vi.advanceTimersByTime(5_000);
  expect(gone).toBe(false);
  parent = 1;
  vi.advanceTimersByTime(5_000);
  vi.useRealTimers();
  return gone;
}

test.each([
  ["node dist/cli/main.js serve", true],
  ["'rehearsal'", true],
  ["npm run build && rehearsal serve", true],
  ["rehearsal serve &", false],
  ["rehearsal serve > log & vite", false],
  ["vitest run", false],
])("watches the shell of the script %j: %j", (script, watched) => {
  expect(goneWith(script)).toBe(watched);
});

test("watches no shell when npm did not start the process", () => {
  vi.stubEnv("npm_lifecycle_script", undefined);
  expect(goneWith(undefined)).toBe(false);
  vi.unstubAllEnvs();
});
