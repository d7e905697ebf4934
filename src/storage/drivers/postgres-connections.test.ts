import { getEventListeners, once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createSockets, createStatementNames, startListener } from "./postgres-connections.ts";

const uses = (names: ReturnType<typeof createStatementNames>, text: string, count: number) =>
  Array.from({ length: count }, () => names.nameOf(text));

test("names a statement by its text once it has repeated often enough", () => {
  const names = createStatementNames();
  const [first, second, third, fourth] = uses(names, "select 1", 4);
  expect([first, second, third]).toEqual([undefined, undefined, fourth]);
  expect(fourth).toMatch(/^rehearsal_[0-9a-f]{32}$/);
  expect(uses(names, "select 2", 3).at(-1)).not.toBe(fourth);
  // Another process behind the same pooler finds the same statement under that name.
  expect(uses(createStatementNames(), "select 1", 3).at(-1)).toBe(fourth);
});

test("limits the number of named and counted statements", () => {
  const names = createStatementNames();
  const given = new Set<string | undefined>();
  for (let index = 0; index < 5_000; index += 1) for (const name of uses(names, `select ${index}`, 5)) given.add(name);
  expect(given.size).toBe(101);
});

test("names nothing after stop", () => {
  const names = createStatementNames();
  uses(names, "select 1", 3);
  names.stop();
  expect(uses(names, "select 1", 5)).toEqual(Array.from({ length: 5 }, () => undefined));
});

afterEach(() => vi.restoreAllMocks());

test("leaves no abort listener behind when a connect fails", async () => {
  const listen = vi.spyOn(AbortSignal.prototype, "addEventListener");
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`;
  const listener = startListener({ url, sockets: createSockets(), channel: "work", onNotice: () => {} });
  await vi.waitFor(() => expect(tries).toBeGreaterThan(4), { timeout: 30_000 });
  const signal = listen.mock.contexts[0] as AbortSignal;
  const left = getEventListeners(signal, "abort");
  await listener.stop();
  server.close();
  expect(left.length).toBeLessThanOrEqual(1);
});
