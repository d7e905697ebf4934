import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { onEachLine } from "./mcp-client.ts";

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  onEachLine(stream, (line) => lines.push(line));
  for (const chunk of chunks) {
    stream.write(chunk);
    await new Promise(setImmediate);
  }
  stream.end();
  await new Promise((resolve) => stream.once("close", resolve));
  return lines;
}

test("reports whole lines, and the last one at the end", async () => {
  expect(await linesOf("one tw", "o\r\n\n  thr", "ee\nfour", " five")).toEqual(["one two", "three", "four five"]);
});

test("joins a character that arrives in two chunks", async () => {
  const bytes = Buffer.from("ключ\n");
  expect(await linesOf(bytes.subarray(0, 3), bytes.subarray(3))).toEqual(["ключ"]);
});

test("keeps the beginning of an endless line", async () => {
  const lines = await linesOf("x".repeat(50_000), "y".repeat(50_000), "z\nnext\n");
  expect(lines.map((line) => line.length)).toEqual([65_537, 4]);
});
