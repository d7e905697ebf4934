import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const file = fileURLToPath(new URL("hold-young-space.ts", import.meta.url));

/** Makes objects of which many stay, which lets the space grow, and prints how large it has become. */
const script = `
  const { holdYoungSpace } = await import(${JSON.stringify(file)});
  const { getHeapSpaceStatistics } = await import("node:v8");
  holdYoungSpace();
  const kept = [];
  for (let round = 0; round < 400; round += 1) {
    for (let index = 0; index < 10_000; index += 1) kept[(round * 10_000 + index) % 400_000] = { round, index };
    await new Promise(setImmediate);
  }
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);`;

async function youngBytes(...options: string[]): Promise<number> {
  const { stdout } = await run(process.execPath, [...options, "--input-type=module", "-e", script], {
    env: { PATH: process.env["PATH"] ?? "" },
  });
  return Number(stdout);
}

test("the space for young objects stops growing at two halves of 16 MB, unless somebody has chosen its size", async () => {
  const most = 2 * 16 * 1024 * 1024 * 1.1;
  expect(await youngBytes()).toBeLessThan(most);
  expect(await youngBytes("--max-semi-space-size=64")).toBeGreaterThan(most);
});
