import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const file = new URL("./stop-signals.ts", import.meta.url).href;

/** A process that would live on after its stop. */
async function stopped(stop: string): Promise<{ code: number; stderr: string }> {
  const script = `import { onStopSignal } from ${JSON.stringify(file)};
    onStopSignal(${stop});
    setInterval(() => {}, 60_000);
    console.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  let stderr = "";
  child.stderr.on("data", (data) => (stderr += String(data)));
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  return { code, stderr };
}

test("a stop that fails is told in one line and ends the process all the same", async () => {
  const failure = `Object.assign(new Error("The store is gone"), { name: "StoreFileError" })`;
  expect(await stopped(`() => Promise.reject(${failure})`)).toEqual({
    code: 78,
    stderr: "rehearsal: The store is gone\n",
  });
});

test("a stop that works ends the process as it says", async () => {
  expect(await stopped("async () => process.exit(0)")).toEqual({ code: 0, stderr: "" });
});
