import { getEventListeners, once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { startListener } from "./postgres-listener.ts";
import { createSockets } from "./postgres-sockets.ts";

afterEach(() => vi.restoreAllMocks());

test("a server that stays away leaves nothing behind with each try to reach it", async () => {
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
