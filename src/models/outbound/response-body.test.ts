import { expect, test, vi } from "vitest";
import { ByteStream, ByteCollector } from "./response-body.ts";

test("joins pieces of any size", () => {
  const gathered = new ByteCollector();
  const pieces = Array.from({ length: 5000 }, (_, index) =>
    Buffer.from(index % 1500 === 0 ? "a long one " : `${index} `),
  );
  for (const piece of pieces) gathered.add(piece);
  expect(Buffer.from(gathered.bytes()).equals(Buffer.concat(pieces))).toBe(true);
  expect(gathered.size).toBe(Buffer.concat(pieces).length);
});

test("returns a single piece without a copy, and an empty buffer for none", () => {
  const gathered = new ByteCollector();
  expect(gathered.bytes()).toHaveLength(0);
  const piece = Buffer.from("all of it");
  gathered.add(piece);
  expect(gathered.bytes()).toBe(piece);
  gathered.clear();
  expect([gathered.size, gathered.bytes().length]).toEqual([0, 0]);
});

test("keeps single bytes in hardly more memory than one buffer", () => {
  const gathered = new ByteCollector();
  const before = process.memoryUsage();
  for (let count = 0; count < 4_000_000; count += 1) gathered.add(Buffer.from([count % 256]));
  const after = process.memoryUsage();
  expect(gathered.bytes()).toHaveLength(4_000_000);
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(200e6);
});

const bytes = (text: string) => Buffer.from(text);

function startStream() {
  const [onReady, onReturn] = [vi.fn<() => void>(), vi.fn<() => void>()];
  return { stream: new ByteStream({ onReady, onReturn }), onReady, onReturn };
}

test("returns buffered bytes at once and later bytes as they arrive", async () => {
  const { stream } = startStream();
  stream.write(bytes("a"));
  stream.write(bytes("b"));
  expect(await stream.next()).toEqual({ value: bytes("ab"), done: false });
  const next = stream.next();
  stream.write(bytes("c"));
  stream.write(bytes("d"));
  expect(await next).toEqual({ value: bytes("c"), done: false });
  expect(await stream.next()).toEqual({ value: bytes("d"), done: false });
  const last = stream.next();
  stream.end();
  expect(await last).toEqual({ value: undefined, done: true });
  expect(await stream.next()).toEqual({ value: undefined, done: true });
});

test("pauses the sender at 256 KiB of unread bytes and resumes it", async () => {
  const { stream, onReady } = startStream();
  const half = Buffer.alloc(128 * 1024);
  expect([stream.write(half), stream.write(half)]).toEqual([true, false]);
  expect(onReady).not.toHaveBeenCalled();
  const { value } = await stream.next();
  expect(value).toHaveLength(256 * 1024);
  expect(onReady).toHaveBeenCalledOnce();
  expect(stream.write(half)).toBe(true);
});

test("throws a failure once, after the bytes before it", async () => {
  const { stream } = startStream();
  stream.write(bytes("a"));
  stream.fail(new Error("reset"));
  stream.fail(new Error("again"));
  expect(await stream.next()).toEqual({ value: bytes("a"), done: false });
  await expect(stream.next()).rejects.toThrow("reset");
  expect(await stream.next()).toEqual({ value: undefined, done: true });

  const { stream: awaited } = startStream();
  const next = awaited.next();
  awaited.fail(new Error("reset"));
  await expect(next).rejects.toThrow("reset");
  expect(await awaited.next()).toEqual({ value: undefined, done: true });
});

test("reports a reader that stops early once, and keeps nothing for it", async () => {
  const { stream, onReturn } = startStream();
  stream.write(bytes("a"));
  for await (const chunk of stream) {
    expect(chunk).toEqual(bytes("a"));
    stream.write(bytes("b"));
    break;
  }
  await stream.return();
  expect(onReturn).toHaveBeenCalledOnce();
  expect(stream.write(Buffer.alloc(1024 * 1024))).toBe(true);
  expect(await stream.next()).toEqual({ value: undefined, done: true });
});

test("does not report a reader that has read everything", async () => {
  const { stream, onReturn } = startStream();
  stream.write(bytes("a"));
  stream.end();
  expect(await Array.fromAsync(stream)).toEqual([bytes("a")]);
  await stream.return();
  expect(onReturn).not.toHaveBeenCalled();
});
