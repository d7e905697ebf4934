import { expect, test } from "vitest";
import { GatheredBytes } from "./gathered-bytes.ts";

test("what comes in pieces of any size is one in the end", () => {
  const gathered = new GatheredBytes();
  const pieces = Array.from({ length: 5000 }, (_, index) =>
    Buffer.from(index % 1500 === 0 ? "a long one " : `${index} `),
  );
  for (const piece of pieces) gathered.add(piece);
  expect(Buffer.from(gathered.bytes()).equals(Buffer.concat(pieces))).toBe(true);
  expect(gathered.size).toBe(Buffer.concat(pieces).length);
});

test("one piece is handed over as it came, and none is empty", () => {
  const gathered = new GatheredBytes();
  expect(gathered.bytes()).toHaveLength(0);
  const piece = Buffer.from("all of it");
  gathered.add(piece);
  expect(gathered.bytes()).toBe(piece);
  gathered.clear();
  expect([gathered.size, gathered.bytes().length]).toEqual([0, 0]);
});

test("bytes that come one at a time take hardly more memory than together", () => {
  const gathered = new GatheredBytes();
  const before = process.memoryUsage();
  for (let count = 0; count < 4_000_000; count += 1) gathered.add(Buffer.from([count % 256]));
  const after = process.memoryUsage();
  expect(gathered.bytes()).toHaveLength(4_000_000);
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(200e6);
});
