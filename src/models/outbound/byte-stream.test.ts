import { expect, test, vi } from "vitest";
import { ByteStream } from "./byte-stream.ts";

const bytes = (text: string) => Buffer.from(text);

function startStream() {
  const [onReady, onReturn] = [vi.fn<() => void>(), vi.fn<() => void>()];
  return { stream: new ByteStream({ onReady, onReturn }), onReady, onReturn };
}

test("what came before the reader asks goes out at once, what comes later as it comes", async () => {
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

test("the sender is to wait while a quarter of a mebibyte is unread, and is told when to go on", async () => {
  const { stream, onReady } = startStream();
  const half = Buffer.alloc(128 * 1024);
  expect([stream.write(half), stream.write(half)]).toEqual([true, false]);
  expect(onReady).not.toHaveBeenCalled();
  const { value } = await stream.next();
  expect(value).toHaveLength(256 * 1024);
  expect(onReady).toHaveBeenCalledOnce();
  expect(stream.write(half)).toBe(true);
});

test("a failure is told once, after what came before it", async () => {
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

test("a reader that stops early is told of once, and nothing is kept for it", async () => {
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

test("a reader of the whole stream has nothing to stop", async () => {
  const { stream, onReturn } = startStream();
  stream.write(bytes("a"));
  stream.end();
  expect(await Array.fromAsync(stream)).toEqual([bytes("a")]);
  await stream.return();
  expect(onReturn).not.toHaveBeenCalled();
});
