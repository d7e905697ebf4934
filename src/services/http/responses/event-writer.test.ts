import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { toReadable } from "./event-stream.ts";
import { EventWriter, type Outlet } from "./event-writer.ts";

const decoder = new TextDecoder();

/** Records what is written. `takes` says whether more may follow at once. */
function outletOf(written: string[], takes = () => true): Outlet {
  return {
    write(text) {
      written.push(text);
      return takes();
    },
    end: () => void written.push("(end)"),
    destroy: () => void written.push("(broken off)"),
  };
}

test("writes buffered events as one piece, then ends", async () => {
  const events = new EventWriter();
  events.send({ a: 1 }, "one", 7);
  events.send("two");
  events.write("data: [DONE]\n\n");
  events.end();
  const reader = toReadable(events).getReader();
  const first = await reader.read();
  expect(decoder.decode(first.value)).toBe('event: one\nid: 7\ndata: {"a":1}\n\ndata: "two"\n\ndata: [DONE]\n\n');
  expect((await reader.read()).done).toBe(true);
});

test("writes simultaneous events together, and slightly later ones in the next piece", async () => {
  const written: string[] = [];
  const second = Promise.withResolvers<void>();
  const events = new EventWriter({ gatherMs: 500 });
  const noticed = () => {
    if (written.length === 2) second.resolve();
    return true;
  };
  events.open(outletOf(written, noticed));
  events.send(1);
  events.send(2);
  await Promise.resolve();
  expect(written).toEqual(["data: 1\n\ndata: 2\n\n"]);
  events.send(3);
  await Promise.resolve();
  events.send(4);
  expect(written).toHaveLength(1);
  await second.promise;
  expect(written[1]).toBe("data: 3\n\ndata: 4\n\n");
  events.end();
  expect(written.at(-1)).toBe("(end)");
});

test("ends as soon as the client has read", () => {
  const written: string[] = [];
  let fast = false;
  const events = new EventWriter();
  events.open(outletOf(written, () => fast));
  events.send(1);
  events.end();
  expect(written).toEqual(["data: 1\n\n", "(end)"]);

  const slow: string[] = [];
  const later = new EventWriter();
  later.write("a");
  later.open(outletOf(slow, () => fast));
  later.write("b");
  later.end();
  expect(slow).toEqual(["a"]);
  fast = true;
  later.resume();
  expect(slow).toEqual(["a", "b", "(end)"]);
});

test("writes a large piece at once", async () => {
  const written: string[] = [];
  const events = new EventWriter({ gatherMs: 60_000 });
  events.open(outletOf(written));
  events.send(1);
  await Promise.resolve();
  events.send("x".repeat(100_000));
  expect(written).toHaveLength(2);
  await events.ready();
  events.close();
});

test("sends heartbeats while there are no events", async () => {
  const events = new EventWriter({ heartbeatMs: 1 });
  const { value } = await toReadable(events).getReader().read();
  expect(decoder.decode(value)).toBe(": keep-alive\n\n");
  events.end();
});

test("disconnects a client that does not read", async () => {
  const written: string[] = [];
  let closed = 0;
  const events = new EventWriter({ maxWaiting: 1000, onClose: () => (closed += 1) });
  events.open(outletOf(written), { paused: true });
  for (let index = 0; index < 100; index += 1) events.send("x".repeat(100));
  expect(written).toEqual(["(broken off)"]);
  expect([events.closed, closed]).toEqual([true, 1]);
  await events.ready();
});

test("keeps a client while one long event waits", async () => {
  const written: string[] = [];
  const events = new EventWriter({ maxWaiting: 1000 });
  events.open(outletOf(written));
  events.send("x".repeat(100_000));
  events.end();
  expect(written.at(-1)).toBe("(end)");
  expect(written.join("")).toHaveLength(100_010 + "(end)".length);
});

test("writes an event in pieces at the client's pace, without a heartbeat inside", async () => {
  const written: string[] = [];
  let taken = 0;
  async function* pieces() {
    yield "[1";
    await sleep(20);
    for (let index = 0; index < 10; index += 1) yield `,${"1".repeat(100_000)}`;
    yield "]";
  }
  const events = new EventWriter({ heartbeatMs: 1, maxWaiting: 1000 });
  const takeLater = () => {
    taken += 1;
    setTimeout(() => events.resume(), 2);
    return false;
  };
  events.open(outletOf(written, takeLater));
  await events.sendPieces(pieces(), "result");
  events.end();
  while (!events.closed) await sleep(1);
  expect(taken).toBeGreaterThan(9);
  expect(written.join("")).toBe(`event: result\ndata: [1${`,${"1".repeat(100_000)}`.repeat(10)}]\n\n(end)`);
});

test("writes nothing after a disconnect, and resolves pending waits", async () => {
  const written: string[] = [];
  const events = new EventWriter();
  events.open(outletOf(written, () => false));
  events.send(1);
  await Promise.resolve();
  events.send(2);
  const ready = events.ready();
  events.close();
  events.send(3);
  events.end();
  await ready;
  expect(written).toEqual(["data: 1\n\n"]);
});
